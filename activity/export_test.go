package activity

import (
	"context"
	"runtime"
)

// Gate is a crowd for tests.
type Gate struct{ broadcast }

func NewGate() *Gate { return new(Gate) }

func (g *Gate) Wait(ctx context.Context) error { return g.wait(ctx) }
func (g *Gate) Open()                          { g.open() }

// Sleeps reports whether an activity waits.
func (a *Activity) Sleeps() bool {
	st := a.stack.Load()
	return st != nil && !st.waiter.Load().isOver()
}

// Waits returns how many are in line for something, those included who have given up and were not passed yet. It is 0 while the line is served: who has
// entered it is counted before the keeper knows of it, and could be overtaken until then.
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
	n := int(l.size.Load())
	if l.service.Load() != atRest {
		return 0
	}
	return n
}

// Room and Items are what those who wait at a mailbox wait for.
func (m *Mailbox[T]) Room() any  { return &m.tail.queue }
func (m *Mailbox[T]) Items() any { return &m.head.queue }

// Unused reports whether a lock is as if nobody had ever used it: nobody holds it, and nobody waits.
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

// Awaiting returns how many await a condition; Door is what those who want to enter wait for.
func (m *Monitor) Awaiting() int {
	for !m.TryEnter() {
		runtime.Gosched()
	}
	n := len(m.awaiting)
	m.inside.Store(0)
	m.q.tryGive(whole, 0, whole)
	return n
}
func (m *Monitor) Door() any { return &m.q }

// Crowd returns how many are in the crowd of something that nobody uses now, those included who have given up.
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
