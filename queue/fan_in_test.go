package queue_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/linear"
	"github.com/freerun-go/freerun/queue"
)

// Three sensors report to one logbook, each through a ring of its own, and leave when they are
// done.
func ExampleFanIn() {
	logbook := queue.NewFanIn[int](64)
	var all sync.WaitGroup
	for sensor := range 3 {
		p := logbook.Register()
		all.Go(func() {
			defer p.Deregister()
			for reading := range 10 {
				for !p.TryEnqueue(100*sensor + reading) {
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
	entries := slices.Collect(queue.Drain(logbook))
	slices.Sort(entries)
	fmt.Println(len(entries), entries[9:11])
	// Output: 30 [9 100]
}

// fanIn is a FanIn as the conformance tests call it: each producing goroutine has its handle.
type fanIn[T any] struct {
	*queue.FanIn[T]
	own *queue.FanInProducer[T]
}

func newFanIn[T any](capacity int) conformance.Total[T] {
	q := queue.NewFanIn[T](capacity)
	return fanIn[T]{q, q.Register()}
}

func (f fanIn[T]) Producer() conformance.Enqueuer[T] { return f.Register() }

func (f fanIn[T]) TryEnqueue(v T) bool { return f.own.TryEnqueue(v) }

func (f fanIn[T]) Cap() int { return f.own.Cap() }

var fanInSpec = conformance.QueueSpec{
	New: newFanIn[int], NewWide: newFanIn[conformance.Wide], NewBoxed: newFanIn[*conformance.Box],
	Order: conformance.PerProducer, OneConsumer: true, Bounded: true, PowerOfTwo: true, Full: linear.Strict, EachProducer: true,
	Len: linear.Near, In: linear.Batch{AtOnce: true},
}

func TestFanIn(t *testing.T) { conformance.Queue(t, fanInSpec) }

func FuzzFanIn(f *testing.F) { conformance.FuzzQueue(f, fanInSpec) }

// TestFanInTakesTurns fills the rings of many producers: the consumer goes round, and no producer
// waits longer than the others take turns.
func TestFanInTakesTurns(t *testing.T) {
	const producers, each = 10, 64
	q := queue.NewFanIn[item](each)
	for p := range producers {
		h := q.Register()
		for n := range each {
			if !h.TryEnqueue(item{p, n}) {
				t.Fatal("no room")
			}
		}
	}
	var taken [producers]int
	for i := range producers * each {
		it, ok := q.TryDequeue()
		if !ok || it.number != taken[it.producer] {
			t.Fatalf("after %d items: %v, %v", i, it, ok)
		}
		taken[it.producer]++
		if most, least := slices.Max(taken[:]), slices.Min(taken[:]); most-least > 8 {
			t.Fatalf("after %d items one producer had %d and another one %d taken", i, most, least)
		}
	}
	if _, ok := q.TryDequeue(); ok || q.Len() != 0 {
		t.Error("more came out than went in")
	}
}

// TestFanInGrows registers producers while others are at work and the consumer takes, and each
// leaves when it is done: all their items come, in the order of each producer, and nothing of the
// producers stays.
func TestFanInGrows(t *testing.T) {
	const producers, each = 200, 100
	q := queue.NewFanIn[item](8)
	var all sync.WaitGroup
	for p := range producers {
		all.Go(func() {
			h := q.Register()
			for n := range each {
				for !h.TryEnqueue(item{p, n}) {
					runtime.Gosched()
				}
			}
			h.Deregister()
		})
	}
	var done atomic.Bool
	go func() {
		all.Wait()
		done.Store(true)
	}()
	var taken [producers]int
	for {
		over := done.Load()
		it, ok := q.TryDequeue()
		if !ok {
			if over {
				break
			}
			runtime.Gosched()
			continue
		}
		if it.number != taken[it.producer] {
			t.Fatalf("%v came after %d items of its producer", it, taken[it.producer])
		}
		taken[it.producer]++
	}
	for p, n := range taken {
		if n != each {
			t.Errorf("%d items of producer %d came, want %d", n, p, each)
		}
	}
	if n := q.Producers(); n != 0 || q.Len() != 0 {
		t.Errorf("%d producers and %d items are left", n, q.Len())
	}
}

// TestFanInForgetsLeavers holds that a producer which has left is released with its ring: at once
// if it is empty, or with its last item.
func TestFanInForgetsLeavers(t *testing.T) {
	q := queue.NewFanIn[int](4)
	leave := func(items int) weak.Pointer[queue.FanInProducer[int]] {
		h := q.Register()
		for i := range items {
			h.TryEnqueue(i)
		}
		h.Deregister()
		return weak.Make(h)
	}
	gone := func(w weak.Pointer[queue.FanInProducer[int]]) bool {
		runtime.GC()
		return w.Value() == nil
	}
	if w := leave(0); !gone(w) || q.Producers() != 0 {
		t.Error("a producer that left without items is still there")
	}
	w := leave(2)
	if q.Producers() != 1 || q.Len() != 2 {
		t.Errorf("a producer that left with items is forgotten too early: %d producers, %d items", q.Producers(), q.Len())
	}
	for want := range 2 {
		if v, ok := q.TryDequeue(); v != want || !ok {
			t.Errorf("item %d is %d, %v", want, v, ok)
		}
	}
	if _, ok := q.TryDequeue(); ok || !gone(w) || q.Producers() != 0 {
		t.Error("a producer that left is still there after its last item")
	}
	runtime.KeepAlive(q)
}

func TestFanInRefusesMisuse(t *testing.T) {
	refuses := func(want string, call func()) {
		t.Helper()
		defer func() {
			if text := fmt.Sprint(recover()); text != want {
				t.Errorf("recovered %q, want %q", text, want)
			}
		}()
		call()
	}
	h := queue.NewFanIn[int](1).Register()
	h.Deregister()
	refuses("queue: TryEnqueue of a FanInProducer after Deregister", func() { h.TryEnqueue(1) })
	refuses("queue: EnqueueN of a FanInProducer after Deregister", func() { h.EnqueueN(nil) })
	refuses("queue: Deregister of a FanInProducer after Deregister", h.Deregister)
	refuses("queue: NewFanIn needs room for at least 1 item, not 0", func() { queue.NewFanIn[int](0) })
}

// TestFanInIdleAndBusy lets producers run out of items and come back, alone and side by side: the
// queue knows at once that it is empty, counts nothing below zero and forgets no producer.
func TestFanInIdleAndBusy(t *testing.T) {
	q := queue.NewFanIn[int](4)
	one, other := q.Register(), q.Register()
	for round := range 100 {
		if _, ok := q.TryDequeue(); ok {
			t.Fatalf("round %d: something in an empty queue", round)
		}
		one.TryEnqueue(round)
		if round%3 > 0 {
			other.TryEnqueue(round)
		}
		if n := q.Len(); n != 1+min(1, round%3) {
			t.Fatalf("round %d: Len = %d", round, n)
		}
		for range 1 + min(1, round%3) {
			if v, ok := q.TryDequeue(); v != round || !ok {
				t.Fatalf("round %d: %d, %v", round, v, ok)
			}
		}
		if q.Len() != 0 || one.Len() != 0 || other.Len() != 0 {
			t.Fatalf("round %d: Len = %d of an empty queue", round, q.Len())
		}
	}
}
