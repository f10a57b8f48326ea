package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// A Locker is a lock as the ladder calls it.
type Locker interface {
	sync.Locker
	TryLock() bool
	LockContext(ctx context.Context) error
}

// A LockSpec describes the promises of a lock: one holder at a time.
type LockSpec struct {
	// New returns an unlocked lock for this number of goroutines at once.
	New func(goroutines int) Locker

	// Bound means that a lock must be unlocked by the goroutine that locked it.
	Bound bool

	// Long means that a call takes many steps. The explorer then bounds the preemptions of two
	// threads too.
	Long bool

	// broken marks a lock that is broken on purpose. The guarded variables are then atomic: the
	// test expects this package to find the defect, and the race detector must not fail it first.
	broken bool
}

// Lock runs the ladder for locks, each rung as a subtest:
// sequential   every way to lock and unlock, by one goroutine; unlocking an unlocked lock panics
//
//	refusal      TryLock does not get a lock that is held, nor does LockContext once its context
//	             has ended
//	passed on    a goroutine may unlock what another has locked (unless Bound)
//	exclusion    more goroutines than processors count in a plain variable
//	handoff      a lock that is held for long comes to each of the goroutines that wait for it
//	storm        Lock, TryLock and LockContext; contexts end before, during and after the wait
//	abandoned    waiters at the front, in the middle and at the end leave; the others get the lock
func Lock(t *testing.T, s LockSpec) {
	t.Helper()
	if s.New == nil {
		t.Fatal("ladder: a LockSpec needs New")
	}
	climb(t, s, lockRungs(s))
}

func lockRungs(s LockSpec) []rung[LockSpec] {
	rungs := []rung[LockSpec]{{"sequential", lockSequential}, {"refusal", lockRefusal}}
	if !s.Bound {
		rungs = append(rungs, rung[LockSpec]{"passed on", lockPassedOn})
	}
	return append(
		rungs,
		rung[LockSpec]{"exclusion", lockExclusion},
		rung[LockSpec]{"handoff", lockHandoff},
		rung[LockSpec]{"storm", lockStorm},
		rung[LockSpec]{"abandoned", lockAbandoned},
	)
}

// lockSequential locks in every way, in random orders.
func lockSequential(s LockSpec, _ uint64) error {
	live, end := context.WithCancel(context.Background())
	defer end()
	l := s.New(1)
	ways := map[string]func() error{
		"Lock": func() error {
			l.Lock()
			return nil
		},
		"TryLock": func() error {
			if !l.TryLock() {
				return errors.New("refused")
			}
			return nil
		},
		"LockContext":                     func() error { return l.LockContext(context.Background()) },
		"LockContext that could be ended": func() error { return l.LockContext(live) },
	}
	for range 100 {
		for name, lock := range ways {
			if err := lock(); err != nil {
				return fmt.Errorf("%s of an unlocked lock: %w", name, err)
			}
			if l.TryLock() {
				return fmt.Errorf("after %s TryLock gets it once more", name)
			}
			l.Unlock()
		}
	}
	if said := panicOf(l.Unlock); !strings.Contains(said, ": ") {
		return fmt.Errorf("unlocked once more, it panics with %q, want a panic worded as \"lock: what was wrong\"", said)
	}
	if said := panicOf(s.New(2).Unlock); !strings.Contains(said, ": ") {
		return fmt.Errorf("unlocked before it was ever locked, it panics with %q, want a panic worded as \"lock: what was wrong\"", said)
	}
	return nil
}

// lockRefusal asks for a lock that is held.
func lockRefusal(s LockSpec, _ uint64) error {
	reason := errors.New("a reason")
	ended, end := context.WithCancelCause(context.Background())
	end(reason)
	const others = 3
	l := s.New(1 + others)
	for round := range 50 {
		l.Lock()
		var c crew
		for range others {
			c.add(true, func(*hand) error {
				if l.TryLock() {
					return errors.New("TryLock gets a lock that is held")
				}
				soon, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				for name, ctx := range map[string]context.Context{"that has ended": ended, "that ends": soon} {
					go cancel(reason)
					if err := l.LockContext(ctx); !errors.Is(err, reason) && !errors.Is(err, context.Canceled) {
						return fmt.Errorf("LockContext of a lock that is held, with a context %s, returns %v", name, err)
					}
				}
				return nil
			})
		}
		err := c.run()
		l.Unlock()
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if !l.TryLock() {
			return fmt.Errorf("round %d: after all have given up and it was unlocked, TryLock is refused", round)
		}
		l.Unlock()
	}
	return nil
}

// lockPassedOn unlocks in another goroutine.
func lockPassedOn(s LockSpec, _ uint64) error {
	l, inside := s.New(3), 0
	var c crew
	held := make(chan int, 1)
	const times = 1_000
	c.add(true, func(*hand) error {
		for i := range times {
			l.Lock()
			inside++
			held <- i
		}
		return nil
	})
	c.add(true, func(*hand) error {
		for i := range times {
			if got := <-held; got != i || inside != i+1 {
				return fmt.Errorf("hold %d: %d is held, after %d counts", i, got, inside)
			}
			l.Unlock()
		}
		return nil
	})
	return c.run()
}
