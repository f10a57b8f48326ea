package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/queue"
)

// Source:     the list is R. Treiber's stack, 1986, taken whole; who serves it is appointed as in L. Quirk, Ownership of a queue for practical lock-free
//             scheduling, 2008: who finds nobody at it. Ours: the two together, and how those who gave up are cleared away
// Sketch:     arrivals ─→ w5 ─→ w4          oldest ─→ w1 ─→ w2 ─→ w3 ─→ nil
//             enter:  CAS(arrivals: → w → …); serve
//             serve:  if swap(service: asked) was not at rest: somebody serves, and will go round once more
//                     else: service = serving; arrivals go behind, oldest first; the keeper admits; CAS(service: serving→at rest), or again
// Invariants: I1 one at a time serves. I2 a round begins after the last call of serve, or is going to. So who changes what the keeper admits by, and then calls
//             serve, need not look at the line, and who enters it need not look again: the round does. I3 a waiter leaves the line before it is granted.
//             NOT invariant: that all in the line wait still.
// Progress:   enter and serve are lock-free, and never wait for each other; but one who stalls while it serves delays those who wait, not those who need not.
// Publish:    oldest, newest and the links behind are written before service is at rest, and read after the next swap
// ABA/memory: the stack is only ever taken whole. A waiter that was interrupted is in the line until a round: it is dropped when it is collected, or comes
//             first, or when more than half of the line has left; so the line holds at most about twice as many as wait.
// Cost:       enter one CAS, and serve; serve one swap, one store and one CAS if nobody else serves; no allocation
// Checked by: TestExploreLine…, and the tests of all that is built on it

// line is where waiters stand in a row, for a keeper that admits them in that order. The zero value is empty.
type waitQueue struct {
	arrivals atomics.Pointer[queue.Node] // newest first
	service  atomics.Uint32
	gone     atomics.Int32 // how many have left, about, since they were last cleared away
	size     atomics.Int32 // how many are behind oldest; written by who serves

	oldest, newest atomics.Plain[*queue.Node] // who serves
}

// The states of service.
const (
	atRest  uint32 = iota
	serving        // somebody goes round
	asked          // and is to do so once more
)

// keeper is what a line is for.
type admitter interface {
	// admit looks at the head of the line, and pops and grants those who need not wait any longer. It is called by who serves.
	admit(l *waitQueue)
}

// keptPlace is where one waits in a line.
type queuePoint interface {
	waitPoint
	admitter
}

// ahead is the bit of a waiter's tag for one who goes in front of all others.
const ahead uint64 = 1 << 63

// wait waits in the line until its keeper admits the caller. When it returns an error, or ends the caller's goroutine, others behind may have to be admitted.
func (l *waitQueue) wait(ctx context.Context, tag uint64, k queuePoint) error {
	admitted := false
	defer func() {
		if !admitted {
			l.gone.Add(1)
			l.serve(k)
		}
	}()
	err := waitIn(ctx, tag, k)
	admitted = err == nil
	return err
}

// join puts w into the line. It is followed by serve.
func (l *waitQueue) join(w *Waiter) {
	for {
		newest := l.arrivals.Load()
		w.node.Link(newest)
		if l.arrivals.CompareAndSwap(newest, &w.node) {
			return
		}
	}
}

// serve has the keeper admit whoever need not wait any longer: by the caller, or by who serves already.
func (l *waitQueue) serve(k admitter) {
	if l.service.Swap(asked) != atRest {
		return
	}
	for {
		l.service.Store(serving)
		l.collect()
		if l.gone.Load() > l.size.Load()/2 {
			l.clear()
		}
		k.admit(l)
		if l.service.CompareAndSwap(serving, atRest) {
			return
		}
	}
}

// collect brings those who have arrived into the row. Who serves only.
func (l *waitQueue) collect() {
	if l.arrivals.Load() == nil {
		return
	}
	for n := reversed(l.arrivals.Swap(nil)); n != nil; {
		w := waiterOf(n)
		n = n.Next()
		w.node.Link(nil)
		switch oldest := l.oldest.Get(); {
		case w.isOver():
			continue
		case oldest == nil:
			l.oldest.Set(&w.node)
			l.newest.Set(&w.node)
		case w.Tag&ahead != 0:
			w.node.Link(oldest)
			l.oldest.Set(&w.node)
		default:
			l.newest.Get().Link(&w.node)
			l.newest.Set(&w.node)
		}
		l.size.Add(1)
	}
}

// head returns the first who waits, nil if there is none. Who serves only.
func (l *waitQueue) head() *Waiter {
	l.collect()
	for n := l.oldest.Get(); n != nil; n = l.oldest.Get() {
		w := waiterOf(n)
		if !w.isOver() {
			return w
		}
		l.pop()
	}
	return nil
}

// pop takes the head out of the line. Who serves only.
func (l *waitQueue) pop() {
	n := l.oldest.Get()
	l.oldest.Set(n.Next())
	n.Link(nil)
	l.size.Add(-1)
}

// clear takes all out of the line who do not wait any more. Who serves only.
func (l *waitQueue) clear() {
	l.gone.Store(0) // before: who leaves from now on counts for the next time
	n := l.oldest.Get()
	l.oldest.Clear()
	l.size.Store(0)
	for n != nil {
		w := waiterOf(n)
		n = n.Next()
		w.node.Link(nil)
		if w.isOver() {
			continue
		}
		if l.oldest.Get() == nil {
			l.oldest.Set(&w.node)
		} else {
			l.newest.Get().Link(&w.node)
		}
		l.newest.Set(&w.node)
		l.size.Add(1)
	}
}

// lineOnDemand has a line from when somebody waits first, so that what nobody waits for is small.
type lazyWaitQueue struct{ p atomics.Pointer[waitQueue] }

func (d *lazyWaitQueue) get() *waitQueue {
	l := d.p.Load()
	if l == nil {
		l = &waitQueue{}
		if !d.p.CompareAndSwap(nil, l) {
			l = d.p.Load()
		}
	}
	return l
}
