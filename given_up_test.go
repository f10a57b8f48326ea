package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/sched"
)

// givenUp is how many waits a test gives up, to see what they leave behind.
var givenUp = 15_000 + runtimetest.Repeats(45_000)

// What the scheduler of two processors may keep whatever is given up: stacks, and the objects and
// bytes of each, with its goroutine and its entry in the registry.
const (
	keptStacks   = 2*256 + atOnce
	stackObjects = 30
	stackBytes   = 2000
)

// What the heap may grow by, whatever is given up: less than an object, and 50 bytes, for each.
const (
	someObjects = 7_500
	someBytes   = 960_000
)

// atOnce is how many waits a test gives up in its first turn, more than in each later one.
const atOnce = 1200

// leavesNothing holds that waits which are given up leave nothing in the heap that grows with their
// number. It calls giveUp in turns; n is how many waits to give up in this turn, givenUp in total.
func leavesNothing(t *testing.T, turns int, giveUp func(n int)) {
	t.Helper()
	n := givenUp / turns
	giveUp(atOnce) // what stays for good comes first: the pools of stacks fill up
	giveUp(n)
	stacks := len(sched.Coroutines())
	objects, bytes := heap()
	for range turns {
		giveUp(n)
	}
	moreObjects, moreBytes := heap()
	moreStacks := len(sched.Coroutines()) - stacks
	grown, size := int(moreObjects-objects), int(moreBytes-bytes)
	t.Logf("%d given up: %d objects, %d bytes; %d stacks more than %d", givenUp, grown, size, moreStacks, stacks)
	// How far the pools are filled when the heap is read depends on which processor ran what. So
	// the stacks have a bound of their own, and do not count in the others.
	if stacks+moreStacks > keptStacks {
		t.Errorf("%d stacks are kept after %d waits, at most %d at once", stacks+moreStacks, givenUp, atOnce)
	}
	if more := max(moreStacks, 0); grown > someObjects+more*stackObjects || size > someBytes+more*stackBytes {
		t.Errorf("%d given up have left %d objects, %d bytes, and %d stacks", givenUp, grown, size, moreStacks)
	}
}

// heap returns the objects and bytes in use after a collection.
func heap() (objects, bytes uint64) {
	var m runtime.MemStats
	for range 3 { // it takes two collections to empty a pool
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapObjects, m.HeapAlloc
}

// pending returns a future that has no outcome until resolve is called.
func pending(rt *freerun.Runtime) (f freerun.Future[int], resolve func()) {
	release := make(chan struct{})
	f = freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(c *freerun.Context, _ *int) (int, error) {
		c.Block(func() { <-release })
		return 7, nil
	})
	return f, func() { close(release) }
}

// TestGivenUpAwaits has activities of scopes that are canceled await one future: as the only
// waiters, beside an activity that waits to the end, and many at a time.
func TestGivenUpAwaits(t *testing.T) {
	for _, k := range []struct {
		name    string
		patient bool
		turns   int
	}{
		{"one at a time", false, 3000},
		{"beside a patient one", true, 3000},
		{"many at a time", true, 600},
	} {
		t.Run(k.name, func(t *testing.T) {
			rt := runtimetest.Quiet(t, freerun.Processors(2))
			f, resolve := pending(rt)
			var patient *activity.Activity
			if k.patient {
				patient = activity.Go(rt, func(a *activity.Activity) {
					if v, err := f.Await(a); v != 7 || err != nil {
						t.Errorf("patient: %d, %v", v, err)
					}
				})
			}
			leavesNothing(t, k.turns, func(n int) {
				all, cancel := make([]*activity.Activity, n), make([]*freerun.Scope, n)
				for i := range all {
					s := rt.Scope(context.Background())
					cancel[i] = s
					all[i] = activity.Go(s, func(a *activity.Activity) {
						if _, err := f.Await(a); !errors.Is(err, freerun.ErrCanceled) {
							t.Errorf("given up: %v", err)
						}
					})
				}
				runtime.Gosched()
				for i, a := range all {
					cancel[i].Cancel(nil)
					_ = a.Wait(t.Context())
				}
			})
			resolve()
			if v, err := f.Wait(runtimetest.Within(t)); v != 7 || err != nil {
				t.Errorf("%d, %v", v, err)
			}
			if patient != nil {
				_ = patient.Wait(runtimetest.Within(t))
			}
		})
	}
}

// TestGivenUpWaits has ordinary goroutines give up a wait: for a future, for a scope, for an
// activity, and for the runtime to have nothing to do.
func TestGivenUpWaits(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	f, resolve := pending(rt)
	defer resolve()
	s := rt.Scope(context.Background())
	release := make(chan struct{})
	defer close(release)
	sleeper := activity.Go(s, func(a *activity.Activity) { a.Block(func() { <-release }) })
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for name, wait := range map[string]func() error{
		"Future.Wait":   func() error { _, err := f.Wait(over); return err },
		"Scope.Wait":    func() error { return s.Wait(over) },
		"Activity.Wait": func() error { return sleeper.Wait(over) },
		"Quiesce":       func() error { return rt.Quiesce(over) },
		"Done": func() error {
			select {
			case <-f.Done():
				return nil
			default:
				return context.Canceled
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t, 60, func(n int) {
				for range n {
					if err := wait(); !errors.Is(err, context.Canceled) {
						t.Fatalf("%v", err)
					}
				}
			})
		})
	}
}

// TestGivenUpInActivities has activities give up each wait that package activity offers: their
// contexts end while they wait.
func TestGivenUpInActivities(t *testing.T) {
	mutex, fair, rw, semaphore := new(activity.Mutex), new(activity.FairMutex), new(activity.RWMutex), activity.NewSemaphore(1)
	for _, l := range []activity.Locker{mutex, fair, rw} {
		_ = l.Lock(context.Background())
	}
	_ = semaphore.Acquire(context.Background(), 1)
	event, latch, barrier := new(activity.Event), activity.NewLatch(1), activity.NewBarrier(givenUp)
	monitor, cond := new(activity.Monitor), activity.NewCond(new(activity.Mutex))
	full, empty := activity.NewMailbox[*int](1), activity.NewMailbox[*int](1)
	full.TrySend(new(int))
	for name, wait := range map[string]func(ctx context.Context) error{
		"Mutex":           func(ctx context.Context) error { return mutex.Lock(ctx) },
		"FairMutex":       func(ctx context.Context) error { return fair.Lock(ctx) },
		"RWMutex":         func(ctx context.Context) error { return rw.RLock(ctx) },
		"Semaphore":       func(ctx context.Context) error { return semaphore.Acquire(ctx, 1) },
		"Event":           func(ctx context.Context) error { return event.Wait(ctx) },
		"Latch":           func(ctx context.Context) error { return latch.Wait(ctx) },
		"Barrier":         func(ctx context.Context) error { _, err := barrier.Arrive(ctx); return err },
		"Mailbox.Send":    func(ctx context.Context) error { return full.Send(ctx, new(int)) },
		"Mailbox.Receive": func(ctx context.Context) error { _, err := empty.Receive(ctx); return err },
		"Monitor": func(ctx context.Context) error {
			return monitor.Do(context.Background(), func() error { return monitor.Await(ctx, func() bool { return false }) })
		},
		"Cond": func(ctx context.Context) error {
			if err := cond.L.Lock(context.Background()); err != nil {
				return err
			}
			defer cond.L.Unlock()
			return cond.Wait(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rt := runtimetest.Quiet(t, freerun.Processors(2))
			leavesNothing(t, 300, func(n int) {
				s := rt.Scope(context.Background())
				for range n {
					activity.Go(s, func(a *activity.Activity) {
						if err := wait(a); !errors.Is(err, freerun.ErrCanceled) {
							t.Errorf("given up: %v", err)
						}
					})
				}
				runtime.Gosched()
				s.Cancel(nil)
				_ = s.Wait(runtimetest.Within(t))
			})
		})
	}
}

// TestAwaitAllocatesNothing compares the allocations of messages whose futures are awaited, by one
// activity and by two, with those of messages whose futures are not.
func TestAwaitAllocatesNothing(t *testing.T) {
	const rounds = 2000
	cost := func(waiters int) float64 {
		rt := runtimetest.Quiet(t, freerun.Processors(1))
		u := freerun.NewUnit(rt, 0)
		var turn freerun.Future[int]
		var mallocs [2]uint64
		var all []*activity.Activity
		for id := range max(waiters, 1) {
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				var m runtime.MemStats
				for round := range 2 * rounds {
					if id == 0 {
						if round%rounds == 0 {
							runtime.ReadMemStats(&m)
							mallocs[round/rounds] = m.Mallocs
						}
						turn = runtimetest.AddOne.Send(freerun.ContextOf(a), u, 1)
					}
					if f := turn; waiters == 0 {
						for a.Yield(); ; a.Yield() {
							if _, err := f.Result(); err != freerun.ErrWouldBlock {
								break
							}
						}
					} else if v, err := f.Await(a); err != nil || v == 0 {
						t.Errorf("%d, %v", v, err)
					}
				}
				if id == 0 {
					runtime.ReadMemStats(&m)
					mallocs[0], mallocs[1] = mallocs[1], m.Mallocs
				}
			}))
		}
		for _, a := range all {
			_ = a.Wait(runtimetest.Within(t))
		}
		return float64(mallocs[1]-mallocs[0]) / rounds
	}
	without := cost(0)
	for waiters := 1; waiters <= 2; waiters++ {
		if with := cost(waiters); with > without+0.1 {
			t.Errorf("%d await: %.2f allocations a message; %.2f without", waiters, with, without)
		}
	}
}
