//go:build explore

package lock

import (
	"context"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

type explored interface {
	sync.Locker
	TryLock() bool
	LockContext(ctx context.Context) error
}

var exploredKinds = []struct {
	name string
	make func() explored
}{
	{"Anderson", func() explored { return NewAnderson(4) }},
	{"CLH", func() explored { return new(CLH) }},
	{"MCS", func() explored { return new(MCS) }},
	{"FIFO", func() explored { return new(FIFO) }},
	{"Backoff", func() explored { return new(Backoff) }},
	{"Anderson-1", func() explored { return NewAnderson(1) }},
	{"Anderson-2", func() explored { return NewAnderson(2) }},
	{"FIFO-1", func() explored { return NewFIFO(new(oneWaiter)) }},
}

// oneWaiter is a queue for one waiter.
type oneWaiter struct{ w atomics.Pointer[Waiter] }

func (q *oneWaiter) TryEnqueue(w *Waiter) bool { return q.w.CompareAndSwap(nil, w) }

func (q *oneWaiter) TryDequeue() (*Waiter, bool) {
	w := q.w.Swap(nil)
	return w, w != nil
}

// guarded is a lock and the counter that it protects: accesses that the lock does not order are
// found as a race.
type guarded struct {
	explored
	counter atomics.Plain[int]
}

// add is a critical section.
func (g *guarded) add() {
	g.counter.Set(g.counter.Get() + 1)
	g.Unlock()
}

// exploreAll explores a scenario for every lock. The scenario returns how many turns the counter
// must have in the end, and must leave the lock free.
func exploreAll(t *testing.T, preemptions int, scenario func(r *explore.Run, g *guarded) (turns func() int)) {
	for _, k := range exploredKinds {
		t.Run(k.name, func(t *testing.T) {
			body := func(r *explore.Run) {
				g := &guarded{explored: k.make()}
				r.After(g.checked(r, scenario(r, g)))
			}
			explore.Exhaustive(t, preemptions, body)
			explore.Random(t, 1000, body)
		})
	}
}

// TestExploreLockTwo has two threads that lock twice each.
func TestExploreLockTwo(t *testing.T) {
	exploreAll(t, 2, func(r *explore.Run, g *guarded) func() int {
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				for range 2 {
					g.Lock()
					g.add()
				}
			})
		}
		return func() int { return 4 }
	})
}

// TestExploreLockThree has three threads that lock once, one of them again.
func TestExploreLockThree(t *testing.T) {
	exploreAll(t, 2, func(r *explore.Run, g *guarded) func() int {
		for i, name := range []string{"a", "b", "c"} {
			r.Go(name, func() {
				g.Lock()
				g.add()
				if i == 0 {
					g.Lock()
					g.add()
				}
			})
		}
		return func() int { return 4 }
	})
}

// TestExploreTryLock has two threads that try, beside one that waits.
func TestExploreTryLock(t *testing.T) {
	exploreAll(t, 2, func(r *explore.Run, g *guarded) func() int {
		var turns atomics.Int32
		turns.Add(2)
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				if g.TryLock() {
					turns.Add(1)
					g.add()
				}
			})
		}
		r.Go("waiter", func() {
			for range 2 {
				g.Lock()
				g.add()
			}
		})
		return func() int { return int(turns.Load()) }
	})
}

// TestExploreLeave has a waiter leave while the lock is handed over, with another behind or ahead
// of it. The thread that ends the context tries the lock afterwards.
func TestExploreLeave(t *testing.T) {
	exploreAll(t, 2, func(r *explore.Run, g *guarded) func() int {
		var turns atomics.Int32
		turns.Add(2)
		var ctx memory.Context
		g.Lock()
		r.Go("holder", g.add)
		r.Go("leaver", func() {
			if g.LockContext(&ctx) == nil {
				turns.Add(1)
				g.add()
			}
		})
		r.Go("waiter", func() {
			g.Lock()
			g.add()
		})
		r.Go("ender", func() {
			ctx.Cancel()
			if g.TryLock() {
				turns.Add(1)
				g.add()
			}
		})
		return func() int { return int(turns.Load()) }
	})
}

// TestExploreLeaveAll has two waiters leave at the same time, while the lock is handed over.
func TestExploreLeaveAll(t *testing.T) {
	exploreAll(t, 2, func(r *explore.Run, g *guarded) func() int {
		var turns atomics.Int32
		turns.Add(1)
		var ctx memory.Context
		g.Lock()
		r.Go("holder", g.add)
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				if g.LockContext(&ctx) == nil {
					turns.Add(1)
					g.add()
				}
			})
		}
		r.Go("ender", ctx.Cancel)
		return func() int { return int(turns.Load()) }
	})
}

// TestExploreLeaveAndComeAgain has a waiter leave and come again, so that its node is used again.
func TestExploreLeaveAndComeAgain(t *testing.T) {
	exploreAll(t, 2, func(r *explore.Run, g *guarded) func() int {
		var turns atomics.Int32
		turns.Add(2)
		var ctx memory.Context
		g.Lock()
		r.Go("holder", func() {
			ctx.Cancel()
			g.add()
		})
		r.Go("leaver", func() {
			if g.LockContext(&ctx) == nil {
				turns.Add(1)
				g.add()
			}
			g.Lock()
			g.add()
		})
		r.Go("other", func() {
			if g.TryLock() {
				turns.Add(1)
				g.add()
			}
			var second memory.Context
			if g.LockContext(&second) == nil {
				turns.Add(1)
				g.add()
			}
		})
		return func() int { return int(turns.Load()) }
	})
}

// checked returns the check at the end of a scenario: all turns were counted, and the lock is free.
func (g *guarded) checked(r *explore.Run, turns func() int) func() {
	return func() {
		if got, want := g.counter.Get(), turns(); got != want {
			r.Failf("%d turns were counted, of %d", got, want)
		}
		if !g.TryLock() {
			r.Failf("the lock is not free in the end")
		}
	}
}

// hasty is a context that ends as soon as it was found not to have ended.
type hasty struct {
	context.Context
	ended bool
}

func (h *hasty) Err() error {
	if !h.ended {
		h.ended = true
		return nil
	}
	return context.Canceled
}

func (h *hasty) Value(any) any { return nil }

// TestExploreMCSSweep has a sweep under way while the lock is handed through the nodes that it
// takes out, and on, and nodes are used again.
func TestExploreMCSSweep(t *testing.T) {
	body := func(r *explore.Run) {
		l := new(MCS)
		g := &guarded{explored: l}
		g.Lock()
		p := &l.holder
		for range 2 {
			n := new(mcsNode)
			n.slot.word.Store(left)
			p.next.Store(n)
			l.tail.Store(&n.mcsPlace)
			p = &n.mcsPlace
		}
		l.sweep.since.Store(sweepEvery - 1)
		var turns atomics.Int32
		turns.Add(3)
		r.Go("holder", func() {
			g.add()
			g.Lock()
			g.add()
		})
		r.Go("leaver", func() {
			if g.LockContext(&hasty{}) == nil {
				turns.Add(1)
				g.add()
			}
		})
		r.Go("waiter", func() {
			g.Lock()
			g.add()
		})
		r.After(g.checked(r, func() int { return int(turns.Load()) }))
	}
	explore.Exhaustive(t, 2, body)
	explore.Random(t, 5000, body)
}

// TestExploreMCSEnter has a sweep under way when the waiter that was granted the lock enters, and
// its node is used again at once.
func TestExploreMCSEnter(t *testing.T) {
	explore.Exhaustive(t, 2, func(r *explore.Run) {
		l := new(MCS)
		g := &guarded{explored: l}
		n, first, second := new(mcsNode), new(mcsNode), new(mcsNode)
		n.slot.word.Store(granted)
		first.slot.word.Store(left)
		second.slot.word.Store(left)
		l.holder.next.Store(n)
		n.next.Store(first)
		first.next.Store(second)
		l.tail.Store(&second.mcsPlace)
		l.sweep.since.Store(sweepEvery - 1)
		r.Go("holder", func() {
			l.enter(n)
			for b := (backoff.Backoff{}); l.tail.Load() == &second.mcsPlace; b.Wait() {
			}
			g.add()
		})
		r.Go("sweeper", func() { l.sweep.left(l) })
		r.Go("waiter", func() {
			g.Lock()
			g.add()
		})
		r.After(g.checked(r, func() int { return 2 }))
	})
}

// TestExploreCLHAbandoned begins with a lock that is free although its queue is not empty: all
// waiters have left.
func TestExploreCLHAbandoned(t *testing.T) {
	for _, line := range []string{"over", "over, gone"} {
		t.Run(line, func(t *testing.T) {
			body := func(r *explore.Run) {
				l := new(CLH)
				g := &guarded{explored: l}
				first, second := new(clhNode), new(clhNode)
				first.state.Store(over)
				second.state.Store(gone)
				second.pred.Set(first)
				l.tail.Store(first)
				if line != "over" {
					l.tail.Store(second)
				}
				var turns atomics.Int32
				turns.Add(2)
				r.Go("trier", func() {
					if g.TryLock() {
						turns.Add(1)
						g.add()
					}
				})
				for _, name := range []string{"a", "b"} {
					r.Go(name, func() {
						g.Lock()
						g.add()
						if g.LockContext(&hasty{}) == nil {
							turns.Add(1)
							g.add()
						}
					})
				}
				r.After(g.checked(r, func() int { return int(turns.Load()) }))
			}
			explore.Exhaustive(t, 2, body)
			explore.Random(t, 5000, body)
		})
	}
}

// TestExploreOrder holds that a caller that comes after a waiter is admitted after it.
func TestExploreOrder(t *testing.T) {
	waits := map[string]func(l explored) bool{
		"Anderson": func(l explored) bool { return l.(*Anderson).next.Load() == 2 },
		"CLH":      func(l explored) bool { return l.(*CLH).tail.Load() != &l.(*CLH).own },
		"MCS":      func(l explored) bool { return l.(*MCS).tail.Load() != &l.(*MCS).holder },
		"FIFO":     func(l explored) bool { return l.(*FIFO).fifo.count.Load() == 2 },
	}
	for _, k := range exploredKinds {
		waits := waits[k.name]
		if waits == nil {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			body := func(r *explore.Run) {
				g := &guarded{explored: k.make()}
				var waited atomics.Bool
				g.Lock()
				r.Go("holder", func() {
					for b := (backoff.Backoff{}); !waits(g.explored); b.Wait() {
					}
					waited.Store(true)
					g.add()
				})
				r.Go("first", func() {
					g.Lock()
					g.add()
				})
				r.Go("second", func() {
					for b := (backoff.Backoff{}); !waited.Load(); b.Wait() {
					}
					g.Lock()
					if g.counter.Get() < 2 {
						r.Failf("the second came in ahead of the first")
					}
					g.add()
				})
			}
			explore.Exhaustive(t, 2, body)
		})
	}
}

// forgetful is a lock whose waiters look at it, and then park without looking again.
type forgetful struct {
	held    atomics.Bool
	sleeper atomics.Pointer[park.Parker]
}

func (l *forgetful) lock() {
	for !l.held.CompareAndSwap(false, true) {
		p := park.New()
		l.sleeper.Store(p)
		p.Park()
	}
}

func (l *forgetful) unlock() {
	l.held.Store(false)
	if p := l.sleeper.Swap(nil); p != nil {
		p.Unpark()
	}
}

// TestExploreLostWakeUp is a control: a waiter that does not look again once it can be woken may
// sleep for ever.
func TestExploreLostWakeUp(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var l forgetful
		for _, name := range []string{"a", "b"} {
			r.Go(name, func() {
				l.lock()
				l.unlock()
			})
		}
	})
}

// classic is Anderson's lock as it was published: a goroutine with a ticket waits for its slot,
// whether that is in use or not.
type classic struct {
	next  atomics.Int32
	slots [2]atomics.Bool
	held  atomics.Plain[int32]
}

func (l *classic) lock() {
	t := l.next.Add(1) - 1
	slot := &l.slots[t%2]
	for b := (backoff.Backoff{}); !slot.Load(); b.Wait() {
	}
	slot.Store(false)
	l.held.Set(t)
}

func (l *classic) unlock() { l.slots[(l.held.Get()+1)%2].Store(true) }

// TestExploreTooManyForTheSlots is a control: with more waiters than slots, the lock as it was
// published lets two in.
func TestExploreTooManyForTheSlots(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var l classic
		l.slots[0].Store(true)
		for _, name := range []string{"a", "b", "c"} {
			r.Go(name, func() {
				l.lock()
				l.unlock()
			})
		}
	})
}

// TestExploreTryLockFrozen stops a thread for good anywhere in TryLock or Unlock: no other thread
// that only tries is held up.
func TestExploreTryLockFrozen(t *testing.T) {
	try := func(r *explore.Run, g *guarded) {
		for _, name := range []string{"a", "b", "c"} {
			r.Go(name, func() {
				if g.TryLock() {
					g.add()
				}
			})
		}
	}
	for _, k := range exploredKinds {
		t.Run(k.name, func(t *testing.T) {
			explore.Freeze(t, func(r *explore.Run) { try(r, &guarded{explored: k.make()}) })
			explore.MustBlock(t, func(r *explore.Run) {
				g := &guarded{explored: k.make()}
				try(r, g)
				r.Go("waiter", func() {
					g.Lock()
					g.add()
				})
			})
		})
	}
	t.Run("CLH, abandoned", func(t *testing.T) {
		explore.Freeze(t, func(r *explore.Run) {
			l, first := new(CLH), new(clhNode)
			first.state.Store(over)
			l.tail.Store(first)
			try(r, &guarded{explored: l})
		})
	})
}

// TestExploreOverflowNotOvertaken has one thread wait in the overflow queue of a lock whose only
// place is taken. The thread that unlocks it and comes again, in any way, having seen the first one
// there, gets the lock after that one or not at all.
func TestExploreOverflowNotOvertaken(t *testing.T) {
	for name, again := range map[string]func(l *Anderson) bool{
		"Lock": func(l *Anderson) bool {
			l.Lock()
			return true
		},
		"TryLock":     (*Anderson).TryLock,
		"LockContext": func(l *Anderson) bool { return l.LockContext(context.Background()) == nil },
	} {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 2, func(r *explore.Run) {
				l := NewAnderson(1)
				l.Lock()
				var had atomics.Plain[bool]
				r.Go("waits for the place", func() {
					l.Lock()
					had.Set(true)
					l.Unlock()
				})
				r.Go("holder", func() {
					waits := l.overflow.parker.Load() != nil
					l.Unlock()
					if waits && again(l) {
						if !had.Get() {
							r.Failf("the thread that waits for the place is overtaken")
						}
						l.Unlock()
					}
				})
			})
		})
	}
}
