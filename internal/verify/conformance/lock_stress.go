package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// guarded holds the variables that a lock guards.
type guarded struct{ inside, count field }

// A field is a plain variable, unless the lock is broken on purpose.
type field struct {
	plain  int
	atomic atomic.Int64
	broken bool
}

func (f *field) add(n int) (sum int) {
	if f.broken {
		return int(f.atomic.Add(int64(n)))
	}
	f.plain += n
	return f.plain
}

func (f *field) get() int { return f.add(0) }

// guards returns new guarded variables.
func (s LockSpec) guards() *guarded {
	return &guarded{inside: field{broken: s.broken}, count: field{broken: s.broken}}
}

// enter is called by the holder of the lock, and checks that there is no other. Now and then it
// lets other goroutines run.
func (g *guarded) enter(random *rand.Rand) error {
	if n := g.inside.add(1); n != 1 {
		return fmt.Errorf("%d hold the lock at once", n)
	}
	if random.IntN(8) == 0 {
		runtime.Gosched()
	}
	if n := g.inside.get(); n != 1 {
		return fmt.Errorf("%d hold the lock at once", n)
	}
	g.inside.add(-1)
	g.count.add(1)
	return nil
}

// compete has goroutines that lock and count while they hold the lock. The function lock locks, and
// reports whether it got the lock.
func (s LockSpec) compete(seed uint64, goroutines, each int, lock func(l Locker, random *rand.Rand) (bool, error)) error {
	l := s.New(goroutines)
	g := s.guards()
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
	if g.count.get() != want {
		return fmt.Errorf("%d goroutines got the lock %d times, and counted to %d", goroutines, want, g.count.get())
	}
	if !l.TryLock() {
		return errors.New("the lock is held after all have unlocked it")
	}
	l.Unlock()
	return nil
}

// lockExclusion has few goroutines, and then many, count under the lock.
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

// lockHandoff holds the lock until all other goroutines have come to wait, and so long that they
// spin, yield and park.
func lockHandoff(s LockSpec, _ uint64) error {
	const goroutines = 12
	for range size(lockHandoffs) {
		l, g := s.New(goroutines+1), s.guards()
		l.Lock()
		var c crew
		var waiting atomic.Int64
		for range goroutines {
			c.add(true, func(*hand) error {
				waiting.Add(1)
				l.Lock()
				g.count.add(1)
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
		if count := g.count.get(); count != goroutines {
			return fmt.Errorf("%d goroutines waited, %d got the lock", goroutines, count)
		}
	}
	return nil
}

// lockStorm locks in every way, with contexts that end at any time.
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

// lockAbandoned has waiters, some of which are told to leave while the lock is held. They must
// return. After the unlock each of the others must get the lock once.
func lockAbandoned(s LockSpec, seed uint64) error {
	const waiters = 7
	for round := range uint64(size(lockHandoffs)) {
		random := rand.New(rand.NewPCG(seed, round))
		leaves := uint64(1)<<waiters - 1 // the waiters that leave; all of them at first
		if round > 0 {
			leaves = random.Uint64N(1 << waiters)
		}
		l, g := s.New(waiters+1), s.guards()
		l.Lock()
		g.inside.add(1)
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
					if g.count.add(1); g.inside.get() != 0 {
						return errors.New("another waiter left, and Lock got a lock that was held")
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
			g.inside.add(-1)
			l.Unlock()
			return nil
		})
		err := c.run()
		cancel()
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if want, count := waiters-int(leaving), g.count.get(); count != want {
			return fmt.Errorf("round %d: %d of %d waiters were told to leave, and %d of the others got the lock", round, leaving, waiters, count)
		}
		if !l.TryLock() {
			return fmt.Errorf("round %d: the lock is held after all have unlocked it", round)
		}
	}
	return nil
}
