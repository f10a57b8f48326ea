package queue

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

func newStrict[T any](capacity int) conformance.Total[T] { return NewStrictMPMC[T](capacity) }

// strictMPMC has the promises of StrictMPMC.
var strictMPMC = conformance.QueueSpec{
	New: newStrict[int], NewWide: newStrict[conformance.Wide], NewBoxed: newStrict[*conformance.Box],
	Bounded: true, PowerOfTwo: true, Full: linear.InFlight, Len: linear.NotZero,
	NearOverflow: func(capacity int) conformance.Total[int] { return newStrictMPMC[int](capacity, 1<<63-64) },
}

func TestStrictMPMC(t *testing.T) { conformance.Queue(t, strictMPMC) }

func FuzzStrictMPMC(f *testing.F) { conformance.FuzzQueue(f, strictMPMC) }

// TestStrictMPMCMisuse holds that impossible capacities and zero values panic with a text that says
// so.
func TestStrictMPMCMisuse(t *testing.T) {
	for name, c := range map[string]struct {
		call func()
		says string
	}{
		"capacity -1":    {func() { NewStrictMPMC[int](-1) }, "queue: NewStrictMPMC with capacity -1"},
		"capacity 0":     {func() { NewStrictMPMC[int](0) }, "queue: NewStrictMPMC with capacity 0"},
		"capacity 2^30+": {func() { NewStrictMPMC[int](1<<30 + 1) }, "from 1 to 1073741824"},
		"zero enqueue":   {func() { new(StrictMPMC[int]).TryEnqueue(1) }, "queue: use of a StrictMPMC that NewStrictMPMC has not made"},
		"zero dequeue":   {func() { new(StrictMPMC[int]).TryDequeue() }, "queue: use of a StrictMPMC that NewStrictMPMC has not made"},
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, c.says) {
					t.Errorf("%s: panics with %q, want %q in it", name, said, c.says)
				}
			}()
			c.call()
		}()
	}
	if n := new(StrictMPMC[int]).Len(); n != 0 {
		t.Errorf("the zero value has length %d", n)
	}
}

// TestStrictMPMCAllocatesNothing holds that calls allocate nothing, whatever the size of the items.
func TestStrictMPMCAllocatesNothing(t *testing.T) {
	q := NewStrictMPMC[[20]int](4)
	if n := testing.AllocsPerRun(100, func() {
		for range 6 {
			q.TryEnqueue([20]int{})
		}
		for range 6 {
			q.TryDequeue()
		}
	}); n != 0 {
		t.Errorf("%v allocations in a round", n)
	}
}

// TestStrictMPMCStoppedCalls stops as many calls as there are places but one, half of them
// enqueueing, half dequeueing, each with an index in its hands: the last place works as a queue for
// one item.
func TestStrictMPMCStoppedCalls(t *testing.T) {
	for _, start := range starts {
		const capacity = 8
		q := newStrictMPMC[int](capacity, start)
		for range (capacity - 1) / 2 {
			if i, ok := q.free.dequeue(); !ok { // a TryEnqueue that goes no further
				t.Fatalf("no place, although %d are in use", i)
			}
		}
		for !func() bool { _, ok := q.TryDequeue(); return !ok }() {
			t.Fatal("an item that no call has enqueued")
		}
		for v := range capacity / 2 {
			if !q.TryEnqueue(v) {
				t.Fatal("full too soon")
			}
			if _, ok := q.items.dequeue(); !ok { // a TryDequeue that goes no further
				t.Fatal("empty with an item in it")
			}
		}
		for v := range 100 {
			if !q.TryEnqueue(v) {
				t.Fatalf("start %#x: item %d does not fit", start, v)
			}
			if q.TryEnqueue(-1) {
				t.Fatalf("start %#x: an item too many fits", start)
			}
			if got, ok := q.TryDequeue(); !ok || got != v {
				t.Fatalf("start %#x: got %d, %v; want %d", start, got, ok, v)
			}
			if got, ok := q.TryDequeue(); ok {
				t.Fatalf("start %#x: got %d from an empty queue", start, got)
			}
		}
	}
}

// TestStrictMPMCManyGoroutines has far more goroutines than places, in the smallest queues and over
// the wrap-around of laps.
func TestStrictMPMCManyGoroutines(t *testing.T) {
	const hands, each = 32, 200
	for _, start := range starts {
		for _, capacity := range []int{1, 2, 4} {
			q := newStrictMPMC[int](capacity, start)
			sums := make([]int, hands)
			var all sync.WaitGroup
			for hand := range hands {
				all.Go(func() {
					for enqueued, dequeued := 0, 0; enqueued < each || dequeued < each; runtime.Gosched() {
						if enqueued < each && q.TryEnqueue(hand*each+enqueued) {
							enqueued++
						}
						if dequeued < each {
							if v, ok := q.TryDequeue(); ok {
								dequeued++
								sums[hand] += v
							}
						}
					}
				})
			}
			all.Wait()
			sum := 0
			for _, s := range sums {
				sum += s
			}
			if n := hands * each; sum != n*(n-1)/2 {
				t.Errorf("start %#x, capacity %d: the items add up to %d, want %d", start, capacity, sum, n*(n-1)/2)
			}
			if v, ok := q.TryDequeue(); ok {
				t.Errorf("start %#x, capacity %d: %d was left over", start, capacity, v)
			}
			if n := q.Len(); n != 0 {
				t.Errorf("start %#x, capacity %d: an empty queue has length %d", start, capacity, n)
			}
		}
	}
}
