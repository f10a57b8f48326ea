package queue

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
)

// Source:     ours. Arrivals are the list of R. K. Treiber, 1986, taken whole; the rule that who raises a counter from zero does
//             the work of all who find it raised is that of L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008.
// Sketch:     join: standing++; push to arrived                  quit: CAS(state: stands→gone); standing--
//             call: r := requests += 1; if r was 0, serve: until requests is 0, take the arrivals, give the call to the first of
//                   again and then of line whose CAS(state: stands→called) succeeds, standing--, wake it
// Invariants: I1 standing is at least the number of waiters in the state stands. I2 a waiter leaves that state once per join, and gets
//             a token if it becomes called. I3 again, line and the links of what they hold belong to the server: the
//             caller that raised requests from zero. I4 gone is about the number of listed waiters that do not stand.
//             NOT invariant: that a call wakes anybody; it is lost if nobody stands.
// Progress:   join, quit and call are lock-free. A server that stalls delays the wake-ups of the calls that it has taken over, as a
//             lock would, but holds up none of the callers.
// Linearize:  join at its push, call where the server's CAS of a waiter succeeds or it finds no waiter, quit at its CAS
// Publish:    waiter.next before the CAS of arrived, read after the swap; again and line before requests falls to zero, read after
//             the next server raised it; what the caller did before its call is seen by who was called, after the token
// ABA/memory: arrived is only pushed to and taken whole. A waiter may be used again once it was called and has had its token, or when
//             the server takes it out as gone. Listed waiters that do not stand are at most as many as do, and sweepAbove more.
// Cost:       join 2 read-modify-writes, quit 2, call 5; nothing is allocated in the long run
// Checked by: TestWaiters…, TestExploreWaiters…

// waiters is where goroutines stand, first come first served, until somebody calls one of them. Who waits for something joins, looks
// again, and then sleeps; who brings about what is waited for does so first, and then looks whether anybody stands, and
// calls. So one of the two sees the other. The zero value is empty.
type waitQueue struct {
	waiting atomics.Int32 // what callers look at; see I1
	toAll   atomics.Bool  // from now on each call is for all who stand

	arrived   atomics.Pointer[waiter] // newest first
	requests  atomics.Uint64          // calls not served yet, in units of oneSignal, and in all
	cancelled atomics.Int32

	requeued waiterList // the server's: those that were called in vain before
	fresh    waiterList // the server's: the others

	spare spares[waiter]
}

// waiter is one goroutine's place. Its parker gets a token each time it is called.
type waiter struct {
	next     atomics.Plain[*waiter] // the pusher's until it is listed, then the server's
	state    atomics.Uint32
	parker   *park.Parker
	requeued bool // was called and found nothing: the goroutine's until it is listed, then constant
}

// newWaiter returns a waiter that is listed nowhere and has no token.
func (q *waitQueue) newWaiter() *waiter {
	n := q.spare.get()
	if n == nil {
		return &waiter{parker: park.New()}
	}
	n.requeued = false
	return n
}

// The states of a waiter.
const (
	waiterWaiting   uint32 = iota
	waiterSignaled         // is listed no more
	waiterCancelled        // is still listed, and gets no token
)

// spinTurns is how many turns of [backoff.Backoff.Wait] a goroutine that has to wait stays awake: one pause, enough for somebody who is in
// the middle of its call. Longer pays where processors are idle, and costs the one that is waited for where they are not: with
// three turns a rendezvous on two busy processors took half as much processor time again.
const spinTurns = 1

const (
	oneRequest = 1
	oneSignal  = 1<<32 | oneRequest
	// sweepAbove is how many more than those who stand may have gone before they are taken out of the lists.
	sweepAbove = 16
)

// anyWaiting reports whether a call might wake anybody. Any goroutine.
func (q *waitQueue) anyWaiting() bool { return q.waiting.Load() != 0 }

// join lists n, which must be new, or have been called and have had its token. The caller looks again for what it waits for
// before it sleeps.
func (q *waitQueue) join(n *waiter) {
	q.waiting.Add(1)
	n.state.Store(waiterWaiting)
	for {
		newest := q.arrived.Load()
		n.next.Set(newest)
		if q.arrived.CompareAndSwap(newest, n) {
			return
		}
	}
}

// await calls attempt until it returns true, and sleeps while there is no point in calling it: until somebody calls, or ctx ends. It
// returns the cause of ctx in the last case, and nil otherwise. The last attempt before it sleeps is made while it stands.
//
// With relay, a call may stand for more than one thing that came about at once: whoever was called and succeeds passes the call on,
// until somebody is called in vain.
func (q *waitQueue) await(ctx context.Context, relay bool, attempt func() bool) error {
	mustContext(ctx)
	var b backoff.Backoff
	for turn := 0; ; turn++ {
		if attempt() {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if turn == spinTurns || b.Spent() {
			break
		}
		b.Wait()
	}
	for n := q.newWaiter(); ; n.requeued = true {
		q.join(n)
		if attempt() {
			if !q.cancel(n) && relay {
				q.propagate()
			}
			return nil
		}
		if err := n.parker.ParkContext(ctx); err != nil {
			if !q.cancel(n) {
				q.signal() // the one that came too late is for somebody else
			}
			return err
		}
		if attempt() {
			q.spare.put(n)
			if relay {
				q.propagate()
			}
			return nil
		}
	}
}

// propagate calls the next one who stands.
func (q *waitQueue) propagate() {
	if q.anyWaiting() {
		q.signal()
	}
}

// quit withdraws a waiter that has joined. It reports false if the waiter has been called: its token has come or is on its way, and
// the caller of quit has the call. In both cases the waiter must not be used again.
func (q *waitQueue) cancel(n *waiter) bool {
	if !n.state.CompareAndSwap(waiterWaiting, waiterCancelled) {
		return false
	}
	stand := q.waiting.Add(-1)
	if q.cancelled.Add(1) > stand+sweepAbove {
		q.request(oneRequest)
	}
	return true
}

// call wakes the waiter that stands first, or all of them after broadcast. Any goroutine.
func (q *waitQueue) signal() { q.request(oneSignal) }

// broadcast wakes all who stand, and makes every later call do the same. Any goroutine.
func (q *waitQueue) broadcast() {
	q.toAll.Store(true)
	q.request(oneSignal)
}

// request has something done by the server, which may be the caller.
func (q *waitQueue) request(what uint64) {
	todo := q.requests.Add(what)
	if todo != what {
		return // somebody serves, and does not stop before it has seen ours
	}
	for todo != 0 {
		q.serve(todo >> 32)
		todo = q.requests.Add(-todo)
	}
}

// serve gives out a number of calls, and takes out those that have gone if they are many. Server only.
func (q *waitQueue) serve(calls uint64) {
	q.admit()
	if q.toAll.Load() {
		calls = 1<<64 - 1
	}
	for ; calls > 0; calls-- {
		if !q.signalFirst() {
			break
		}
	}
	if q.cancelled.Load() > q.waiting.Load()+sweepAbove {
		q.sweep(&q.requeued)
		q.sweep(&q.fresh)
	}
}

// admit takes those that have arrived to the ends of their lists. Server only.
func (q *waitQueue) admit() {
	if q.arrived.Load() == nil {
		return
	}
	var oldest *waiter
	for n := q.arrived.Swap(nil); n != nil; {
		before := n.next.Get()
		n.next.Set(oldest)
		oldest, n = n, before
	}
	for n := oldest; n != nil; {
		behind := n.next.Get()
		if n.requeued {
			q.requeued.append(n)
		} else {
			q.fresh.append(n)
		}
		n = behind
	}
}

// signalFirst calls the first who stands, and reports whether there was one. Server only.
func (q *waitQueue) signalFirst() bool {
	for {
		n := q.requeued.removeFirst()
		if n == nil {
			n = q.fresh.removeFirst()
		}
		if n == nil {
			return false
		}
		if n.state.CompareAndSwap(waiterWaiting, waiterSignaled) {
			q.waiting.Add(-1)
			n.parker.Unpark()
			return true
		}
		q.cancelled.Add(-1)
		q.spare.put(n)
	}
}

// sweep takes out of l those that have gone. Server only.
func (q *waitQueue) sweep(l *waiterList) {
	n := l.first.Take()
	l.last.Clear()
	for n != nil {
		behind := n.next.Take()
		if n.state.Load() == waiterWaiting {
			l.append(n)
		} else {
			q.cancelled.Add(-1)
			q.spare.put(n)
		}
		n = behind
	}
}

// waiterList is a plain first-in-first-out list of waiters.
type waiterList struct {
	first, last atomics.Plain[*waiter]
}

func (l *waiterList) append(n *waiter) {
	n.next.Set(nil)
	if l.first.Get() == nil {
		l.first.Set(n)
	} else {
		l.last.Get().next.Set(n)
	}
	l.last.Set(n)
}

func (l *waiterList) removeFirst() *waiter {
	n := l.first.Get()
	if n != nil {
		l.first.Set(n.next.Take())
		if l.first.Get() == nil {
			l.last.Clear()
		}
	}
	return n
}
