package activity

import (
	"context"
	"runtime"

	"github.com/freerun-go/freerun/internal/sched"
)

// Gate is a broadcast for tests.
type Gate struct{ broadcast }

func NewGate() *Gate { return new(Gate) }

func (g *Gate) Wait(ctx context.Context) error { return g.wait(ctx) }
func (g *Gate) Open()                          { g.open() }

// Sleeps reports whether an activity waits.
func (a *Activity) Sleeps() bool {
	st := a.stack.Load()
	return st != nil && !st.waiter.Load().isOver()
}

// Begun returns the names of the activities of a scheduler that have begun and not ended; that of
// the function of one without a name is "".
func Begun(s *sched.Scheduler) []string {
	var names []string
	eachBegun(s, func(_ uintptr, title *string) {
		if title == nil {
			title = new(string)
		}
		names = append(names, *title)
	})
	return names
}

// Waits returns how many waiters are in the queue of in, those included that have given up and were
// not dropped yet. It is 0 while the queue is being served, so that a test never sees a waiter that
// could still be overtaken: one that is counted, and that the admitter has not looked at yet.
func Waits(in any) int {
	var l *waitQueue
	switch in := in.(type) {
	case *Mutex:
		l = in.queue.p.Load()
	case *FairMutex:
		l = in.q.queue.p.Load()
	case *RWMutex:
		l = in.q.queue.p.Load()
	case *Semaphore:
		l = in.q.queue.p.Load()
	case *Cond:
		l = &in.queue
	case *counter:
		l = in.queue.p.Load()
	case *waitQueue:
		l = in
	}
	if l == nil {
		return 0
	}
	if l.service.Load() != atRest {
		return 0
	}
	return int(l.size.Load())
}

// Room and Items return the queues in which senders and receivers of a mailbox wait.
func (m *Mailbox[T]) Room() any  { return &m.tail.queue }
func (m *Mailbox[T]) Items() any { return &m.head.queue }

// Unused reports whether a lock is as if it had never been used: it is not held and has no
// waiters.
func Unused(in any) bool {
	switch in := in.(type) {
	case *Mutex:
		return in.state.Load() == 0
	case *FairMutex:
		return in.q.state.Load() == 0
	case *RWMutex:
		return in.q.state.Load() == 0
	case *Semaphore:
		return in.q.state.Load() == (whole-in.size)*one
	}
	return false
}

// Awaiting returns the number of callers that await a condition. Entrance returns the counter at
// which callers wait to enter the monitor.
func (m *Monitor) Awaiting() int {
	for !m.TryEnter() {
		runtime.Gosched()
	}
	n := len(m.awaiting)
	m.inside.Store(0)
	m.q.tryGive(whole, 0, whole)
	return n
}
func (m *Monitor) Entrance() any { return &m.q }

// InBroadcast returns how many waiters are in a broadcast, those included that have given up. No
// other call may use the broadcast meanwhile.
func InBroadcast(of any) (n int) {
	var c *broadcast
	switch of := of.(type) {
	case *Event:
		c = of.broadcast()
	case *Latch:
		c = &of.broadcast
	case *Barrier:
		c = &of.present.Load().broadcast
	case *Activity:
		c = &of.ends
	}
	for w := c.newest.Load(); w != nil && w != &opened; w = w.Next() {
		n++
	}
	return n
}

// Left returns how many calls of CountDown are missing.
func (l *Latch) Left() int { return int(l.left.Load()) }

// RLocker returns m as a Locker for reading.
func (m *RWMutex) RLocker() Locker { return (*readLocker)(m) }

type readLocker RWMutex

func (r *readLocker) Lock(ctx context.Context) error { return (*RWMutex)(r).RLock(ctx) }
func (r *readLocker) Unlock()                        { (*RWMutex)(r).RUnlock() }
func (r *readLocker) isLocked() bool                 { return used(r.q.state.Load()) != 0 }

// YieldMidway yields as an activity does that was preempted.
func (a *Activity) YieldMidway() {
	st := a.own("YieldMidway")
	st.yieldMidway()
}

// BlockMidway calls fn as an activity does that blocks unaware.
func (a *Activity) BlockMidway(fn func()) {
	st := a.own("BlockMidway")
	st.depart(st.co.Processor())
	fn()
	st.rejoinMidway()
}
