//go:build explore

package activity

import (
	"context"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// ending is the owner of an activity, and the end of its runtime.
type ending struct{ closing atomics.Bool }

func (*ending) Context() context.Context                   { return context.Background() }
func (*ending) Start(_, _ *Activity) error                 { return ErrClosed }
func (*ending) Enter(*Activity, *Stack, *sched.Processor)  {}
func (*ending) Leave(*Activity, *Stack, *sched.Processor)  {}
func (*ending) Pass(_, _ *Stack, _ *sched.Processor) bool  { return true }
func (*ending) Prepare(*Stack, *sched.Processor)           {}
func (*ending) Depart(*Activity, *Stack, *sched.Processor) {}
func (*ending) Closed() error                              { return ErrClosed }
func (*ending) Watch(*Activity)                            {}

func (*ending) End(*Activity, *sched.Processor, any, []byte, error) error { return nil }

func (e *ending) Closing() bool { return e.closing.Load() }

func (e *ending) Canceled() error {
	if e.Closing() {
		return ErrClosed
	}
	return nil
}

func (*ending) AfterFunc(time.Duration, func()) func() bool          { panic("not modelled") }
func (*ending) AfterDone(context.Context, func()) func() bool        { panic("not modelled") }
func (*ending) Drive(context.Context, func() bool) (_ bool, _ error) { return false, nil }

// ends declares an activity that runs fn, as two threads, and a third thread that ends what the
// activity waits for, as Close does. So the activity is ended before each of its waits, while it
// is left, between the opening of the wait and its entering, and beside each step of that.
func ends(r *explore.Run, fn func(a *Activity)) {
	e := &ending{}
	m := newModelActivity(e)
	r.Go("activity", func() { m.run(fn) })
	r.Go("processor", m.serve)
	r.Go("end", func() {
		e.closing.Store(true)
		m.stack.interrupt(nil)
	})
}

// explored explores bodies of four threads, of which one does little.
func explored(t *testing.T, body func(r *explore.Run)) {
	explore.Exhaustive(t, 2, body)
	explore.Random(t, 20_000, body)
}

// TestExploreMonitorEnded has an activity ended in Await: it is inside, and alone there, while its
// deferred functions run.
func TestExploreMonitorEnded(t *testing.T) {
	explored(t, func(r *explore.Run) {
		var m Monitor
		var data atomics.Plain[int]
		count := func() { data.Set(data.Get() + 1) }
		ends(r, func(a *Activity) {
			if m.Enter(a) != nil {
				return
			}
			defer m.Leave()
			defer count()
			_ = m.Await(a, func() bool { return data.Get() > 0 })
		})
		r.Go("visitor", func() {
			_ = m.Do(context.Background(), func() error {
				count()
				return nil
			})
		})
		r.After(func() {
			if data.Get() < 1 || m.q.state.Load() != 0 || len(m.awaiting) != 0 {
				r.Failf("counted %d; state %#x, %d await", data.Get(), m.q.state.Load(), len(m.awaiting))
			}
		})
	})
}

// TestExploreMonitorEndedInside is a control: an activity that is ended in Await, does not come
// back, and relies on inside, passes the monitor on while its finalizer does, too.
func TestExploreMonitorEndedInside(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var m Monitor
		var data atomics.Plain[int]
		ends(r, func(a *Activity) {
			_ = m.Enter(a)
			defer func() {
				if m.isInside() {
					data.Set(1)
					m.pass()
				}
			}()
			w := monitorWait{m: &m, condition: func() bool { return false }}
			defer w.leave()
			_ = waitIn(a, 0, &w)
		})
		r.Go("visitor", func() {
			_ = m.Enter(context.Background())
			data.Set(2)
			m.Leave()
		})
	})
}

// TestExploreCondEnded has an activity ended in Wait, while another one waits that is signaled:
// each has the lock when its deferred functions run.
func TestExploreCondEnded(t *testing.T) {
	for name, locker := range map[string]func() Locker{
		"Mutex":     func() Locker { return new(Mutex) },
		"FairMutex": func() Locker { return new(FairMutex) },
	} {
		t.Run(name, func(t *testing.T) {
			explored(t, func(r *explore.Run) {
				c := NewCond(locker())
				var data atomics.Plain[int]
				count := func() { data.Set(data.Get() + 1) }
				turns := func() {
					defer c.L.Unlock()
					defer count()
					for data.Get() == 0 {
						_ = c.Wait(context.Background())
					}
				}
				ends(r, func(a *Activity) {
					if c.L.Lock(a) == nil {
						turns()
					}
				})
				r.Go("visitor", func() {
					_ = c.L.Lock(context.Background())
					count()
					c.L.Unlock()
					c.Signal()
				})
				r.After(func() {
					if data.Get() < 1 || !Unused(c.L) {
						r.Failf("counted %d; unused: %v", data.Get(), Unused(c.L))
					}
				})
			})
		})
	}
}

// TestExploreCondEndedWithoutTheLock is a control: an activity that is ended in Wait, and does not
// lock again, unlocks what another has locked.
func TestExploreCondEndedWithoutTheLock(t *testing.T) {
	explore.MustFail(t, 1, func(r *explore.Run) {
		var l FairMutex
		c := NewCond(&l)
		var data atomics.Plain[int]
		ends(r, func(a *Activity) {
			_ = l.Lock(a)
			defer l.Unlock()
			w := condWait{c: c}
			if w.wait(a) == nil {
				_ = l.Lock(context.Background())
			}
		})
		r.Go("visitor", func() {
			_ = l.Lock(context.Background())
			data.Set(data.Get() + 1)
			l.Unlock()
		})
	})
}

// TestExploreLockEnded has an activity ended at any step of locking and unlocking: at most one
// thread holds the lock, and the next waiter gets it.
func TestExploreLockEnded(t *testing.T) {
	for _, k := range exploredLocks {
		t.Run(k.name, func(t *testing.T) {
			explored(t, func(r *explore.Run) {
				l := k.make()
				var data atomics.Plain[int]
				turn := func(ctx context.Context) {
					if l.Locker.Lock(ctx) == nil {
						defer l.Unlock()
						data.Set(data.Get() + 1)
					}
				}
				ends(r, func(a *Activity) {
					turn(a)
					turn(a)
				})
				r.Go("visitor", func() { turn(context.Background()) })
				r.After(func() {
					if data.Get() < 1 || !l.try() {
						r.Failf("counted %d", data.Get())
					}
				})
			})
		})
	}
}

// TestExploreBarrierEnded has an activity ended on a barrier for two, at which another thread
// arrives twice, by itself if need be.
func TestExploreBarrierEnded(t *testing.T) {
	explored(t, func(r *explore.Run) {
		b := NewBarrier(2)
		passed := false
		ends(r, func(a *Activity) {
			_, err := b.Arrive(a)
			passed = err == nil
		})
		r.Go("visitor", func() {
			arrived := b.arrive()
			if arrived == nil {
				return // the last
			}
			if arrived.add(-1, 2) {
				return
			}
			if err := arrived.broadcast.wait(context.Background()); err != nil {
				r.Failf("%v", err)
			}
		})
		r.After(func() {
			if n := b.present.Load().arrived.Load(); n != 0 && !(n == 2 && passed) {
				r.Failf("%d have arrived, passed: %v", n, passed)
			}
		})
	})
}

// TestExploreMailboxEnded has an activity ended in Send and Receive of a mailbox for one message:
// none is lost, and none comes twice.
func TestExploreMailboxEnded(t *testing.T) {
	explored(t, func(r *explore.Run) {
		m := NewMailbox[int](1)
		sent, received := 0, 0
		ends(r, func(a *Activity) {
			for range 2 {
				if m.Send(a, 1) == nil {
					sent++
				}
			}
		})
		r.Go("visitor", func() {
			if _, ok := m.TryReceive(); ok {
				received++
			}
		})
		r.After(func() {
			for _, ok := m.TryReceive(); ok; _, ok = m.TryReceive() {
				received++
			}
			if received < sent || received > sent+1 {
				r.Failf("sent %d, received %d", sent, received)
			}
		})
	})
}
