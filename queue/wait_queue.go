package queue

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
)

// Source:     ours. Arrivals are the list of R. K. Treiber, 1986, taken whole. The goroutine that
//             raises a counter from zero does the work of all that find it raised: L. Quirk,
//             Ownership of a queue for practical lock-free scheduling, 2008.
// Sketch:     join:   waiting++; push to arrived
//             cancel: CAS(state: waiting→cancelled); waiting--
//             signal: r := requests += 1; if r was 0, serve until requests is 0:
//                     take the arrivals; give each signal to the first of requeued, and then of
//                     fresh, whose CAS(state: waiting→signaled) succeeds; waiting--; unpark it
// Invariants: I1 waiting is at least the number of waiters in the state waiterWaiting.
//             I2 A waiter leaves that state once per join, and gets a token if it becomes signaled.
//             I3 requeued, fresh and the links of the waiters in them belong to the server: the
//                caller that raised requests from zero.
//             I4 cancelled is the number of listed waiters that no longer wait, except beside a
//             cancel or a server between two steps.
//             NOT invariant: that a signal wakes a goroutine. It is lost if none waits.
// Progress:   join, cancel and signal are lock-free. A server that stalls delays the wake-ups of
//             the signals that it has taken over, as a lock would, but delays none of the callers.
// Linearize:  join at its push; signal where the server's CAS of a waiter succeeds or the server
//             finds no waiter; cancel at its CAS
// Publish:    waiter.next before the CAS of arrived, read after the swap; requeued and fresh before
//             requests falls to zero, read after the next server raised it. A waiter that has its
//             token sees the writes of the caller of signal before the signal.
// ABA/memory: arrived is only pushed to and taken whole. A waiter may be used again once it was
//             signaled and has had its token, or when the server takes it out as cancelled.
//             Cancelled waiters in the lists are at most as many as those that wait, and sweepAbove
//             more.
// Cost:       join 2 read-modify-writes, cancel 2, signal 5; in the long run nothing is allocated
// Checked by: TestWaitersQuitSwept, TestExploreWaitersQuit, TestExploreWaiting…

// waitQueue is where goroutines wait for a condition, first come, first served. A goroutine that
// waits joins, looks again, and then parks. A goroutine that makes the condition true does so
// first, then looks whether any goroutine waits, and signals. So one of the two sees the other. The
// zero value is empty.
type waitQueue struct {
	waiting atomics.Int32 // what signalers look at; see I1
	toAll   atomics.Bool  // from now on each signal wakes all

	arrived   atomics.Pointer[waiter] // newest first
	requests  atomics.Uint64          // not served yet: signals in the upper half, all in the lower
	cancelled atomics.Int32

	requeued waiterList // the server's: waiters that were woken in vain before
	fresh    waiterList // the server's: the others

	spare spares[waiter]
}

// waiter is the place of one goroutine. Its parker gets a token each time the waiter is signaled.
type waiter struct {
	next     atomics.Plain[*waiter] // the pusher's until it is listed, then the server's
	state    atomics.Uint32
	parker   *park.Parker
	requeued bool // was woken in vain: the goroutine's until it is listed, then constant
}

// newWaiter returns a waiter that is in no list and has no token.
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
	waiterSignaled         // no longer listed
	waiterCancelled        // still listed, and gets no token
)

// spinTurns is how many turns of [backoff.Backoff.Wait] a goroutine that has to wait stays awake:
// one pause, enough for a peer that is in the middle of its call. Longer pays where processors are
// idle, and where they are not costs the peer that is waited for: with three turns a rendezvous on
// two busy processors took 1.5 times the processor time.
const spinTurns = 1

const (
	oneRequest = 1
	oneSignal  = 1<<32 | oneRequest
	// sweepAbove is how many more cancelled than waiting waiters the lists may hold before a sweep.
	sweepAbove = 16
)

// anyWaiting reports whether a signal might wake a goroutine. Any goroutine.
func (q *waitQueue) anyWaiting() bool { return q.waiting.Load() != 0 }

// join lists n, which must be new, or have been signaled and have had its token. Before it parks,
// the caller looks once more for the item or the room that it waits for.
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

// await calls attempt until it returns true. Between attempts it parks until it is signaled or ctx
// ends. It returns the cause of ctx in the last case, and nil otherwise. The last attempt before it
// parks is made while it is listed.
//
// With propagate, one signal may stand for several places or items that became available at once: a
// woken waiter that succeeds signals the next one, until a waiter is woken in vain.
func (q *waitQueue) await(ctx context.Context, propagate bool, attempt func() bool) error {
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
			if !q.cancel(n) && propagate {
				q.propagate()
			}
			return nil
		}
		if err := n.parker.ParkContext(ctx); err != nil {
			if !q.cancel(n) {
				q.signal() // the signal that came too late goes to another waiter
			}
			return err
		}
		if attempt() {
			q.spare.put(n)
			if propagate {
				q.propagate()
			}
			return nil
		}
	}
}

// propagate wakes the next waiter.
func (q *waitQueue) propagate() {
	if q.anyWaiting() {
		q.signal()
	}
}

// cancel withdraws a waiter that has joined. It reports false if the waiter has been signaled: its
// token has come or is on its way, and the caller of cancel has the signal. In both cases the
// waiter must not be used again.
func (q *waitQueue) cancel(n *waiter) bool {
	if !n.state.CompareAndSwap(waiterWaiting, waiterCancelled) {
		return false
	}
	waiting := q.waiting.Add(-1)
	if q.cancelled.Add(1) > waiting+sweepAbove {
		q.request(oneRequest)
	}
	return true
}

// signal wakes the first waiter, or all of them after broadcast. Any goroutine.
func (q *waitQueue) signal() { q.request(oneSignal) }

// broadcast wakes all waiters, and makes every later signal do the same. Any goroutine.
func (q *waitQueue) broadcast() {
	q.toAll.Store(true)
	q.request(oneSignal)
}

// request leaves work to the server, which may be the caller.
func (q *waitQueue) request(what uint64) {
	todo := q.requests.Add(what)
	if todo != what {
		return // the server does not stop before it has seen this request
	}
	for todo != 0 {
		q.serve(todo >> 32)
		todo = q.requests.Add(-todo)
	}
}

// serve gives out a number of signals, calls, and sweeps if many waiters were cancelled. Server
// only.
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

// admit appends the waiters that have arrived to their lists. Server only.
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

// signalFirst signals the first waiter that still waits, and reports whether there was one. Server
// only.
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

// sweep takes the cancelled waiters out of l. Server only.
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
