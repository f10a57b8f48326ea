package freerun

import "github.com/freerun-go/freerun/internal/promise"

// Ordinary goroutines wait for a future on a channel. The future itself has no room for one: few
// futures are ever waited for from outside. The channel is in the future's audience. So all
// goroutines that wait for one future share a channel, those that give up leave nothing behind,
// and the end of the runtime finds them.

// always is the closed channel of all futures that have an outcome.
var always = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// doneChannel returns the channel that is closed once m has an outcome.
func (m *promised) doneChannel() <-chan struct{} {
	if !m.Open() {
		return always
	}
	rt := m.unit.rt
	s := rt.audiences.lock(m)
	a := s.of[m]
	if a == nil || a.closed == nil {
		s.unlock()
		fresh, closed := &audience{future: m}, make(chan struct{})
		fresh.become(audienceVtable)
		fresh.unit = m.unit
		s.lock()
		if a = s.of[m]; a == nil {
			if !s.enter(fresh) {
				s.unlock()
				return always
			}
			a = fresh
		}
		if a.closed == nil {
			a.closed = closed
		}
	}
	channel := a.closed
	s.unlock()
	if rt.phase.Load() == ended {
		m.abandon()
	}
	return channel
}

// closeWithScope watches the scope of m: if it is canceled before m has begun, the channel that
// done has made for m is closed, soon after, by a goroutine of package context.
func (m *promised) closeWithScope() {
	x := m.scope()
	if x == nil {
		return
	}
	s := x.rt.audiences.lock(m)
	a := s.of[m]
	watched := a == nil || a.stop != nil
	s.unlock()
	if watched {
		return
	}
	stop := x.rt.env.afterCancel(x, func() { m.closedNow() })
	s.lock()
	if s.of[m] == a && a.stop == nil {
		a.stop, stop = stop, nil
	}
	s.unlock()
	if stop != nil { // m is closed, or another goroutine was first
		stop()
	}
}

// outcomeNow is outcome, except that two kinds of open futures get an outcome first: futures of a
// runtime that has ended, and futures of a canceled scope whose message has not begun. So neither
// the end nor the canceler need find all open futures: the asker closes the one that it asks for.
func (m *promised) outcomeNow() (closed bool, err error) {
	closed, err = m.Outcome()
	if closed {
		return closed, err
	}
	if m.unit.rt.phase.Load() == ended {
		m.abandon()
	} else {
		m.revokeCanceled()
	}
	return m.Outcome()
}

func (m *promised) closedNow() bool {
	closed, _ := m.outcomeNow()
	return closed
}

// reached implements condition.
func (m *promised) reached() bool { return m.closedNow() }

// abandon closes m because its runtime has ended, and counts m as failed. The holder of the
// message finds it sealed, and takes its own count back. Any goroutine may call it.
func (m *promised) abandon() {
	if w := m.unit.rt.detachedWorker(); m.seal(w, &promise.Abandoned) {
		w.countFailed(m.unit.rt, ErrClosed, 1)
	}
}
