package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

var (
	lockOnUnit = freerun.Op("locked.unit", func(*freerun.Context, *int, int) (int, error) {
		runtime.LockOSThread()
		return 1, nil
	})
	lockFree = freerun.FreeOp("locked.free", func(_ *freerun.Context, times int) (int, error) {
		for range times {
			runtime.LockOSThread()
		}
		return 1, nil
	})
	lockAndPanic = freerun.FreeOp("locked.panic", func(*freerun.Context, int) (int, error) {
		runtime.LockOSThread()
		panic("on purpose")
	})
	lockAndExit = freerun.Op("locked.goexit", func(*freerun.Context, *int, int) (int, error) {
		runtime.LockOSThread()
		runtime.Goexit()
		return 0, nil
	})
	lockInBlock = freerun.Op("locked.block", func(c *freerun.Context, _ *int, _ int) (int, error) {
		c.Block(runtime.LockOSThread)
		return 1, nil
	})
	lockInJoin = freerun.FreeOp("locked.join", func(c *freerun.Context, _ int) (int, error) {
		freerun.Join(c, func(*freerun.Context) int { return 1 }, branchThatLocks)
		return 1, nil
	})
	forgetsNothing = freerun.Op("locked.unlocks", func(_ *freerun.Context, n *int, _ int) (int, error) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		*n++
		return *n, nil
	})
)

func branchThatLocks(*freerun.Context) int {
	runtime.LockOSThread()
	return 1
}

func activityThatLocks(a *activity.Activity) {
	a.Yield()
	runtime.LockOSThread()
	a.Yield()
	runtime.LockOSThread()
}

// lockings are the ways to leave a goroutine locked to its thread. blamed is the operation that the
// report names.
var lockings = []struct {
	name, blamed string
	do           func(t *testing.T, rt *freerun.Runtime)
}{
	{"operation", "freerun_test.locked.unit", func(t *testing.T, rt *freerun.Runtime) {
		runtimetest.Must(t, lockOnUnit.Send(rt.Context(), freerun.NewUnit(rt, 0), 1))
	}},
	{"operation amid others of its unit", "freerun_test.locked.unit", func(t *testing.T, rt *freerun.Runtime) {
		u, c := freerun.NewUnit(rt, 0), rt.Context()
		for range 10 {
			forgetsNothing.Send(c, u, 1)
		}
		f := lockOnUnit.Send(c, u, 1)
		for range 10 {
			forgetsNothing.Send(c, u, 1)
		}
		runtimetest.Must(t, f)
	}},
	{"unit with a limit", "freerun_test.locked.unit", func(t *testing.T, rt *freerun.Runtime) {
		runtimetest.Must(t, lockOnUnit.Send(rt.Context(), freerun.NewUnit(rt, 0, freerun.MailboxLimit(10, freerun.WaitForRoom)), 1))
	}},
	{"free operation", "freerun_test.locked.free", func(t *testing.T, rt *freerun.Runtime) {
		runtimetest.Must(t, lockFree.Send(rt.Context(), 1))
	}},
	{"free operation, thrice", "freerun_test.locked.free", func(t *testing.T, rt *freerun.Runtime) {
		runtimetest.Must(t, lockFree.Send(rt.Context(), 3))
	}},
	{"closure", "func", func(t *testing.T, rt *freerun.Runtime) {
		runtimetest.Must(t, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return branchThatLocks(nil), nil }))
	}},
	{"timer", "freerun_test.locked.free", func(t *testing.T, rt *freerun.Runtime) {
		f, _ := lockFree.SendAfter(rt.Context(), time.Microsecond, 1)
		runtimetest.Must(t, f)
	}},
	{"panic", "freerun_test.locked.panic", func(t *testing.T, rt *freerun.Runtime) {
		var failure *freerun.PanicError
		if _, err := lockAndPanic.Send(rt.Context(), 1).Wait(runtimetest.Within(t)); !errors.As(err, &failure) {
			t.Error(err)
		}
	}},
	{"Goexit", "freerun_test.locked.goexit", func(t *testing.T, rt *freerun.Runtime) {
		if _, err := lockAndExit.Send(rt.Context(), freerun.NewUnit(rt, 0), 1).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrGoexit) {
			t.Error(err)
		}
	}},
	{"Block", "freerun_test.locked.block", func(t *testing.T, rt *freerun.Runtime) {
		runtimetest.Must(t, lockInBlock.Send(rt.Context(), freerun.NewUnit(rt, 0), 1))
	}},
	{"branch", "freerun_test.locked.join", func(t *testing.T, rt *freerun.Runtime) {
		runtimetest.Must(t, lockInJoin.Send(rt.Context(), 1))
	}},
	{"activity", "activityThatLocks", func(t *testing.T, rt *freerun.Runtime) {
		if err := activity.Go(rt, activityThatLocks).Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
	}},
	{"named activity that panics", "locker", func(t *testing.T, rt *freerun.Runtime) {
		a := activity.Go(rt, func(*activity.Activity) {
			runtime.LockOSThread()
			panic("on purpose")
		}, activity.Named("locker"))
		if a.Wait(runtimetest.Within(t)) == nil {
			t.Error("it did not fail")
		}
	}},
	{"activity that calls Goexit", "locker", func(t *testing.T, rt *freerun.Runtime) {
		a := activity.Go(rt, func(a *activity.Activity) {
			a.Yield()
			runtime.LockOSThread()
			runtime.Goexit()
		}, activity.Named("locker"))
		if !errors.Is(a.Wait(runtimetest.Within(t)), freerun.ErrGoexit) {
			t.Error("it did not fail")
		}
	}},
	{"activity in Block", "locker", func(t *testing.T, rt *freerun.Runtime) {
		a := activity.Go(rt, func(a *activity.Activity) { a.Block(runtime.LockOSThread) }, activity.Named("locker"))
		if err := a.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
	}},
	{"condition that another activity looks at", "looker", func(t *testing.T, rt *freerun.Runtime) {
		var m activity.Monitor
		open := false
		var waiting atomic.Bool
		waiter := activity.Go(rt, func(a *activity.Activity) {
			m.Enter(a)
			defer m.Leave()
			m.Await(a, func() bool {
				if open {
					runtime.LockOSThread()
				}
				waiting.Store(true)
				return open
			})
		})
		looker := activity.Go(rt, func(a *activity.Activity) {
			for !waiting.Load() {
				a.Yield()
			}
			m.Enter(a)
			open = true
			m.Leave()
		}, activity.Named("looker"))
		for _, a := range []*activity.Activity{waiter, looker} {
			if err := a.Wait(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
		}
	}},
}

// TestLockedIsLeftAndReported leaves goroutines locked to their threads in every way, and then runs
// activities on the same processors. Each goroutine that was left locked is reported once.
func TestLockedIsLeftAndReported(t *testing.T) {
	for _, l := range lockings {
		for name, options := range map[string][]freerun.Option{
			"one":           {freerun.Processors(1)},
			"two":           {freerun.Processors(2)},
			"deterministic": {freerun.Deterministic(1)},
		} {
			t.Run(l.name+"/"+name, func(t *testing.T) {
				rt, told := runtimetest.Start(t, options...)
				for range 3 {
					l.do(t, rt)
					switchOften(t, rt)
				}
				if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
					t.Error(err)
				}
				reports := 0
				for _, text := range told.Texts() {
					if strings.Contains(text, "left its goroutine locked") {
						reports++
						if way, _ := threadlock.Status(); way != "word" && strings.Contains(l.name, "amid others") {
							continue // found after the unit's turn: any operation may be blamed
						}
						if !strings.Contains(text, l.blamed) {
							t.Errorf("%q is blamed: %s", l.blamed, text)
						}
					}
				}
				if reports != 3 {
					t.Errorf("%d reports, want 3: %q", reports, told.Texts())
				}
			})
		}
	}
}

// switchOften runs activities on all processors.
func switchOften(t *testing.T, rt *freerun.Runtime) {
	t.Helper()
	u := freerun.NewUnit(rt, 0)
	var all []*activity.Activity
	for range 8 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			for range 20 {
				a.Yield()
				if _, err := forgetsNothing.Send(freerun.ContextOf(a), u, 1).Await(a); err != nil {
					t.Error(err)
				}
			}
		}))
	}
	for _, a := range all {
		if err := a.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
	}
}

// TestLockedBranches leaves goroutines locked in branches that thieves run, as tasks of their own
// and while a thief waits in a join.
func TestLockedBranches(t *testing.T) {
	wait := func(until *atomic.Bool) {
		for !until.Load() {
			runtime.Gosched()
		}
	}
	body := func(c *freerun.Context) {
		var inner, outer atomic.Bool
		freerun.Join(c, func(*freerun.Context) int {
			wait(&outer) // so the other branch is stolen
			return 0
		}, func(c *freerun.Context) int {
			outer.Store(true)
			freerun.Join(c, func(*freerun.Context) int {
				wait(&inner) // so the waiter in the outer join, or a thief, runs the other branch
				return 0
			}, func(c *freerun.Context) int {
				inner.Store(true)
				return branchThatLocks(c)
			})
			return 0
		})
	}
	for name, run := range map[string]func(rt *freerun.Runtime) error{
		"operation": func(rt *freerun.Runtime) error {
			_, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { body(c); return 0, nil }).Wait(runtimetest.Within(t))
			return err
		},
		"activity": func(rt *freerun.Runtime) error {
			return activity.Go(rt, func(a *activity.Activity) {
				body(freerun.ContextOf(a))
				a.Yield()
			}).Wait(runtimetest.Within(t))
		},
	} {
		for _, processors := range []int{2, 3} {
			t.Run(name, func(t *testing.T) {
				rt, told := runtimetest.Start(t, freerun.Processors(processors))
				for range 20 {
					if err := run(rt); err != nil {
						t.Error(err)
					}
					switchOften(t, rt)
				}
				if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
					t.Error(err)
				}
				reports := 0
				for _, text := range told.Texts() {
					if strings.Contains(text, "TestLockedBranches") {
						reports++
					}
				}
				if reports != 20 {
					t.Errorf("%d reports name the branch, want 20: %q", reports, told.Texts())
				}
			})
		}
	}
}

// TestLockedActivityWaits: activities that are locked to their threads may wait in every way, and
// go on in the same thread.
func TestLockedActivityWaits(t *testing.T) {
	for _, processors := range []int{1, 2} {
		rt, told := runtimetest.Start(t, freerun.Processors(processors))
		u := freerun.NewUnit(rt, 0)
		var m activity.Mutex
		box := activity.NewMailbox[int](1)
		sum := 0
		var all []*activity.Activity
		for i := range 8 {
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				check := func(err error) {
					if err != nil {
						t.Error(err)
					}
				}
				for range 10 {
					a.Yield()
					a.Check(activity.Quantum + 1)
					check(m.Lock(a))
					sum++
					a.Yield()
					m.Unlock()
					_, err := forgetsNothing.Send(freerun.ContextOf(a), u, 1).Await(a)
					check(err)
					check(a.Sleep(time.Microsecond))
					a.Block(runtime.Gosched)
					a.Block(a.Yield)
					a.Block(func() { check(a.Sleep(time.Microsecond)) })
					ctx, cancel := context.WithTimeout(a, time.Microsecond)
					if i%2 == 0 {
						check(box.Send(a, i))
					} else if _, err := box.Receive(a); err != nil {
						t.Error(err)
					}
					var end activity.Event
					if err := activity.Go(a, func(a *activity.Activity) { check(end.Wait(a)) }).Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
					end.Set()
					cancel()
				}
			}))
		}
		for _, a := range all {
			if err := a.Wait(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
		}
		switchOften(t, rt)
		if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		if sum != 80 {
			t.Errorf("sum %d, want 80", sum)
		}
		if texts := told.Texts(); len(texts) > 0 {
			t.Errorf("reports: %q", texts)
		}
	}
}

// TestLockedActivityIsEnded closes runtimes while activities that are locked to their threads wait.
// The activities' deferred functions run.
func TestLockedActivityIsEnded(t *testing.T) {
	for round := range 50 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		var begun, ended atomic.Int64
		box := activity.NewMailbox[int](1)
		for i := range 6 {
			activity.Go(rt, func(a *activity.Activity) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				defer ended.Add(1)
				begun.Add(1)
				for {
					switch (i + round) % 3 {
					case 0:
						box.Receive(a)
					case 1:
						a.Yield()
					case 2:
						a.Sleep(time.Hour)
					}
				}
			})
		}
		for begun.Load() < 6 {
			runtime.Gosched()
		}
		rt.Close()
		for ended.Load() < 6 {
			runtime.Gosched()
		}
	}
}

// TestLockedInDeterministicRuntimes: activities and operations that are locked to their threads go
// on where the schedule would let others go first, and calls that would have to wait are refused.
func TestLockedInDeterministicRuntimes(t *testing.T) {
	for seed := range uint64(20) {
		rt, _ := runtimetest.Start(t, freerun.Deterministic(seed))
		u, held := freerun.NewUnit(rt, 0), activity.NewSemaphore(1)
		held.TryAcquire(1)
		f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for range 5 {
				forgetsNothing.Send(c, u, 1)
				c.Block(func() {})
			}
			return 1, nil
		})
		a := activity.Go(rt, func(a *activity.Activity) {
			runtime.LockOSThread()
			a.Yield()
			a.Check(activity.Quantum + 1)
			a.Block(func() {})
			forgetsNothing.Send(freerun.ContextOf(a), u, 1)
			if err := a.Sleep(time.Hour); !errors.Is(err, activity.ErrThreadLocked) {
				t.Error(err)
			}
			if err := held.Acquire(a, 1); !errors.Is(err, activity.ErrThreadLocked) {
				t.Error(err)
			}
			runtime.UnlockOSThread()
			if err := a.Sleep(time.Hour); err != nil {
				t.Error(err)
			}
		})
		if err := a.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		runtimetest.Must(t, f)
	}
}

// TestLockedCallers makes, uses and ends runtimes on goroutines that are locked to their threads,
// as the main goroutine often is.
func TestLockedCallers(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, options := range map[string][]freerun.Option{
		"one":           {freerun.Processors(1)},
		"two":           {freerun.Processors(2)},
		"deterministic": {freerun.Deterministic(1)},
	} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			rt, _ := runtimetest.Start(t, options...)
			switchOften(t, rt)
			begun, ended := make(chan struct{}, 3), make(chan struct{}, 3)
			for range 3 {
				activity.Go(rt, func(a *activity.Activity) {
					defer func() { ended <- struct{}{} }()
					begun <- struct{}{}
					for {
						a.Sleep(time.Second)
					}
				})
			}
			if name == "deterministic" {
				runtimetest.Must(t, freerun.After(rt.Context(), 10*time.Second))
			}
			for range 3 {
				<-begun
			}
			rt.Close()
			for range 3 {
				<-ended
			}
		})
	}
}
