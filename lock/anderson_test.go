//go:build !explore

package lock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/freerun-go/freerun/lock"
)

// TestAndersonCap holds that the number of places is the requested number, or the next power of
// two.
func TestAndersonCap(t *testing.T) {
	for places, want := range map[int]int{1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 1000: 1024} {
		if got := lock.NewAnderson(places).Cap(); got != want {
			t.Errorf("NewAnderson(%d) has %d places, not %d", places, got, want)
		}
	}
}

// TestAndersonMisuse holds that what cannot work panics, and says why.
func TestAndersonMisuse(t *testing.T) {
	for name, c := range map[string]struct {
		do   func()
		want string
	}{
		"no place":           {func() { lock.NewAnderson(0) }, "lock: NewAnderson of 0 places"},
		"fewer":              {func() { lock.NewAnderson(-1) }, "lock: NewAnderson of -1 places"},
		"zero Lock":          {func() { new(lock.Anderson).Lock() }, "lock: use of an Anderson that NewAnderson did not make"},
		"zero TryLock":       {func() { new(lock.Anderson).TryLock() }, "lock: use of an Anderson"},
		"zero LockContext":   {func() { _ = new(lock.Anderson).LockContext(t.Context()) }, "lock: use of an Anderson"},
		"zero Unlock":        {func() { new(lock.Anderson).Unlock() }, "lock: Unlock of an Anderson"},
		"Unlock of unlocked": {func() { lock.NewAnderson(1).Unlock() }, "lock: Unlock of an Anderson that is not locked"},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasPrefix(said, c.want) {
					t.Errorf("%s: panic %q, want %q", name, said, c.want)
				}
			}()
			c.do()
		}()
	}
}

// TestRefusal fills a lock. Further goroutines are refused, or wait for a place, and get in behind
// those that have one, in the order of arrival.
func TestRefusal(t *testing.T) {
	for name, c := range map[string]struct {
		l       locker
		waiters int // that find a place
	}{
		"Anderson-1": {lock.NewAnderson(1), 0},
		"Anderson-4": {lock.NewAnderson(4), 3},
		"FIFO-1":     {lock.NewFIFO(&sliceQueue{bound: 1}), 1},
		"FIFO-3":     {lock.NewFIFO(&sliceQueue{bound: 3}), 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const overflowing = 5
				var admitted []int
				var all sync.WaitGroup
				c.l.Lock()
				for i := range c.waiters + overflowing {
					all.Go(func() {
						if i < c.waiters && i%2 == 0 {
							if err := c.l.LockContext(t.Context()); err != nil {
								t.Errorf("waiter %d: %v", i, err)
								return
							}
						} else {
							c.l.Lock()
						}
						admitted = append(admitted, i)
						c.l.Unlock()
					})
					synctest.Wait()
					if i >= c.waiters-1 {
						if err := c.l.LockContext(t.Context()); !errors.Is(err, lock.ErrFull) {
							t.Fatalf("after %d waiters LockContext returns %v, want %v", i+1, err, lock.ErrFull)
						}
						if c.l.TryLock() {
							t.Fatalf("after %d waiters TryLock gets a lock that is held", i+1)
						}
					}
				}
				c.l.Unlock()
				all.Wait()
				if len(admitted) != c.waiters+overflowing || !slices.IsSorted(admitted) {
					t.Errorf("admitted were %v", admitted)
				}
				if err := c.l.LockContext(t.Context()); err != nil {
					t.Errorf("the lock is free: %v", err)
				}
			})
		})
	}
}

// TestAndersonKeepsThePlace holds that a place that was given up is taken until its turn, and free
// afterwards, lap after lap.
func TestAndersonKeepsThePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lock.NewAnderson(4)
		for lap := range 20 {
			l.Lock()
			ctx, cancel := context.WithCancel(t.Context())
			var leaving sync.WaitGroup
			for range 3 {
				leaving.Go(func() {
					if err := l.LockContext(ctx); !errors.Is(err, context.Canceled) {
						t.Errorf("lap %d: %v", lap, err)
					}
				})
			}
			synctest.Wait()
			cancel()
			leaving.Wait()
			if err := l.LockContext(t.Context()); !errors.Is(err, lock.ErrFull) {
				t.Errorf("lap %d: %v, want %v", lap, err, lock.ErrFull)
			}
			l.Unlock()
			if !l.TryLock() {
				t.Fatalf("lap %d: the lock is not free", lap)
			}
			l.Unlock()
		}
	})
}
