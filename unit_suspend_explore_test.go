//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// stage is a runtime with one unit. Nothing runs it but the threads that send: a thread that comes
// to own the unit, or queues a message, runs it, by the code for messages after the end of a
// runtime (shutdown.go). A message that is run fails with ErrClosed there, one that is refused with
// another error.
type stage struct {
	r    *explore.Run
	rt   *Runtime
	unit unit
	desk atomics.Plain[int] // only one operation at a time may be there
}

func newStage(r *explore.Run) *stage {
	s := &stage{r: r, rt: &Runtime{draining: make(chan struct{})}}
	s.rt.free.rt, s.rt.outside.rt = s.rt, s.rt
	s.unit.rt, s.unit.Kind = s.rt, unitVtable
	return s
}

// send delivers a message of priority p to the unit, and then runs what the caller has to run.
func (s *stage) send(w *worker, p sched.Priority, m *message) {
	m.unit = &s.unit
	if p != sched.Normal {
		m.lineage.Store(&lineage{key: &contextKey{priority: p}})
	}
	if err := s.unit.deliver(w, m, anySender); err != nil {
		s.r.Failf("refused: %v", err)
	}
	w.discardOrphans()
}

// mail is a message that takes note of its end: how often it has run, and was refused.
type mail struct {
	message
	ran, refused int
}

// newMail returns mail. begins is called when it runs.
func (s *stage) newMail(begins func()) *mail {
	n := &mail{}
	n.become(newVtable(vtable{fail: func(_ *worker, _ *message, err error) {
		if err != ErrClosed {
			n.refused++
			return
		}
		s.desk.Set(s.desk.Get() + 1)
		begins()
		n.ran++
	}}, nil))
	return n
}

// TestExploreSuspend suspends a unit while the future is resolved, the suspension itself is sealed
// by another goroutine, messages come, and the runtime ends: what is sent after the Suspend runs
// after it, once, and the unit goes on, once.
func TestExploreSuspend(t *testing.T) {
	type suspender func(u *unit, w *worker, m *promised, waiter *message) taken
	body := func(suspend suspender, breaks, ends bool) func(*explore.Run) {
		o := suspensionOf[int]()
		return func(r *explore.Run) {
			s := newStage(r)
			f := &result[int]{}
			f.promised.unit = &s.rt.free
			f.promised.become(o.core.sent)
			m := &(&sendMessage[Future[int], int]{}).result.promised
			waiter := &message{}
			m.become(newVtable(vtable{
				stateless: true,
				take:      func(w *worker, u *unit, _ *message) taken { return suspend(u, w, m, waiter) },
				fail: func(w *worker, _ *message, _ error) { // it runs, as a task of its own
					switch {
					case s.rt.phase.Load() >= aborting:
						m.fillFailed(w, ErrClosed)
					case m.Open():
						o.core.settle(w, m, ErrForward, f)
					}
				},
			}, nil))
			behind := s.newMail(func() {
				if m.Open() {
					r.Failf("an operation in the suspension")
				}
			})
			other := s.newMail(func() {})
			r.Go("sender", func() {
				w := s.rt.discarder()
				s.send(w, sched.Normal, &m.message)
				s.send(w, sched.Normal, &behind.message)
			})
			r.Go("resolver", func() {
				w := s.rt.discarder()
				f.promised.fill(w)
				w.discardOrphans()
			})
			if breaks {
				r.Go("breaker", func() {
					w := s.rt.discarder()
					m.seal(w, &promise.Circular)
					w.discardOrphans()
				})
			} else {
				r.Go("other", func() { s.send(s.rt.discarder(), sched.Normal, &other.message) })
			}
			if ends {
				r.Go("end", func() { s.rt.advance(aborting) })
			}
			r.After(func() {
				x := s.unit.ext.Load()
				switch {
				case behind.ran != 1 || !breaks && other.ran != 1:
					r.Failf("the messages ran %d and %d times", behind.ran, other.ran)
				case m.Open() || x != nil && x.still.Load() != nil || s.unit.mailbox.Newest() != nil:
					r.Failf("the unit is left suspended, or owned")
				}
				for range s.rt.suspended.Range {
					r.Failf("the runtime keeps the unit")
				}
			})
		}
	}
	explore.Exhaustive(t, 3, body((*unit).suspend, false, false))
	explore.Exhaustive(t, 2, body((*unit).suspend, true, false))
	explore.Exhaustive(t, 2, body((*unit).suspend, false, true))
	// A control: the owner looks whether the suspension is open, and then leaves the unit, whether
	// or not the waiter is in the list. The resume is lost.
	explore.MustFail(t, 3, body(func(u *unit, w *worker, m *promised, waiter *message) taken {
		x := u.extend()
		if !m.Open() {
			return onward
		}
		if !x.lieStill(m, waiter) {
			x.still.Store(m)
		}
		w.hand(u.rt, &m.Task)
		return gone
	}, true, false))
	// A control: the owner goes on if the suspension has an outcome once it has put the waiter into
	// the list, as whoever wakes the waiter does. The unit is resumed twice.
	explore.MustFail(t, 3, body(func(u *unit, w *worker, m *promised, waiter *message) taken {
		if !u.extend().lieStill(m, waiter) || !m.Open() {
			return onward
		}
		w.hand(u.rt, &m.Task)
		return gone
	}, true, false))
	// A control: the unit does not lie still.
	explore.MustFail(t, 3, body(func(u *unit, w *worker, m *promised, _ *message) taken {
		w.hand(u.rt, &m.Task)
		return onward
	}, false, false))
}

// TestExploreRetire retires a unit while messages of two priorities come, and a Stop: each message
// has run before the state was given back, or is refused; none is lost. A message that was sent
// before the look is in the state, or the unit is not retired.
func TestExploreRetire(t *testing.T) {
	end := func(x *stage) { x.unit.endStopped(x.unit.extend(), &StoppedError{}) }
	body := func(retire func(s *stage, w *worker) bool, stops bool) func(*explore.Run) {
		return func(r *explore.Run) {
			s := newStage(r)
			retired, ran := false, 0
			var sent atomics.Int32
			begins := func() {
				if retired {
					r.Failf("an operation after the state was given back")
				}
				ran++
			}
			retirement, stop := &mail{}, &mail{}
			retirement.become(newVtable(vtable{fail: func(w *worker, _ *message, err error) {
				if err != ErrClosed {
					retirement.refused++
					return
				}
				s.desk.Set(s.desk.Get() + 1)
				retirement.ran++
				before, done := int(sent.Load()), ran
				if retired = retire(s, w); retired && done < before {
					r.Failf("retired with %d of %d messages run", done, before)
				}
			}}, nil))
			stop.become(newVtable(vtable{stateless: true, fail: func(*worker, *message, error) { end(s); stop.ran++ }}, nil))
			mails := []*mail{s.newMail(begins), s.newMail(begins), s.newMail(begins)}
			r.Go("owner", func() {
				w := s.rt.discarder()
				s.send(w, sched.Normal, &mails[0].message)
				sent.Add(1)
				s.send(w, sched.Normal, &retirement.message)
			})
			r.Go("sender", func() {
				s.send(s.rt.discarder(), sched.Normal, &mails[1].message)
				sent.Add(1)
			})
			if stops {
				r.Go("stopper", func() { s.send(s.rt.discarder(), sched.Normal, &stop.message) })
			} else {
				r.Go("high", func() {
					s.send(s.rt.discarder(), sched.High, &mails[2].message)
					sent.Add(1)
				})
			}
			r.After(func() {
				if stops {
					mails = mails[:2]
				}
				for i, n := range append(mails, retirement) {
					if n.ran+n.refused != 1 {
						r.Failf("message %d ran %d times, was refused %d times", i, n.ran, n.refused)
					}
					if n.refused > 0 && !retired && stop.ran == 0 {
						r.Failf("message %d was refused, and nothing has ended the unit", i)
					}
				}
				if s.unit.mailbox.Newest() != nil {
					r.Failf("the unit is left owned")
				}
			})
		}
	}
	right := func(s *stage, _ *worker) bool {
		if s.unit.hasMore() {
			return false
		}
		end(s)
		return true
	}
	explore.Exhaustive(t, 3, body(right, true))
	explore.Exhaustive(t, 2, body(right, false))
	// A control: the look sees the mailbox of one priority only.
	explore.MustFail(t, 3, body(func(s *stage, _ *worker) bool {
		if !s.unit.mailbox.IsEmpty() {
			return false
		}
		end(s)
		return true
	}, false))
	// A control: there is no look.
	explore.MustFail(t, 2, body(func(s *stage, _ *worker) bool {
		end(s)
		return true
	}, true))
	// A control: the state is given back, and a further message ends the unit.
	explore.MustFail(t, 3, body(func(s *stage, w *worker) bool {
		if s.unit.hasMore() {
			return false
		}
		m := &mail{}
		m.unit = &s.unit
		m.become(newVtable(vtable{stateless: true, fail: func(*worker, *message, error) { end(s) }}, nil))
		s.unit.deliver(w, &m.message, anySender)
		return true
	}, true))
	// A control: what comes behind the look is given up with the unit.
	explore.MustFail(t, 3, body(func(s *stage, _ *worker) bool {
		if s.unit.hasMore() {
			return false
		}
		end(s)
		for n, _ := s.unit.next(s.rt.discarder()); n != nil; n, _ = s.unit.next(s.rt.discarder()) {
		}
		return true
	}, true))
}
