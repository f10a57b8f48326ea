package queue_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/linear"
	"github.com/freerun-go/freerun/queue"
)

func newSegmented[T any](int) conformance.Total[T] { return &queue.SegmentedMPMC[T]{} }

// newTinySegmented returns queues whose segments are linked, used up, left and used again all the
// time.
func newTinySegmented[T any](capacity int) conformance.Total[T] {
	smallest := 1 + capacity%3
	return queue.NewSegmented[T](smallest, smallest<<(capacity%2), 0)
}

var segmented = conformance.QueueSpec{
	New: newSegmented[int], NewWide: newSegmented[conformance.Wide], NewBoxed: newSegmented[*conformance.Box], Len: linear.Near,
}

var tinySegmented = conformance.QueueSpec{
	New: newTinySegmented[int], NewWide: newTinySegmented[conformance.Wide], NewBoxed: newTinySegmented[*conformance.Box], Len: linear.Near,
	NearOverflow: func(capacity int) conformance.Total[int] {
		return queue.NewSegmented[int](1+capacity%3, 4*(1+capacity%3), 1<<36-3)
	},
}

func TestSegmentedMPMC(t *testing.T) { conformance.Queue(t, segmented) }

func TestSegmentedMPMCTiny(t *testing.T) { conformance.Queue(t, tinySegmented) }

func FuzzSegmentedMPMC(f *testing.F) { conformance.FuzzQueue(f, tinySegmented) }

// TestSegmentedMPMCZero calls every method of unused queues.
func TestSegmentedMPMCZero(t *testing.T) {
	var q queue.SegmentedMPMC[int]
	if v, ok := q.TryDequeue(); ok {
		t.Errorf("an empty queue gives %d", v)
	}
	if n := q.DequeueN(make([]int, 3)); n != 0 {
		t.Errorf("an empty queue gives %d items", n)
	}
	if n := q.EnqueueN(nil); n != 0 {
		t.Errorf("EnqueueN of nothing = %d", n)
	}
	if n := q.Len(); n != 0 {
		t.Errorf("Len of an empty queue is %d", n)
	}
	q.Enqueue(1)
	if n := q.DequeueN(nil); n != 0 {
		t.Errorf("DequeueN into nothing = %d", n)
	}
	if n := q.Len(); n != 1 {
		t.Errorf("Len is %d, of one item", n)
	}
}

// TestSegmentedMPMCLen compares Len with what went in and out, across segments and where base wraps
// around.
func TestSegmentedMPMCLen(t *testing.T) {
	for _, base := range []uint64{0, 1<<36 - 1, 1<<36 - 5} {
		q := queue.NewSegmented[int](2, 8, base)
		want := 0
		for round := range 60 {
			for range round % 13 {
				q.Enqueue(0)
				want++
			}
			for range round % 7 {
				if _, ok := q.TryDequeue(); ok {
					want--
				}
			}
			if n := q.Len(); n != want {
				t.Fatalf("from base %d, round %d: Len is %d, of %d items", base, round, n, want)
			}
		}
	}
}

// TestSegmentedMPMCAllocates holds that segments are used again: nothing is allocated in the long
// run.
func TestSegmentedMPMCAllocates(t *testing.T) {
	for _, backlog := range []int{1, 100, 3000} {
		var q queue.SegmentedMPMC[[3]int]
		lap := func() {
			for range backlog {
				q.Enqueue([3]int{1, 2, 3})
			}
			for range backlog {
				if v, ok := q.TryDequeue(); !ok || v != [3]int{1, 2, 3} {
					t.Fatalf("dequeued %v, %v", v, ok)
				}
			}
		}
		for range 20_000 / backlog {
			lap() // until segments are as large as they get
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100_000 / backlog {
			lap()
		}
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n > 50 { // the test's own, and the runtime's
			t.Errorf("with %d items at a time: %d allocations for 100,000 items", backlog, n)
		}
	}
}

// TestSegmentedMPMCShrinksAndGrows holds that few items do not make a queue large, and that the
// memory that a flood leaves behind is bounded.
func TestSegmentedMPMCShrinksAndGrows(t *testing.T) {
	var q queue.SegmentedMPMC[int]
	pass := func(backlog, laps int) {
		for range laps {
			for i := range backlog {
				q.Enqueue(i)
			}
			for range backlog {
				q.TryDequeue()
			}
		}
	}
	pass(10, 10_000)
	_, _, small := q.Segments()
	pass(100_000, 1)
	linked, spare, large := q.Segments()
	if large <= small {
		t.Errorf("segments have %d slots after a flood, and had %d before", large, small)
	}
	if linked > 2 || spare > queue.MaxSpareSegments {
		t.Errorf("%d segments are linked and %d set aside when the queue is empty again", linked, spare)
	}
}

// TestSegmentedMPMCStalledEnqueuer stops an enqueuer between its claim and its item: the others go
// on, the segment waits for it, and its item comes out when it goes on.
func TestSegmentedMPMCStalledEnqueuer(t *testing.T) {
	q := queue.NewSegmented[*int](4, 4, 0)
	stalled := new(int)
	goOn := q.ClaimForTest()
	for i := range 1000 {
		v := new(int)
		*v = i
		q.Enqueue(v)
		if got, ok := q.TryDequeue(); !ok || got != v {
			t.Fatalf("item %d: dequeued %v, %v", i, got, ok)
		}
	}
	if goOn(stalled) {
		t.Error("the enqueuer was not refused, though the queue went past its slot")
	}
	if v, ok := q.TryDequeue(); ok {
		t.Errorf("%v came out of a slot that was refused", v)
	}
	if n := q.Len(); n != 0 {
		t.Errorf("Len of an empty queue is %d", n)
	}
}

func BenchmarkSegmentedMPMC(b *testing.B) {
	b.Run("8 bytes", func(b *testing.B) { benchmarkSegmented[[1]uint64](b) })
	b.Run("64 bytes", func(b *testing.B) { benchmarkSegmented[[8]uint64](b) })
}

// benchmarkSegmented measures an enqueue with a dequeue, beside a buffered channel.
func benchmarkSegmented[T any](b *testing.B) {
	var v T
	b.Run("one by one", func(b *testing.B) {
		var q queue.SegmentedMPMC[T]
		b.ReportAllocs()
		for b.Loop() {
			q.Enqueue(v)
			q.TryDequeue()
		}
	})
	b.Run("channel", func(b *testing.B) {
		c := make(chan T, 1024)
		b.ReportAllocs()
		for b.Loop() {
			c <- v
			<-c
		}
	})
	b.Run("batches of 64", func(b *testing.B) {
		var q queue.SegmentedMPMC[T]
		vs := make([]T, 64)
		b.ReportAllocs()
		for b.Loop() {
			q.EnqueueN(vs)
			q.DequeueN(vs)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/item")
	})
	b.Run("empty", func(b *testing.B) {
		var q queue.SegmentedMPMC[T]
		q.Enqueue(v)
		q.TryDequeue()
		for b.Loop() {
			q.TryDequeue()
		}
	})
	for _, sides := range [][2]int{{1, 1}, {4, 1}, {1, 4}, {4, 4}} {
		b.Run(fmt.Sprintf("%dP%dC", sides[0], sides[1]), func(b *testing.B) {
			var q queue.SegmentedMPMC[T]
			benchmarkSides(b, sides[0], sides[1], func() { q.Enqueue(v) }, func() {
				for {
					if _, ok := q.TryDequeue(); ok {
						return
					}
					runtime.Gosched()
				}
			})
		})
		b.Run(fmt.Sprintf("%dP%dC channel", sides[0], sides[1]), func(b *testing.B) {
			c := make(chan T, 1024)
			benchmarkSides(b, sides[0], sides[1], func() { c <- v }, func() { <-c })
		})
	}
}

// benchmarkSides passes b.N items from producers to consumers, of which some thousand at most are
// under way.
func benchmarkSides(b *testing.B, producers, consumers int, enqueue, dequeue func()) {
	const stride, window = 64, 2048
	b.ReportAllocs()
	var produced, consumed struct {
		_ [128]byte
		atomic.Int64
		_ [128]byte
	}
	done := make(chan struct{}, producers+consumers)
	share := func(n, i int) int { return b.N*(i+1)/n - b.N*i/n }
	for i := range producers {
		go func() {
			for k := range share(producers, i) {
				if k%stride == 0 {
					for now := produced.Add(stride); now-consumed.Load() > window; {
						runtime.Gosched()
					}
				}
				enqueue()
			}
			done <- struct{}{}
		}()
	}
	for i := range consumers {
		go func() {
			last := share(consumers, i)
			for k := range last {
				dequeue()
				if (k+1)%stride == 0 || k+1 == last {
					consumed.Add(stride)
				}
			}
			done <- struct{}{}
		}()
	}
	for range producers + consumers {
		<-done
	}
}
