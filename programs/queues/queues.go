package queues

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/queue"
)

// Names of the parameters.
const (
	producers = "producers"
	consumers = "consumers"
	payload   = "payload"
)

// capacity is the capacity of all bounded queues, and of the channel.
const capacity = 1024

// Program is the program with its variants in freerun and plain Go.
var Program = &programs.Program{
	Name:      "queues",
	Doc:       "items go from producers to consumers through one queue",
	Source:    "isolates the containers; the shapes are those of lecture 13",
	Operation: "item enqueued and dequeued",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "items in all", Default: 2_000_000, Quick: 50_000, Min: 10, Max: 1_000_000_000},
		{Name: producers, Doc: "goroutines that enqueue", Default: 4, Quick: 4, Min: 1, Max: 1000},
		{Name: consumers, Doc: "goroutines that dequeue", Default: 4, Quick: 4, Min: 1, Max: 1000},
		{Name: payload, Doc: "bytes of an item, 8 or 64", Default: 8, Quick: 8, Min: 8, Max: 64},
	},
	Points: points(),
	Variants: []programs.Variant{
		ours("spsc", "queue.SPSC", Single, NonBlocking(queue.NewSPSC[Narrow]), NonBlocking(queue.NewSPSC[Wide])),
		ours("mpsc", "queue.MPSC", oneConsumer, NonBlocking(queue.NewMPSC[Narrow]), NonBlocking(queue.NewMPSC[Wide])),
		ours("spmc", "queue.SPMC", oneProducer, NonBlocking(queue.NewSPMC[Narrow]), NonBlocking(queue.NewSPMC[Wide])),
		ours("mpmc", "queue.MPMC", Always, NonBlocking(queue.NewMPMC[Narrow]), NonBlocking(queue.NewMPMC[Wide])),
		ours("strict", "queue.StrictMPMC, lock-free", Always, NonBlocking(queue.NewStrictMPMC[Narrow]), NonBlocking(queue.NewStrictMPMC[Wide])),
		ours("segmented", "queue.SegmentedMPMC, unbounded", Always,
			unbounded[Narrow, queue.SegmentedMPMC[Narrow]], unbounded[Wide, queue.SegmentedMPMC[Wide]]),
		ours("unbounded", "queue.UnboundedMPMC, with node reuse", Always,
			unbounded[Narrow, queue.UnboundedMPMC[Narrow]], unbounded[Wide, queue.UnboundedMPMC[Wide]]),
		ours("stack", "queue.Stack, last in first out", Always, stack[Narrow], stack[Wide]),
		ours("fan-in", "queue.FanIn, a ring for each producer", oneConsumer, fanIn[Narrow], fanIn[Wide]),
		ours("fan-out", "queue.FanOut, a ring for each consumer", oneProducer, fanOut[Narrow], fanOut[Wide]),
		ours("waiting", "queue.Blocking around a queue.MPMC: waits, parks", Always, waiting[Narrow], waiting[Wide]),
		{Name: "channel", Kind: programs.PlainGo, Doc: "a channel with a buffer of 1024", Run: run(channel[Narrow], channel[Wide])},
		{Name: "mutex", Kind: programs.PlainGo, Doc: "a ring of 1024 under a sync.Mutex", Run: run(locked[Narrow], locked[Wide])},
	},
	Expected: func(v programs.Values) string { return expected(v.Get(programs.Size)) },
}

// points returns the shapes and payloads that are measured unless a user sets others.
func points() (all []map[string]int) {
	for _, shape := range [][2]int{{1, 1}, {4, 1}, {1, 4}, {4, 4}} {
		for _, bytes := range []int{8, 64} {
			all = append(all, map[string]int{producers: shape[0], consumers: shape[1], payload: bytes})
		}
	}
	return all
}

// Single reports whether a queue for one producer and one consumer can run with the values.
func Single(v programs.Values) bool { return v.Get(producers) == 1 && v.Get(consumers) == 1 }

// Always reports that a queue for any number of producers and consumers can run with the values.
func Always(programs.Values) bool { return true }

func oneConsumer(v programs.Values) bool { return v.Get(consumers) == 1 }
func oneProducer(v programs.Values) bool { return v.Get(producers) == 1 }

// Variant returns a variant of the program: the queue for narrow items and the queue for wide ones.
// Values for which fits returns false are not for these queues.
func Variant(name string, kind programs.Kind, doc string, fits func(programs.Values) bool, narrow Measured[Narrow], wide Measured[Wide]) programs.Variant {
	return programs.Variant{Name: name, Kind: kind, Doc: doc, Fits: fits, Run: run(narrow, wide)}
}

func ours(name, doc string, fits func(programs.Values) bool, narrow Measured[Narrow], wide Measured[Wide]) programs.Variant {
	return Variant(name, programs.Freerun, doc, fits, narrow, wide)
}

// expected is the sum of the items, which are numbered from 1.
func expected(size int) string {
	n := uint64(size)
	if n%2 == 0 {
		return strconv.FormatUint(n/2*(n+1), 10)
	}
	return strconv.FormatUint((n+1)/2*n, 10)
}
