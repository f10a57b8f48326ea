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

// Program is the program with all its variants.
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
		ours("spsc", "queue.SPSC", single, total(queue.NewSPSC[narrow]), total(queue.NewSPSC[wide])),
		ours("mpsc", "queue.MPSC", oneConsumer, total(queue.NewMPSC[narrow]), total(queue.NewMPSC[wide])),
		ours("spmc", "queue.SPMC", oneProducer, total(queue.NewSPMC[narrow]), total(queue.NewSPMC[wide])),
		ours("mpmc", "queue.MPMC", always, total(queue.NewMPMC[narrow]), total(queue.NewMPMC[wide])),
		ours("strict", "queue.StrictMPMC, lock-free", always, total(queue.NewStrictMPMC[narrow]), total(queue.NewStrictMPMC[wide])),
		ours("segmented", "queue.SegmentedMPMC, unbounded", always,
			unbounded[narrow, queue.SegmentedMPMC[narrow]], unbounded[wide, queue.SegmentedMPMC[wide]]),
		ours("unbounded", "queue.UnboundedMPMC, with node reuse", always,
			unbounded[narrow, queue.UnboundedMPMC[narrow]], unbounded[wide, queue.UnboundedMPMC[wide]]),
		ours("stack", "queue.Stack, last in first out", always, stack[narrow], stack[wide]),
		ours("fan-in", "queue.FanIn, a ring for each producer", oneConsumer, fanIn[narrow], fanIn[wide]),
		ours("fan-out", "queue.FanOut, a ring for each consumer", oneProducer, fanOut[narrow], fanOut[wide]),
		ours("waiting", "queue.Blocking around a queue.MPMC: waits, parks", always, waiting[narrow], waiting[wide]),
		{Name: "channel", Kind: programs.PlainGo, Doc: "a channel with a buffer of 1024", Run: run(channel[narrow], channel[wide])},
		{Name: "mutex", Kind: programs.PlainGo, Doc: "a ring of 1024 under a sync.Mutex", Run: run(locked[narrow], locked[wide])},
		rival("xsync-spsc", "xsync.SPSCQueue", single, xsyncSPSC[narrow], xsyncSPSC[wide]),
		rival("xsync-mpmc", "xsync.MPMCQueue", always, xsyncMPMC[narrow], xsyncMPMC[wide]),
	},
	Expected: func(v programs.Values) string { return expected(v.Get(programs.Size)) },
}

func init() { Program.Variants = append(Program.Variants, lscqVariants...) }

// points returns the shapes and payloads that are measured unless a user sets others.
func points() (all []map[string]int) {
	for _, shape := range [][2]int{{1, 1}, {4, 1}, {1, 4}, {4, 4}} {
		for _, bytes := range []int{8, 64} {
			all = append(all, map[string]int{producers: shape[0], consumers: shape[1], payload: bytes})
		}
	}
	return all
}

// These functions report whether a queue for one shape, or for any, can run with the values.
func single(v programs.Values) bool      { return v.Get(producers) == 1 && v.Get(consumers) == 1 }
func oneConsumer(v programs.Values) bool { return v.Get(consumers) == 1 }
func oneProducer(v programs.Values) bool { return v.Get(producers) == 1 }
func always(programs.Values) bool        { return true }

func ours(name, doc string, fits func(programs.Values) bool, n measured[narrow], w measured[wide]) programs.Variant {
	return programs.Variant{Name: name, Kind: programs.Freerun, Doc: doc, Fits: fits, Run: run(n, w)}
}

func rival(name, doc string, fits func(programs.Values) bool, n measured[narrow], w measured[wide]) programs.Variant {
	return programs.Variant{Name: name, Kind: programs.Rival, Doc: doc, Fits: fits, Run: run(n, w)}
}

// expected is the sum of the items, which are numbered from 1.
func expected(size int) string {
	n := uint64(size)
	if n%2 == 0 {
		return strconv.FormatUint(n/2*(n+1), 10)
	}
	return strconv.FormatUint((n+1)/2*n, 10)
}
