//go:build !explore

package lock_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun/internal/verify/replay"
	"github.com/freerun-go/freerun/lock"
)

// each runs f for every lock.
func each(t *testing.T, f func(t *testing.T, k kind)) {
	for _, k := range slices.Concat(kinds, cramped) {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

// bubble is each, in a bubble in which time passes only when all goroutines sleep: so a goroutine
// that has called Lock is known to wait.
func bubble(t *testing.T, f func(t *testing.T, k kind)) {
	each(t, func(t *testing.T, k kind) {
		synctest.Test(t, func(t *testing.T) { f(t, k) })
	})
}

// lines is bubble for the locks that admit in the order of arrival.
func lines(t *testing.T, f func(t *testing.T, k kind)) {
	for _, k := range slices.Concat(kinds, cramped) {
		if k.fifo {
			t.Run(k.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { f(t, k) })
			})
		}
	}
}

// once locks and unlocks.
func once(l sync.Locker) {
	l.Lock()
	defer l.Unlock()
}

// TestLockExcludes has goroutines lock in every way and add to a counter that nothing else
// protects.
func TestLockExcludes(t *testing.T) {
	for _, goroutines := range []int{2, 4, 32} {
		each(t, func(t *testing.T, k kind) {
			turns := 40_000 / goroutines
			l, counter, want := k.make(), 0, atomic.Int64{}
			var all sync.WaitGroup
			for i := range goroutines {
				all.Go(func() {
					for n := range turns {
						switch (i + n) % 4 {
						case 0:
							if !l.TryLock() {
								continue
							}
						case 1:
							if err := l.LockContext(context.Background()); errors.Is(err, lock.ErrFull) {
								continue
							} else if err != nil {
								t.Error(err)
							}
						default:
							l.Lock()
						}
						counter++
						if n%64 == 0 {
							runtime.Gosched()
						}
						want.Add(1)
						l.Unlock()
					}
				})
			}
			all.Wait()
			if counter != int(want.Load()) {
				t.Errorf("counted %d, of %d", counter, want.Load())
			}
		})
	}
}

// TestTryLock holds that TryLock succeeds exactly on a free lock, and that it does not wait: it is
// called in a bubble, by the only goroutine that could unlock.
func TestTryLock(t *testing.T) {
	bubble(t, func(t *testing.T, k kind) {
		l := k.make()
		for range 5 {
			if !l.TryLock() {
				t.Fatal("a free lock was refused")
			}
			if l.TryLock() {
				t.Fatal("locked twice")
			}
			var waiter sync.WaitGroup
			waiter.Go(func() { l.Lock() })
			synctest.Wait()
			if l.TryLock() {
				t.Fatal("locked twice, while another waits")
			}
			l.Unlock()
			waiter.Wait()
			if l.TryLock() {
				t.Fatal("locked twice, after it was handed over")
			}
			l.Unlock()
		}
	})
}

// TestLockContextEnded holds that an ended context locks nothing, neither a free lock nor one that
// is held.
func TestLockContextEnded(t *testing.T) {
	bubble(t, func(t *testing.T, k kind) {
		reason := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(reason)
		l := k.make()
		if err := l.LockContext(ctx); !errors.Is(err, reason) {
			t.Errorf("a free lock: %v, want %v", err, reason)
		}
		if !l.TryLock() {
			t.Fatal("LockContext has failed, and yet locked")
		}
		if err := l.LockContext(ctx); !errors.Is(err, reason) {
			t.Errorf("a held lock: %v, want %v", err, reason)
		}
		l.Unlock()
		if !l.TryLock() {
			t.Error("the lock is not free")
		}
	})
}

// TestLockContextLeaves has a waiter leave while the lock is held, alone, ahead of others, between
// them and behind them.
func TestLockContextLeaves(t *testing.T) {
	bubble(t, func(t *testing.T, k kind) {
		for _, line := range []string{"x", "xw", "wx", "wxw", "xx", "wxxw", "xwx", "xxw", "wwxxwwxx"} {
			l := k.make()
			l.Lock()
			ctx, cancel := context.WithCancel(t.Context())
			var admitted []int
			var left, served sync.WaitGroup
			refused := 0
			for i, c := range line {
				if c == 'x' {
					left.Go(func() {
						switch err := l.LockContext(ctx); {
						case errors.Is(err, lock.ErrFull):
							refused++
						case !errors.Is(err, context.Canceled):
							t.Errorf("%s: %v", line, err)
						}
					})
				} else {
					served.Go(func() {
						l.Lock()
						admitted = append(admitted, i)
						l.Unlock()
					})
				}
				synctest.Wait()
			}
			cancel()
			left.Wait()
			if l.TryLock() {
				t.Fatalf("%s: those who left have unlocked", line)
			}
			l.Unlock()
			served.Wait()
			if n := strings.Count(line, "w"); len(admitted) != n {
				t.Errorf("%s: %v were admitted, want %d", line, admitted, n)
			}
			if k.fifo && !slices.IsSorted(admitted) {
				t.Errorf("%s: admitted in the order %v", line, admitted)
			}
			if !l.TryLock() {
				t.Errorf("%s: the lock is not free in the end", line)
			}
		}
	})
}

// TestLockOrder has many goroutines wait, one after another, of which some leave, and come again.
// The others must be admitted in the order of arrival.
func TestLockOrder(t *testing.T) {
	lines(t, func(t *testing.T, k kind) {
		random := rand.New(rand.NewPCG(replay.Seed(t), 0))
		l := k.make()
		for range 20 {
			l.Lock()
			var waiters sync.WaitGroup
			var admitted []int
			for i := range 40 {
				ctx, cancel := context.WithCancel(t.Context())
				leaves := random.IntN(3) == 0
				if leaves {
					time.AfterFunc(time.Duration(random.IntN(40))*time.Second, cancel)
				}
				waiters.Go(func() {
					defer cancel()
					if !leaves {
						l.Lock()
					} else if l.LockContext(ctx) != nil {
						return
					}
					admitted = append(admitted, i)
					l.Unlock()
				})
				time.Sleep(time.Second)
			}
			l.Unlock()
			waiters.Wait()
			if !slices.IsSorted(admitted) {
				t.Fatalf("admitted in the order %v", admitted)
			}
		}
	})
}

// TestLockRounds has goroutines lock again as soon as they have unlocked, while all others wait. A
// lock that is a queue lets each in once before any gets in again.
func TestLockRounds(t *testing.T) {
	lines(t, func(t *testing.T, k kind) {
		const goroutines, rounds = 7, 10
		l := k.make()
		var admitted []int
		var all sync.WaitGroup
		for i := range goroutines {
			all.Go(func() {
				for range rounds {
					l.Lock()
					admitted = append(admitted, i)
					time.Sleep(time.Second) // in which all others come to wait
					l.Unlock()
				}
			})
		}
		all.Wait()
		if len(admitted) != goroutines*rounds {
			t.Fatalf("%d turns, want %d", len(admitted), goroutines*rounds)
		}
		for n := goroutines; n < len(admitted); n++ {
			if admitted[n] != admitted[n-goroutines] {
				t.Fatalf("turn %d is of %d, that a round before of %d: %v", n, admitted[n], admitted[n-goroutines], admitted)
			}
		}
	})
}

// TestUnlockByAnother locks and unlocks on different goroutines.
func TestUnlockByAnother(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		l := k.make()
		for range 100 {
			l.Lock()
			done := make(chan struct{})
			go func() {
				l.Unlock()
				close(done)
			}()
			once(l)
			<-done
		}
	})
}

// TestNewFIFOWithoutQueue holds that a FIFO of no queue is refused when it is made.
func TestNewFIFOWithoutQueue(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "lock: NewFIFO with a nil queue") {
			t.Errorf("panic %q", text)
		}
	}()
	lock.NewFIFO(nil)
}

// TestUnlockUnlocked holds that unlocking a free lock panics, and leaves the lock usable.
func TestUnlockUnlocked(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		l := k.make()
		mustPanic := func(when string) {
			t.Helper()
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "lock: Unlock of a") {
					t.Errorf("%s: panic %q", when, text)
				}
			}()
			l.Unlock()
		}
		mustPanic("new")
		once(l)
		mustPanic("unlocked")
		if !l.TryLock() {
			t.Error("cannot be locked any more")
		}
	})
}

// TestLockAllocatesNothing counts the allocations of locking without contention.
func TestLockAllocatesNothing(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		l := k.make()
		ctx := t.Context()
		n := testing.AllocsPerRun(100, func() {
			once(l)
			if l.TryLock() {
				l.Unlock()
			}
			if l.LockContext(ctx) == nil {
				l.Unlock()
			}
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestLockStorm has many waiters whose contexts end at random, some while they wait, some when the
// lock is handed to them, beside some that stay. None must hang, or be in with another, and the
// lock must be free in the end.
func TestLockStorm(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		const goroutines, turns = 24, 300
		seed := replay.Seed(t)
		l := k.make()
		counter, in, out := 0, atomic.Int64{}, atomic.Int64{}
		var all sync.WaitGroup
		for i := range goroutines {
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				for range turns {
					if i%4 == 0 {
						l.Lock()
					} else {
						ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(20_000)))
						err := l.LockContext(ctx)
						cancel()
						if err != nil {
							out.Add(1)
							continue
						}
					}
					counter++
					if random.IntN(8) == 0 {
						runtime.Gosched()
					}
					in.Add(1)
					l.Unlock()
				}
			})
		}
		all.Wait()
		if counter != int(in.Load()) {
			t.Errorf("counted %d, of %d", counter, in.Load())
		}
		if !l.TryLock() {
			t.Error("the lock is not free in the end")
		}
		t.Logf("%d got in, %d left", in.Load(), out.Load())
	})
}

// TestLockStormInBubble is the storm with a clock that stands still while any goroutine runs, so
// that a hang is found as a deadlock, and with contexts that end at the very time at which the
// lock is unlocked.
func TestLockStormInBubble(t *testing.T) {
	bubble(t, func(t *testing.T, k kind) {
		seed := replay.Seed(t)
		l := k.make()
		counter, in := 0, atomic.Int64{}
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				for range 40 {
					time.Sleep(time.Duration(random.IntN(50)) * time.Millisecond)
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(50))*time.Millisecond)
					if l.LockContext(ctx) == nil {
						counter++
						time.Sleep(time.Duration(random.IntN(5)) * time.Millisecond)
						in.Add(1)
						l.Unlock()
					}
					cancel()
				}
			})
		}
		all.Wait()
		if counter != int(in.Load()) || counter == 0 {
			t.Errorf("counted %d, of %d", counter, in.Load())
		}
		if !l.TryLock() {
			t.Error("the lock is not free in the end")
		}
	})
}
