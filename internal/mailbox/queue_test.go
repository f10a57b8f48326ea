package mailbox_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	"github.com/freerun-go/freerun/internal/mailbox"
)

// A printer prints one document after another: the goroutine that finds its mailbox idle prints
// until there is nothing more to print, and the others leave their documents there and go on.
func ExampleQueue() {
	type document struct {
		mailbox.Node // first: a pointer to the node is a pointer to the document
		pages        int
	}
	var printer mailbox.Queue
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
	var m mailbox.Queue
	var model []int
	owned, next := false, 0
	enqueue := func(count int) {
		t.Helper()
		for range count {
			if idle := m.Enqueue(&(&parcel{number: next}).Node); idle == owned {
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
			if n == nil || parcelOf(n).number != model[0] {
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

// TestMailboxReusable holds the rule of when a node may be enqueued again: at once if Reusable says
// so, and in any case after the Dequeue that follows.
func TestMailboxReusable(t *testing.T) {
	var m, other mailbox.Queue
	var items [4]parcel
	for i := range items {
		items[i].number = i
		m.Enqueue(&items[i].Node)
	}
	for i := range items {
		n := m.Dequeue()
		if parcelOf(n) != &items[i] {
			t.Fatalf("Dequeue = %d, want %d", parcelOf(n).number, i)
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
		if n == nil || parcelOf(n) != &items[i] {
			t.Fatalf("the reused node %d did not come again", i)
		}
		if i == 0 {
			// The call after the one that handed it out has returned.
			if !other.Enqueue(&items[3].Node) {
				t.Fatal("an unused mailbox is not idle")
			}
		}
	}
	if m.Dequeue() != nil || parcelOf(other.Dequeue()) != &items[3] || other.Dequeue() != nil {
		t.Fatal("the mailboxes are not as empty as they should be")
	}
}

// TestMailboxStampede lets goroutines enqueue at the same instant on an idle mailbox: exactly one
// must become the owner.
func TestMailboxStampede(t *testing.T) {
	const rounds, goroutines = 2_000, 6
	for round := range rounds {
		var m mailbox.Queue
		var items [goroutines]parcel
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

// TestMailboxStress sends items of several producers through one mailbox. An idle mailbox is
// drained on the spot or handed on to a pool of goroutines, and after a few items it is handed on
// again. There must be one owner at a time, and each producer's items must come once and in order,
// though their nodes are used again as soon as the rule allows.
func TestMailboxStress(t *testing.T) {
	const producers, pool, each, budget, nodes = 4, 2, 60_000, 8, 16
	var m mailbox.Queue
	var working atomic.Int32
	last := [producers]int{-1, -1, -1, -1}   // the owner's: the race detector watches
	free := make([]chan *parcel, producers)  // items that their producer may send again
	runQueue := make(chan *mailbox.Queue, 1) // one slot: there is one owner to put it there
	done, taken := make(chan struct{}), 0    // taken is the owner's
	handle := func(it *parcel) (all bool) {
		if n := working.Add(1); n != 1 {
			t.Errorf("%d owners at work", n)
		}
		if it.number != last[it.producer]+1 {
			t.Errorf("producer %d: number %d came after %d", it.producer, it.number, last[it.producer])
		}
		last[it.producer] = it.number
		taken++
		all = taken == producers*each
		working.Add(-1) // before the next Dequeue, which may appoint another owner
		return all
	}
	drain := func() {
		var before *parcel
		for range budget {
			n := m.Dequeue()
			if before != nil {
				free[before.producer] <- before
				before = nil
			}
			if n == nil {
				return
			}
			before = parcelOf(n)
			if handle(before) {
				close(done)
			}
		}
		if !m.Reusable(&before.Node) {
			// The node is in use until the next Dequeue: leave it to the collector.
			before = &parcel{producer: before.producer}
		}
		free[before.producer] <- before
		select {
		case runQueue <- &m:
		default:
			t.Error("the mailbox was on the run queue twice")
		}
	}
	var all sync.WaitGroup
	for range pool {
		all.Go(func() {
			for {
				select {
				case <-runQueue:
					drain()
				case <-done:
					return
				}
			}
		})
	}
	for producer := range producers {
		free[producer] = make(chan *parcel, nodes)
		for range nodes {
			free[producer] <- &parcel{producer: producer}
		}
	}
	for producer := range producers {
		all.Go(func() {
			for i := range each {
				it := <-free[producer]
				it.number = i
				if !m.Enqueue(&it.Node) {
					continue
				}
				if i%3 == 0 {
					drain()
				} else {
					runQueue <- &m
				}
			}
		})
	}
	all.Wait()
	// done was closed by an owner that goes on, and may have handed the mailbox on.
	for n := m.Dequeue(); n != nil; n = m.Dequeue() {
		t.Errorf("number %d of producer %d was left", parcelOf(n).number, parcelOf(n).producer)
	}
	for producer, number := range last {
		if number != each-1 {
			t.Errorf("producer %d: the last number was %d, want %d", producer, number, each-1)
		}
	}
}

// TestMailboxHandover has goroutines that drain what they find, so that the mailbox is given up as
// often as it is enqueued to: an item that comes at the instant of giving up must not be lost, and
// must have an owner.
func TestMailboxHandover(t *testing.T) {
	const goroutines, each = 2, 400_000
	var m mailbox.Queue
	var ready atomic.Int32
	taken := 0 // the owner's
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			parcels := make([]parcel, each)
			for ready.Add(1); ready.Load() < goroutines; {
				runtime.Gosched()
			}
			for i := range parcels {
				if m.Enqueue(&parcels[i].Node) {
					for m.Dequeue() != nil {
						taken++
					}
				}
			}
		})
	}
	all.Wait()
	if taken != goroutines*each {
		t.Errorf("%d came out, want %d", taken, goroutines*each)
	}
}

// TestMailboxRetainsNothing holds that an idle mailbox keeps no node alive, and that a node kept by
// its user does not keep alive those that were behind it.
func TestMailboxRetainsNothing(t *testing.T) {
	var m mailbox.Queue
	var gone []weak.Pointer[parcel]
	send := func(count int) {
		for range count {
			it := &parcel{}
			gone = append(gone, weak.Make(it))
			m.Enqueue(&it.Node)
		}
	}
	send(20)
	kept := m.Dequeue()
	gone = gone[1:]
	for range 10 {
		m.Dequeue()
	}
	send(5)
	for m.Dequeue() != nil {
	}
	for range 3 { // a weak pointer is cleared in the cycle after the last reference went
		runtime.GC()
	}
	for i, w := range gone {
		if w.Value() != nil {
			t.Errorf("node %d is kept alive", i)
		}
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(&m)
}

func BenchmarkMailbox(b *testing.B) {
	b.Run("empty", func(b *testing.B) {
		var m mailbox.Queue
		var it parcel
		for b.Loop() {
			m.Enqueue(&it.Node)
			m.Dequeue()
			m.Dequeue()
		}
	})
	b.Run("batch", func(b *testing.B) {
		var m mailbox.Queue
		var items [64]parcel
		for b.Loop() {
			for i := range items {
				m.Enqueue(&items[i].Node)
			}
			for m.Dequeue() != nil {
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(items)), "ns/node")
	})
}

// TestMailboxInPieces enqueues much more than a dequeue may touch, again and again, and more while
// that is brought into order: it takes as many calls as it must, and all comes out in order. Nodes
// that were handed out are used again in the meantime.
func TestMailboxInPieces(t *testing.T) {
	const rounds, batch, most = 50, 100, 7
	var m mailbox.Queue
	var spare []*parcel
	sent, got, calls := 0, 0, 0
	send := func() {
		p := &parcel{}
		if n := len(spare); n > 0 {
			p, spare = spare[n-1], spare[:n-1]
		}
		p.number = sent
		sent++
		m.Enqueue(&p.Node)
	}
	var last *parcel // may be used again after the next call
	for range rounds {
		for range batch {
			send()
		}
		for range batch {
			n, later := m.DequeueWithin(most)
			if last != nil {
				spare = append(spare, last)
				last = nil
			}
			if later {
				if calls++; m.GiveUp() {
					t.Fatal("given up while mail is brought into order")
				}
				send()
				continue
			}
			if n == nil {
				break
			}
			p := (*parcel)(unsafe.Pointer(n))
			if p.number != got {
				t.Fatalf("number %d came, want %d", p.number, got)
			}
			got++
			last = p
		}
	}
	for n := m.Dequeue(); n != nil; n = m.Dequeue() {
		if p := (*parcel)(unsafe.Pointer(n)); p.number != got {
			t.Fatalf("number %d came, want %d", p.number, got)
		}
		got++
	}
	if got != sent || calls < rounds {
		t.Errorf("%d of %d came, %d calls were put off", got, sent, calls)
	}
}
