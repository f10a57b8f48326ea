package ladder

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A Locker is a lock as the ladder calls it.
type Locker interface {
	sync.Locker
	TryLock() bool
	LockContext(ctx context.Context) error
}

// A LockSpec says what a lock promises: one holder at a time.
type LockSpec struct {
	// New returns an unlocked lock that so many goroutines are going to use at once.
	New func(goroutines int) Locker

	// Bound means that a lock must be unlocked by the goroutine that locked it.
	Bound bool
}

// Lock holds a lock to its ladder:
//
//	sequential   every way to lock and unlock, by one goroutine; unlocking an unlocked lock panics
//	refusal      a lock that is held is not got by TryLock, nor by LockContext once its context has ended
//	passed on    a lock may be unlocked by another goroutine than the one that locked it (unless Bound)
//	exclusion    more goroutines than processors count in a plain variable
//	handoff      a lock that is held for long, and for which all others wait, comes to each of them
//	storm        Lock, TryLock, and LockContext whose contexts end before, while, and after they wait
//	abandoned    those who wait at the front, in the middle and at the end of a queue leave it, and the others get the lock
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

// lockSequential locks in every way, and in every order of two ways.
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
		return fmt.Errorf("Unlock of an unlocked lock panics with %q, want a panic worded as \"lock: what was wrong\"", said)
	}
	if said := panicOf(s.New(2).Unlock); !strings.Contains(said, ": ") {
		return fmt.Errorf("Unlock of a lock that was never locked panics with %q, want a panic worded as \"lock: what was wrong\"", said)
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

// A guarded is what a lock guards: plain variables.
type guarded struct {
	inside int
	count  int
}

// enter is called while the lock is held. Now and then the holder lets others run.
func (g *guarded) enter(random *rand.Rand) error {
	g.inside++
	if g.inside != 1 {
		return fmt.Errorf("%d hold the lock at once", g.inside)
	}
	if random.IntN(8) == 0 {
		runtime.Gosched()
	}
	if g.inside != 1 {
		return fmt.Errorf("%d hold the lock at once", g.inside)
	}
	g.inside--
	g.count++
	return nil
}

// compete has goroutines that lock in a way of their own and count while they hold the lock. The way says whether it got it.
func (s LockSpec) compete(seed uint64, goroutines, each int, lock func(l Locker, random *rand.Rand) (bool, error)) error {
	l := s.New(goroutines)
	var g guarded
	var c crew
	got := make([]int, goroutines)
	for i := range goroutines {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		c.add(true, func(h *hand) error {
			for range each {
				ok, err := lock(l, random)
				if err != nil {
					return err
				}
				if !ok {
					runtime.Gosched()
					continue
				}
				err = g.enter(random)
				l.Unlock()
				if err != nil {
					return err
				}
				got[i]++
				h.did()
			}
			return nil
		})
	}
	if err := c.run(); err != nil {
		return err
	}
	want := 0
	for _, n := range got {
		want += n
	}
	if g.count != want {
		return fmt.Errorf("%d goroutines got the lock %d times, and counted to %d", goroutines, want, g.count)
	}
	if !l.TryLock() {
		return errors.New("the lock is held after all have unlocked it")
	}
	l.Unlock()
	return nil
}

// lockExclusion counts, with few goroutines and with many.
func lockExclusion(s LockSpec, seed uint64) error {
	for _, goroutines := range []int{2, 8, 33} {
		if err := s.compete(seed, goroutines, size(lockCounts)/goroutines, func(l Locker, _ *rand.Rand) (bool, error) {
			l.Lock()
			return true, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// lockHandoff holds the lock until all others have come to wait, long enough that they do so in every way they know.
func lockHandoff(s LockSpec, _ uint64) error {
	const goroutines = 12
	for range size(lockHandoffs) {
		l, count := s.New(goroutines+1), 0
		l.Lock()
		var c crew
		var waiting atomic.Int64
		for range goroutines {
			c.add(true, func(*hand) error {
				waiting.Add(1)
				l.Lock()
				count++
				l.Unlock()
				return nil
			})
		}
		c.add(true, func(*hand) error {
			for waiting.Load() < goroutines {
				runtime.Gosched()
			}
			for range 200 { // they spin, yield, and park
				runtime.Gosched()
			}
			l.Unlock()
			return nil
		})
		if err := c.run(); err != nil {
			return err
		}
		if count != goroutines {
			return fmt.Errorf("%d goroutines waited, %d got the lock", goroutines, count)
		}
	}
	return nil
}

// lockStorm locks in all ways. Contexts end at any time.
func lockStorm(s LockSpec, seed uint64) error {
	var ending sync.WaitGroup
	defer ending.Wait()
	const goroutines = 9
	return s.compete(seed, goroutines, size(lockCounts)/goroutines/2, func(l Locker, random *rand.Rand) (bool, error) {
		switch random.IntN(4) {
		case 0:
			l.Lock()
			return true, nil
		case 1:
			return l.TryLock(), nil
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		switch pauses := random.IntN(12); {
		case pauses == 0:
			cancel()
		case pauses < 9:
			ending.Go(func() {
				for range pauses {
					runtime.Gosched()
				}
				cancel()
			})
		}
		switch err := l.LockContext(ctx); {
		case err == nil:
			return true, nil
		case errors.Is(err, context.Canceled):
			return false, nil
		default:
			return false, fmt.Errorf("LockContext, whose context was cancelled, returns %w", err)
		}
	})
}

// lockAbandoned has waiters some of which are told to leave while the lock is held: they must return, and when the lock is
// unlocked the others must get it, each once.
func lockAbandoned(s LockSpec, seed uint64) error {
	const waiters = 7
	for round := range uint64(size(lockHandoffs)) {
		random := rand.New(rand.NewPCG(seed, round))
		leaves := uint64(1)<<waiters - 1 // those who leave; all of them at first
		if round > 0 {
			leaves = random.Uint64N(1 << waiters)
		}
		l, count, released := s.New(waiters+1), 0, false // count and released are guarded by the lock
		l.Lock()
		ctx, cancel := context.WithCancel(context.Background())
		var c crew
		var coming, gone atomic.Int64
		leaving := int64(0)
		for i := range waiters {
			if leaves>>i&1 == 0 {
				c.add(true, func(*hand) error {
					coming.Add(1)
					l.Lock()
					defer l.Unlock()
					if count++; !released {
						return errors.New("somebody else left, and Lock got a lock that was held")
					}
					return nil
				})
				continue
			}
			leaving++
			c.add(true, func(*hand) error {
				coming.Add(1)
				err := l.LockContext(ctx)
				gone.Add(1)
				if err == nil {
					l.Unlock()
					return errors.New("LockContext got a lock that was held until its context had ended")
				}
				return nil
			})
		}
		c.add(true, func(*hand) error {
			for coming.Load() < waiters {
				runtime.Gosched()
			}
			for range random.IntN(100) {
				runtime.Gosched()
			}
			cancel()
			for gone.Load() < leaving {
				runtime.Gosched()
			}
			released = true
			l.Unlock()
			return nil
		})
		err := c.run()
		cancel()
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if want := waiters - int(leaving); count != want {
			return fmt.Errorf("round %d: %d of %d waiters were told to leave, and %d of the others got the lock", round, leaving, waiters, count)
		}
		if !l.TryLock() {
			return fmt.Errorf("round %d: the lock is held after all have unlocked it", round)
		}
	}
	return nil
}
