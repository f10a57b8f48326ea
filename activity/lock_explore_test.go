//go:build explore

package activity

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// ladderLock has the methods that the conformance tests need.
type ladderLock struct {
	Locker
	try func() bool
}

func (l ladderLock) Lock()                                 { _ = l.Locker.Lock(context.Background()) }
func (l ladderLock) LockContext(ctx context.Context) error { return l.Locker.Lock(ctx) }
func (l ladderLock) TryLock() bool                         { return l.try() }

type oneUnit struct{ *Semaphore }

func (o oneUnit) Lock(ctx context.Context) error { return o.Acquire(ctx, 1) }
func (o oneUnit) Unlock()                        { o.Release(1) }

var exploredLocks = []struct {
	name string
	make func() ladderLock
}{
	{"Mutex", func() ladderLock { m := new(Mutex); return ladderLock{m, m.TryLock} }},
	{"FairMutex", func() ladderLock { m := new(FairMutex); return ladderLock{m, m.TryLock} }},
	{"RWMutex", func() ladderLock { m := new(RWMutex); return ladderLock{m, m.TryLock} }},
	{"Semaphore", func() ladderLock {
		s := NewSemaphore(1)
		return ladderLock{oneUnit{s}, func() bool { return s.TryAcquire(1) }}
	}},
}

// TestExploreLock runs, for each lock, the explored programs that all locks share: exclusion, no
// lost wake-up, and cancellation at each step.
func TestExploreLock(t *testing.T) {
	for _, k := range exploredLocks {
		t.Run(k.name, func(t *testing.T) {
			conformance.ExploreLock(t, conformance.LockSpec{New: func(int) conformance.Locker { return k.make() }, Long: true})
		})
	}
}

// TestExploreLockFrozen stops a thread for good anywhere in TryLock or Unlock, without waiters: no
// other thread that only tries is held up. As a control, with a thread in Lock the explorer must
// find one that is.
func TestExploreLockFrozen(t *testing.T) {
	for _, k := range exploredLocks {
		try := func(r *explore.Run) ladderLock {
			l := k.make()
			for _, name := range []string{"a", "b", "c"} {
				r.Go(name, func() {
					if l.TryLock() {
						l.Unlock()
					}
				})
			}
			return l
		}
		t.Run(k.name, func(t *testing.T) {
			explore.Freeze(t, func(r *explore.Run) { try(r) })
			explore.MustBlock(t, func(r *explore.Run) {
				l := try(r)
				r.Go("waiter", l.Lock)
			})
		})
	}
}

// TestExploreMutexHandsOver has one thread lock again and again, while another is woken in vain,
// and a third gives up.
func TestExploreMutexHandsOver(t *testing.T) {
	explore.Random(t, 20_000, func(r *explore.Run) {
		var m Mutex
		var ctx memory.Context
		var count atomics.Plain[int]
		var turns atomics.Int32
		turn := func(ctx context.Context) {
			if m.Lock(ctx) == nil {
				turns.Add(1)
				count.Set(count.Get() + 1)
				m.Unlock()
			}
		}
		r.Go("greedy", func() {
			for range 4 {
				turn(context.Background())
			}
		})
		r.Go("modest", func() { turn(context.Background()) })
		r.Go("leaver", func() { turn(&ctx) })
		r.Go("ender", ctx.Cancel)
		r.After(func() {
			if int32(count.Get()) != turns.Load() || turns.Load() < 5 || m.state.Load() != 0 {
				r.Failf("counted %d of %d; state %d", count.Get(), turns.Load(), m.state.Load())
			}
		})
	})
}

// forgetful is a Mutex whose waiters enter the queue and do not look again: they do not serve it.
type forgetful struct{ Mutex }

func (m *forgetful) enter(w *Waiter) { m.queue.get().join(w) }

func (m *forgetful) Lock(ctx context.Context) error {
	for !m.take(0) {
		if err := m.queue.get().wait(ctx, 0, m); err != nil {
			return err
		}
		m.state.And(^woken)
	}
	return nil
}

// TestExploreLockLostWakeUp is a control: if a waiter does not look at the lock again after it has
// entered the queue, it may wait for ever.
func TestExploreLockLostWakeUp(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var m forgetful
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				if m.Lock(context.Background()) == nil {
					m.Unlock()
				}
			})
		}
	})
}

// deaf is a Mutex whose waiters, when they give up after they were woken, neither clear woken nor
// serve the queue.
type deaf struct{ Mutex }

func (m *deaf) Lock(ctx context.Context) error {
	if m.take(0) {
		return nil
	}
	for tag := uint64(0); ; tag = (tag + 1) | ahead {
		if err := m.queue.get().wait(ctx, tag, &m.Mutex); err != nil {
			return err
		}
		if tag == ahead|patience || m.take(woken) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// TestExploreLockLostGrant is a control: if a waiter that was woken gives up and does not wake the
// next one, that one may wait for ever.
func TestExploreLockLostGrant(t *testing.T) {
	explore.MustFail(t, 3, func(r *explore.Run) {
		var m deaf
		var ctx memory.Context
		m.take(0)
		r.Go("holder", func() {
			m.Unlock()
			if m.take(0) {
				ctx.Cancel()
				m.Unlock()
			}
		})
		r.Go("leaver", func() {
			if m.Lock(&ctx) == nil {
				m.Unlock()
			}
		})
		r.Go("waiter", func() {
			if m.Lock(context.Background()) == nil {
				m.Unlock()
			}
		})
	})
}
