package complaints_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/queue"
)

// The complaints of users of lock-free containers. complaints_test.go lists all complaints.

// TestComplaintNoFalseFull, xsync's MPMCQueue: it says "full" 906 times in 400,000 with less than
// 40% of its places taken, when a consumer is stopped between taking its place and leaving it. Here
// a producer holds a ticket for each item until the item's consumer has left, so there are never
// more than 3 items for 8 places. Items are large and threads outnumber cores, so that many threads
// are stopped in the middle of a call. queue.TestExploreBounded runs each possible order of events,
// in small; its control queue.TestExplorePublishedSaysFull says "full" falsely.
func TestComplaintNoFalseFull(t *testing.T) {
	const capacity, tickets, each = 8, 3, 8_000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	type item [1 << 10]int
	for name, q := range map[string]queue.NonBlocking[item]{
		"MPMC": queue.NewMPMC[item](capacity), "StrictMPMC": queue.NewStrictMPMC[item](capacity),
	} {
		var left, full, got atomic.Int64
		left.Store(tickets)
		ticket := func() bool {
			for n := left.Load(); n > 0; n = left.Load() {
				if left.CompareAndSwap(n, n-1) {
					return true
				}
			}
			return false
		}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for i := 0; i < each; {
					if !ticket() {
						runtime.Gosched()
						continue
					}
					for !q.TryEnqueue(item{i}) {
						full.Add(1)
					}
					i++
				}
			})
			all.Go(func() {
				for got.Load() < 2*each {
					if _, ok := q.TryDequeue(); ok {
						got.Add(1)
						left.Add(1)
					} else {
						runtime.Gosched()
					}
				}
			})
		}
		all.Wait()
		if n := full.Load(); n != 0 {
			t.Errorf("%s was said to be full %d times, with at most %d items in %d places", name, n, tickets, capacity)
		}
	}
}

// TestComplaintContainersKeepNothing, xsync's UMPSCQueue: a container keeps no reference to an item
// that was taken out, though the container itself is kept.
func TestComplaintContainersKeepNothing(t *testing.T) {
	const items = 300 // more than a segment holds, and many rounds of a ring
	r := &runtimetest.Remains{}
	var kept []any
	through := func(name string, q any, put func(p *parcel) bool, take func() (*parcel, bool)) {
		t.Helper()
		kept = append(kept, q)
		for i := range items {
			if !put(runtimetest.Watch(r, "items of "+name, new(parcel))) {
				t.Fatalf("%s: no room for item %d", name, i)
			}
			if i%3 == 2 { // takes every third time, so that up to 100 items gather, and then fewer
				continue
			}
			if _, ok := take(); !ok {
				t.Fatalf("%s: nothing there at item %d", name, i)
			}
		}
		for range items / 3 {
			if _, ok := take(); !ok {
				t.Fatalf("%s: an item is missing", name)
			}
		}
	}
	const room = 128
	for name, q := range map[string]queue.NonBlocking[*parcel]{
		"SPSC": queue.NewSPSC[*parcel](room), "MPSC": queue.NewMPSC[*parcel](room), "SPMC": queue.NewSPMC[*parcel](room),
		"MPMC": queue.NewMPMC[*parcel](room), "StrictMPMC": queue.NewStrictMPMC[*parcel](room),
		"SegmentedMPMC": &queue.SegmentedMPMC[*parcel]{}, "UnboundedMPMC": &queue.UnboundedMPMC[*parcel]{},
		"Waiting": queue.NewBlocking(queue.NewMPMC[*parcel](room)),
	} {
		through(name, q, q.TryEnqueue, q.TryDequeue)
	}
	stack := &queue.Stack[*parcel]{}
	through("Stack", stack, func(p *parcel) bool { stack.Push(p); return true }, stack.TryPop)
	in := queue.NewFanIn[*parcel](room)
	through("FanIn", in, in.Register().TryEnqueue, in.TryDequeue)
	out := queue.NewFanOut[*parcel](room)
	through("FanOut", out, out.TryEnqueue, out.Register().TryDequeue)
	growable, bounded, hybrid := new(deque.Growable[parcel]), deque.NewBounded[parcel](room), new(deque.Hybrid[*parcel])
	push := func(p *parcel) bool { growable.Push(p); return true }
	for name, d := range map[string]struct {
		deque interface{ Pop() (*parcel, bool) }
		push  func(p *parcel) bool
		steal func() (*parcel, deque.Outcome)
	}{
		"Growable": {growable, push, growable.Thief().Steal},
		"Bounded":  {bounded, bounded.TryPush, bounded.Thief().Steal},
		"Hybrid":   {hybrid, hybrid.TryPush, hybrid.Thief().Steal},
	} {
		taken := 0
		through(name, d.deque, d.push, func() (*parcel, bool) {
			if taken++; taken%2 == 0 {
				return d.deque.Pop()
			}
			p, outcome := d.steal()
			return p, outcome == deque.Stolen
		})
		d.deque.Pop() // makes the owner forget the items that were stolen
	}
	r.Check(t)
	runtime.KeepAlive(kept)
}
