package queue_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/queue"
)

// The goroutine that finds an account's queue empty works on the account; the others leave their
// work there and go on.
func ExampleOwner() {
	type account struct {
		orders  queue.Owner[int]
		balance int // the owner's
	}
	var a account
	order := func(amount int) {
		if !a.orders.Enqueue(amount) {
			return // the owner of the queue will come to it
		}
		for isEmpty := false; !isEmpty; {
			a.balance += a.orders.Peek()
			_, isEmpty = a.orders.Dequeue()
		}
	}
	var all sync.WaitGroup
	for amount := range 101 {
		all.Go(func() { order(amount) })
	}
	all.Wait()
	fmt.Println(a.balance)
	// Output: 5050
}

func TestOwnerSequential(t *testing.T) {
	var q queue.Owner[int]
	var model []int
	next := 0
	enqueue := func() {
		t.Helper()
		if got, want := q.Enqueue(next), len(model) == 0; got != want {
			t.Fatalf("Enqueue with %d items before reports wasEmpty %v, want %v", len(model), got, want)
		}
		model = append(model, next)
		next++
	}
	dequeue := func() {
		t.Helper()
		if got := q.Peek(); got != model[0] {
			t.Fatalf("Peek returned %d, want %d", got, model[0])
		}
		v, isEmpty := q.Dequeue()
		if v != model[0] || isEmpty != (len(model) == 1) {
			t.Fatalf("Dequeue of %v returned %d, %v", model, v, isEmpty)
		}
		model = model[1:]
	}
	for size := range 20 {
		for range size {
			enqueue()
		}
		for range size / 2 {
			dequeue()
		}
		for range size {
			enqueue()
		}
		for len(model) > 0 {
			dequeue()
		}
		refuses(t, &q)
	}
}

// refuses holds that Dequeue and Peek of an empty queue panic with a clear text and change nothing.
func refuses(t *testing.T, q *queue.Owner[int]) {
	t.Helper()
	for name, call := range map[string]func(){"Dequeue": func() { q.Dequeue() }, "Peek": func() { q.Peek() }} {
		func() {
			defer func() {
				text, _ := recover().(string)
				if !strings.HasPrefix(text, "queue: "+name) || !strings.Contains(text, "Enqueue returned true") {
					t.Errorf("%s of an empty queue: recovered %q, want a text that begins with %q and says who may", name, text, "queue: "+name)
				}
			}()
			call()
		}()
	}
}

func TestOwnerRefusesDequeueWithoutOwnership(t *testing.T) {
	var q queue.Owner[int]
	for round := range 3 {
		refuses(t, &q)
		if !q.Enqueue(round) {
			t.Error("Enqueue after a refused Dequeue does not report that the queue was empty")
		}
		if q.Enqueue(-round) {
			t.Error("the second Enqueue reports that the queue was empty")
		}
		if v, isEmpty := q.Dequeue(); v != round || isEmpty {
			t.Errorf("first Dequeue = %d, %v, want %d, false", v, isEmpty, round)
		}
		if v, isEmpty := q.Dequeue(); v != -round || !isEmpty {
			t.Errorf("second Dequeue = %d, %v, want %d, true", v, isEmpty, -round)
		}
	}
}

// TestOwnerMisuseLosesNothing lets all goroutines dequeue at once, owner or not. Panics are
// expected. No item may be lost or come out twice, and the queue must be usable afterwards.
func TestOwnerMisuseLosesNothing(t *testing.T) {
	const goroutines, each = 4, 50_000
	var q queue.Owner[int]
	seen := make([]atomic.Int32, 2*goroutines*each)
	take := func() (taken bool) {
		for again := true; again; {
			func() {
				defer func() {
					text, refused := recover().(string)
					taken, again = !refused, rolecheck.Checked && strings.Contains(text, "during a call of another goroutine")
				}()
				v, _ := q.Dequeue()
				seen[v].Add(1)
			}()
		}
		return taken
	}
	together := func(work func(g int)) {
		var all sync.WaitGroup
		start := make(chan struct{})
		for g := range goroutines {
			all.Go(func() {
				<-start
				work(g)
			})
		}
		close(start)
		all.Wait()
	}
	together(func(g int) { // a queue that is empty now and then
		for i := range each {
			q.Enqueue(g*each + i)
			take()
		}
	})
	for v := range goroutines * each {
		q.Enqueue(goroutines*each + v)
	}
	together(func(int) { // a long one
		for take() {
		}
	})
	for v := range seen {
		if n := seen[v].Load(); n != 1 {
			t.Fatalf("item %d came out %d times", v, n)
		}
	}
	if !q.Enqueue(1) {
		t.Error("the emptied queue does not report that it was empty")
	}
}

// TestOwnerStampede holds theorem 2 where it is won: of many goroutines that find an empty queue,
// one becomes the owner.
func TestOwnerStampede(t *testing.T) {
	const goroutines, rounds = 16, 500
	for round := range rounds {
		var q queue.Owner[int]
		var winners atomic.Int32
		var all sync.WaitGroup
		start := make(chan struct{})
		for g := range goroutines {
			all.Go(func() {
				<-start
				if q.Enqueue(g) {
					winners.Add(1)
				}
			})
		}
		close(start)
		all.Wait()
		if n := winners.Load(); n != 1 {
			t.Fatalf("round %d: %d of %d goroutines became the owner, want 1", round, n, goroutines)
		}
		for i := 1; ; i++ {
			if _, isEmpty := q.Dequeue(); isEmpty != (i == goroutines) {
				t.Fatalf("round %d: Dequeue %d of %d reports isEmpty %v", round, i, goroutines, isEmpty)
			} else if isEmpty {
				break
			}
		}
	}
}

// item tells which goroutine enqueued it, and its number among that goroutine's items.
type item struct{ producer, number int }

// TestOwnerStress lets a few and many goroutines enqueue and drain. Everything that an owner
// touches is plain memory. So two owners at once, or one that does not see the writes of the last
// one, give a wrong sum, and a report under the race detector.
func TestOwnerStress(t *testing.T) {
	for _, shape := range []struct{ producers, each int }{{2, 300_000}, {4, 200_000}, {16, 10_000}} {
		t.Run(fmt.Sprintf("%d producers", shape.producers), func(t *testing.T) { stressOwner(t, shape.producers, shape.each) })
	}
}

func stressOwner(t *testing.T, producers, each int) {
	var q queue.Owner[item]
	var owners atomic.Int32 // goroutines inside an ownership
	var received []item     // the owner's
	ownerships := 0         // the owner's

	var all sync.WaitGroup
	start := make(chan struct{})
	for p := range producers {
		all.Go(func() {
			<-start
			for i := range each {
				if !q.Enqueue(item{p, i}) {
					continue
				}
				ownerships++
				for {
					if n := owners.Add(1); n != 1 {
						t.Errorf("%d goroutines own the queue", n)
					}
					first := q.Peek()
					received = append(received, first)
					owners.Add(-1) // before ownership may end
					v, isEmpty := q.Dequeue()
					if v != first {
						t.Errorf("Dequeue returned %v after Peek had returned %v", v, first)
					}
					if isEmpty {
						break
					}
				}
			}
		})
	}
	close(start)
	all.Wait()

	if len(received) != producers*each {
		t.Errorf("received %d items, want %d", len(received), producers*each)
	}
	if ownerships < 1 || ownerships > producers*each {
		t.Errorf("%d ownerships for %d items", ownerships, producers*each)
	}
	inOrder(t, received, producers, each)
}

// inOrder holds that each producer's items are all there, each once, in the order in which it
// enqueued them.
func inOrder(t *testing.T, received []item, producers, each int) {
	t.Helper()
	next := make([]int, producers)
	for i, v := range received {
		if v.number != next[v.producer] {
			t.Fatalf("item %d received is number %d of producer %d, want its number %d", i, v.number, v.producer, next[v.producer])
		}
		next[v.producer]++
	}
	for p, n := range next {
		if n != each {
			t.Errorf("received %d items of producer %d, want %d", n, p, each)
		}
	}
}

// TestOwnerHandsOver passes ownership on through a channel after every few items, as a scheduler
// does with its run queues.
func TestOwnerHandsOver(t *testing.T) {
	const producers, consumers, each = 4, 3, 5_000
	var q queue.Owner[item]
	var received []item // the owner's
	ready := make(chan struct{}, 1)
	var enqueued, drained sync.WaitGroup
	for p := range producers {
		enqueued.Go(func() {
			for i := range each {
				if q.Enqueue(item{p, i}) {
					ready <- struct{}{}
				}
			}
		})
	}
	done := make(chan struct{})
	for range consumers {
		drained.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-ready:
				}
				isEmpty := false
				for budget := 3; budget > 0 && !isEmpty; budget-- {
					received = append(received, q.Peek())
					all := len(received) == producers*each
					_, isEmpty = q.Dequeue()
					if all {
						close(done)
					}
				}
				if !isEmpty {
					// There is room: no other goroutine may put its token there now.
					ready <- struct{}{}
				}
			}
		})
	}
	enqueued.Wait()
	drained.Wait()
	inOrder(t, received, producers, each)
}

// TestOwnerRetainsNothing holds that a dequeued item is garbage although its node is the sentinel.
func TestOwnerRetainsNothing(t *testing.T) {
	var q queue.Owner[*[64]byte]
	const items = 10
	var watched [items]weak.Pointer[[64]byte]
	for i := range items {
		v := new([64]byte)
		watched[i] = weak.Make(v)
		q.Enqueue(v)
	}
	for range items {
		q.Dequeue()
	}
	runtime.GC()
	for i, w := range watched {
		if w.Value() != nil {
			t.Errorf("item %d is still alive after it was dequeued", i)
		}
	}
	runtime.KeepAlive(&q)
}

func TestOwnerAllocatesOneNode(t *testing.T) {
	var q queue.Owner[int]
	want := 1.0
	if rolecheck.Checked {
		want = 2 // a build that checks keeps a note of the call in Dequeue
	}
	if got := testing.AllocsPerRun(1000, func() { q.Enqueue(1); q.Dequeue() }); got > want {
		t.Errorf("an item costs %v allocations, want %v", got, want)
	}
}

// FuzzOwner takes each byte as an operation: even numbers enqueue, odd ones dequeue.
func FuzzOwner(f *testing.F) {
	f.Add([]byte{0, 1})
	f.Add([]byte{1, 0, 0, 1, 0, 1, 1, 1, 0})
	f.Add([]byte{0, 2, 4, 6, 1, 3, 5, 7, 9, 8})
	f.Fuzz(func(t *testing.T, operations []byte) {
		var q queue.Owner[int]
		var model []int
		for i, operation := range operations {
			switch {
			case operation%2 == 0:
				if got, want := q.Enqueue(i), len(model) == 0; got != want {
					t.Fatalf("operation %d: Enqueue reports %v, want %v", i, got, want)
				}
				model = append(model, i)
			case len(model) == 0:
				refuses(t, &q)
			default:
				v, isEmpty := q.Dequeue()
				if v != model[0] || isEmpty != (len(model) == 1) {
					t.Fatalf("operation %d: Dequeue of %v returned %d, %v", i, model, v, isEmpty)
				}
				model = model[1:]
			}
		}
	})
}

func BenchmarkOwner(b *testing.B) {
	b.Run("one goroutine", func(b *testing.B) {
		var q queue.Owner[int]
		for b.Loop() {
			q.Enqueue(1)
			q.Dequeue()
		}
	})
	b.Run("batches of 64", func(b *testing.B) {
		var q queue.Owner[int]
		for i := 0; b.Loop(); i++ {
			q.Enqueue(1)
			if i%64 == 63 {
				for range 64 {
					q.Dequeue()
				}
			}
		}
	})
	b.Run("many producers", func(b *testing.B) {
		var q queue.Owner[int]
		sum := 0 // the owner's
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if !q.Enqueue(1) {
					continue
				}
				for isEmpty := false; !isEmpty; {
					sum += q.Peek()
					_, isEmpty = q.Dequeue()
				}
			}
		})
		if sum != b.N {
			b.Errorf("received %d items, want %d", sum, b.N)
		}
	})
}
