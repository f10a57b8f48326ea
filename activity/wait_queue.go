package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     the list is R. Treiber's stack, 1986, taken whole. The server is appointed as in L.
//             Quirk, Ownership of a queue for practical lock-free scheduling, 2008: it is the
//             caller that finds no server. Ours: the two together, and how waiters that gave up
//             are cleared away
// Sketch:     arrivals ─→ w5 ─→ w4          oldest ─→ w1 ─→ w2 ─→ w3 ─→ nil
//             enter: CAS(service: atRest→serving): move the arrivals behind, then w; make rounds
//                    else: CAS(arrivals: → w → …); serve
//             serve: CAS(service: atRest→serving): make rounds
//                    else: swap(service: asked) was not atRest: the server makes one more round
//                    else: service = serving; make rounds
//             round: move the arrivals behind, oldest first; the admitter admits
//                    CAS(service: serving→atRest), or service = serving and again
// Invariants: I1 there is at most one server.
//             I2 a round begins after the last call of serve, or is going to. So a caller that
//             changes what the admitter decides by, and then calls serve, need not look at the
//             queue; and a caller that enters the queue need not check its condition again: the
//             round does.
//             I3 a waiter leaves the queue before it is granted.
//             NOT invariant: that all waiters in the queue still wait.
// Progress:   enter and serve are lock-free, and never wait for each other. A server that stalls
//             delays the waiters, not the callers that need not wait.
// Publish:    oldest, newest and the links behind are written before service is atRest, and read
//             after the next swap
// ABA/memory: the stack is only ever taken whole. A waiter that was interrupted is in the queue
//             until a round drops it: when it is collected, or comes first, or when more than half
//             of the queue has left. So the queue holds at most about twice as many as wait.
// Cost:       enter and serve two CAS each if there is no server; no allocation
// Checked by: TestExploreWaitQueue…, and the tests of all that is built on it

// waitQueue holds waiters in the order of arrival, for an admitter that admits them in that order.
// The zero value is empty.
type waitQueue struct {
	arrivals atomics.Pointer[mailbox.Node] // newest first
	service  atomics.Uint32
	gone     atomics.Uint32 // about how many waiters have left since the last clear

	// of the server
	size           atomics.RelaxedUint64 // how many waiters the list from oldest has
	oldest, newest atomics.Plain[*mailbox.Node]
}

// The states of service.
const (
	atRest  uint32 = iota
	serving        // a server makes a round
	asked          // the server is to make one more round
)

// admitter decides which waiters of a queue need not wait any longer.
type admitter interface {
	// admit looks at the head of the queue, and pops and grants waiters that need not wait any
	// longer. The server calls it.
	admit(l *waitQueue)
}

// queuePoint is the wait point of a waiter in a queue.
type queuePoint interface {
	waitPoint
	admitter
}

// ahead is the bit of a waiter's tag that puts it in front of all others.
const ahead uint64 = 1 << 63

// wait waits in the queue until the admitter admits the caller. A caller that gives up serves the
// queue, since waiters behind it may have to be admitted.
func (l *waitQueue) wait(ctx context.Context, tag uint64, k queuePoint) error {
	admitted := false
	defer func() {
		if !admitted {
			l.gone.Add(1)
			l.serve(k)
		}
	}()
	var err error
	if a := callerIn(ctx); a != nil {
		err = a.waitHere(tag, k, nil)
	} else {
		err = waitElsewhere(ctx, tag, k)
	}
	admitted = err == nil
	return err
}

// enter puts w into the queue, and serves it.
func (l *waitQueue) enter(w *Waiter, k admitter) { l.serveAs(l.put(w), k) }

// put puts w into the queue, and reports whether the caller is the server now. The caller passes
// that on to serveAs.
func (l *waitQueue) put(w *Waiter) (serves bool) {
	if l.begin() {
		l.collect()
		l.append(w)
		return true
	}
	l.join(w)
	return false
}

// join puts w among the arrivals. The caller then calls serve.
func (l *waitQueue) join(w *Waiter) {
	for {
		newest := l.arrivals.Load()
		w.node.Link(newest)
		if l.arrivals.CompareAndSwap(newest, &w.node) {
			return
		}
	}
}

// serve has the admitter admit the waiters that need not wait any longer: by the caller, or by the
// present server.
func (l *waitQueue) serve(k admitter) { l.serveAs(l.begin(), k) }

// serveAs is serve by a caller that may be the server already.
func (l *waitQueue) serveAs(server bool, k admitter) {
	if !server {
		if l.service.Swap(asked) != atRest {
			return
		}
		l.service.Store(serving)
	}
	for {
		l.collect()
		if uint64(l.gone.Load()) > l.size.Load()/2 {
			l.clear()
		}
		k.admit(l)
		if l.service.CompareAndSwap(serving, atRest) {
			return
		}
		l.service.Store(serving)
	}
}

// begin makes the caller the server, if there is none. It reports whether it did.
func (l *waitQueue) begin() bool {
	return l.service.Load() == atRest && l.service.CompareAndSwap(atRest, serving)
}

// collect moves the arrivals into the list. Only the server calls it.
func (l *waitQueue) collect() {
	if l.arrivals.Load() == nil {
		return
	}
	for n := reversed(l.arrivals.Swap(nil)); n != nil; {
		w := waiterOf(n)
		n = n.Next()
		l.append(w)
	}
}

// append puts w into the list: in front if its tag says so, and otherwise behind. It drops a waiter
// that does not wait any more. Only the server calls it.
func (l *waitQueue) append(w *Waiter) {
	w.node.Link(nil)
	switch oldest := l.oldest.Get(); {
	case w.isOver():
		return
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

// head returns the first waiter that still waits, nil if there is none. Only the server calls it.
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

// pop takes the head out of the queue. Only the server calls it.
func (l *waitQueue) pop() {
	n := l.oldest.Get()
	l.oldest.Set(n.Next())
	n.Link(nil)
	l.size.Store(l.size.Load() - 1)
}

// clear drops all waiters that do not wait any more. Only the server calls it.
func (l *waitQueue) clear() {
	l.gone.Store(0) // before: waiters that leave from now on count for the next time
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

// lazyWaitQueue allocates a queue with the first wait, so that a lock without waiters is small.
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
