package activity_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// tryLocker has the methods of all locks.
type tryLocker interface {
	activity.Locker
	TryLock() bool
}

// one is a semaphore with one unit as a lock.
type one struct{ *activity.Semaphore }

func (o one) Lock(ctx context.Context) error { return o.Acquire(ctx, 1) }
func (o one) TryLock() bool                  { return o.TryAcquire(1) }
func (o one) Unlock()                        { o.Release(1) }

var locks = []struct {
	name string
	fair bool
	make func() (l tryLocker, inner any)
}{
	{"Mutex", false, func() (tryLocker, any) { m := new(activity.Mutex); return m, m }},
	{"FairMutex", true, func() (tryLocker, any) { m := new(activity.FairMutex); return m, m }},
	{"RWMutex", true, func() (tryLocker, any) { m := new(activity.RWMutex); return m, m }},
	{"Semaphore", true, func() (tryLocker, any) { s := activity.NewSemaphore(1); return one{s}, s }},
}

func forLocks(t *testing.T, test func(t *testing.T, l tryLocker, inner any, fair bool)) {
	for _, k := range locks {
		t.Run(k.name, func(t *testing.T) {
			l, inner := k.make()
			test(t, l, inner, k.fair)
			if !activity.Unused(inner) {
				t.Error("it is not free in the end")
			}
		})
	}
}

func TestLockSizes(t *testing.T) {
	for name, size := range map[string]uintptr{
		"Mutex": unsafe.Sizeof(activity.Mutex{}), "FairMutex": unsafe.Sizeof(activity.FairMutex{}), "RWMutex": unsafe.Sizeof(activity.RWMutex{}),
	} {
		if size > 16 {
			t.Errorf("%s has %d bytes", name, size)
		}
	}
}

// TestLockExcludes has activities and goroutines add to a counter. Some let others run meanwhile,
// and some give up, or try.
func TestLockExcludes(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		forLocks(t, func(t *testing.T, l tryLocker, _ any, _ bool) {
			const n, turns = 16, 300
			count, inside := 0, atomic.Int32{}
			var want, gaveUp atomic.Int64
			section := func(ctx context.Context, r *rand.Rand) {
				if inside.Add(1) != 1 {
					t.Error("two are in")
				}
				count++
				want.Add(1)
				if r.IntN(4) == 0 {
					pause(ctx)
				}
				inside.Add(-1)
				l.Unlock()
			}
			crew(t, processors, n, func(ctx context.Context, _ int, r *rand.Rand) {
				for range turns {
					switch r.IntN(4) {
					case 0:
						hurried, cancel := impatience(ctx, r)
						if err := l.Lock(hurried); err == nil {
							section(ctx, r)
						} else if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
							t.Error(err)
						} else {
							gaveUp.Add(1)
						}
						cancel()
					case 1:
						if l.TryLock() {
							section(ctx, r)
						}
					default:
						if err := l.Lock(ctx); err != nil {
							t.Error(err)
							return
						}
						section(ctx, r)
					}
				}
			})
			if int64(count) != want.Load() || count < n*turns/3 {
				t.Errorf("counted %d, want %d", count, want.Load())
			}
			t.Logf("%d gave up", gaveUp.Load())
		})
	})
}

// TestLockInOrder has waiters come one after another, every third of which gives up: the others
// get the lock in that order.
func TestLockInOrder(t *testing.T) {
	forLocks(t, func(t *testing.T, l tryLocker, inner any, fair bool) {
		s := started(t, 2)
		var order, want []int
		if err := l.Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, leave := context.WithCancel(context.Background())
		var all, leavers []*activity.Activity
		ended, gaveUp := make(chan error, 100), make(chan error, 100)
		for id := range 30 {
			take := func(ctx context.Context) error {
				if id%3 == 0 {
					if err := l.Lock(left); !errors.Is(err, context.Canceled) {
						t.Errorf("one that gives up: %v", err)
					}
					return nil
				}
				err := l.Lock(ctx)
				order = append(order, id)
				l.Unlock()
				return err
			}
			switch {
			case id%2 == 0:
				a := activity.Go(activity.On(s), func(a *activity.Activity) {
					if err := take(a); err != nil {
						t.Error(err)
					}
				})
				all = append(all, a)
				if id%3 == 0 {
					leavers = append(leavers, a)
				}
			case id%3 == 0:
				go func() { gaveUp <- take(within(t)) }()
			default:
				go func() { ended <- take(within(t)) }()
			}
			if id%3 != 0 {
				want = append(want, id)
			}
			until(t, func() bool { return activity.Waits(inner) == id+1 })
		}
		if l.TryLock() {
			t.Error("locked though it is")
		}
		leave()
		// Before Unlock: a waiter that is canceled may still get the lock.
		for _, a := range leavers {
			if err := a.Wait(within(t)); err != nil {
				t.Error(err)
			}
		}
		for range 5 {
			<-gaveUp
		}
		l.Unlock()
		for _, a := range all {
			if err := a.Wait(within(t)); err != nil {
				t.Error(err)
			}
		}
		for range 10 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if fair && !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		slices.Sort(order)
		if !slices.Equal(order, want) {
			t.Errorf("got it: %v, want %v", order, want)
		}
	})
}

// TestLockForgetsWhoGaveUp has very many waiters give up, one after another, while the lock is
// held and one waiter stays: they leave next to nothing behind.
func TestLockForgetsWhoGaveUp(t *testing.T) {
	forLocks(t, func(t *testing.T, l tryLocker, inner any, _ bool) {
		s := started(t, 2)
		l.Lock(t.Context())
		patient := activity.Go(activity.On(s), func(a *activity.Activity) {
			if err := l.Lock(a); err != nil {
				t.Error(err)
			}
			l.Unlock()
		})
		until(t, func() bool { return activity.Waits(inner) == 1 })
		most := 0
		give := func(ctx context.Context) {
			for range 1000 {
				ctx, cancel := context.WithTimeout(ctx, time.Microsecond)
				if l.Lock(ctx) == nil {
					t.Error("locked twice")
				}
				cancel()
				most = max(most, activity.Waits(inner))
			}
		}
		if err := activity.Go(activity.On(s), func(a *activity.Activity) { give(a) }).Wait(within(t)); err != nil {
			t.Error(err)
		}
		give(context.Background())
		if most > 4 {
			t.Errorf("%d were in the queue at a time", most)
		}
		l.Unlock()
		if err := patient.Wait(within(t)); err != nil {
			t.Error(err)
		}
	})
}

// TestLockMisuse unlocks a lock that is not locked: that panics, and the lock is unchanged.
func TestLockMisuse(t *testing.T) {
	forLocks(t, func(t *testing.T, l tryLocker, _ any, _ bool) {
		for range 3 {
			if text := panics(l.Unlock); !strings.HasPrefix(text, "activity: ") || !strings.Contains(text, "Unlock of an") && !strings.Contains(text, "Release(1) of a") {
				t.Errorf("panicked with %q", text)
			}
			if !l.TryLock() || l.TryLock() {
				t.Error("not as it was")
			}
			l.Unlock()
		}
		var none context.Context
		if text := panics(func() { l.Lock(none) }); text != "" {
			t.Errorf("a lock that is free was taken with a nil context, and panicked with %q", text)
		}
		if text := panics(func() { l.Lock(none) }); !strings.Contains(text, "nil context") {
			t.Errorf("a nil context: panicked with %q", text)
		}
		l.Unlock()
	})
}

// TestLockAtTheEnd gives up a scheduler while activities wait for a lock: they end, and an
// activity that is handed the lock unlocks it.
func TestLockAtTheEnd(t *testing.T) {
	forLocks(t, func(t *testing.T, l tryLocker, inner any, _ bool) {
		s := sched.New(sched.Config{Processors: 2})
		s.Start()
		l.Lock(t.Context())
		var all []*activity.Activity
		for range 20 {
			all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
				if err := l.Lock(a); err != nil {
					t.Error(err)
					return
				}
				defer l.Unlock()
				a.Yield()
			}))
		}
		until(t, func() bool { return activity.Waits(inner) == 20 })
		got := make(chan error)
		go func() {
			err := l.Lock(within(t))
			l.Unlock()
			got <- err
		}()
		until(t, func() bool { return activity.Waits(inner) == 21 })
		go l.Unlock()
		s.Stop(time.After(time.Minute))
		activity.InterruptAll(s)
		for _, a := range all {
			if err := a.Wait(within(t)); err != nil && !errors.Is(err, activity.ErrClosed) {
				t.Error(err)
			}
		}
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}

// TestMutexIsFairInTheEnd has an activity that locks again and again, and never waits: another one
// comes in all the same.
func TestMutexIsFairInTheEnd(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		s := started(t, processors)
		var m activity.Mutex
		var in atomic.Bool
		greedy := activity.Go(activity.On(s), func(a *activity.Activity) {
			m.Lock(a)
			for !in.Load() {
				m.Unlock()
				m.Lock(a)
				a.Yield() // with the lock: a waiter that is woken finds it locked
			}
			m.Unlock()
		})
		modest := activity.Go(activity.On(s), func(a *activity.Activity) {
			m.Lock(a)
			in.Store(true)
			m.Unlock()
		})
		if err := errors.Join(modest.Wait(within(t)), greedy.Wait(within(t))); err != nil {
			t.Error(err)
		}
	})
}

// plainLock has the methods that the conformance tests need, for ordinary goroutines.
type plainLock struct{ tryLocker }

func (l plainLock) Lock()                                 { _ = l.tryLocker.Lock(context.Background()) }
func (l plainLock) LockContext(ctx context.Context) error { return l.tryLocker.Lock(ctx) }

// TestLockLadder holds the locks to what all locks have in common.
func TestLockLadder(t *testing.T) {
	for _, k := range locks {
		t.Run(k.name, func(t *testing.T) {
			conformance.Lock(t, conformance.LockSpec{New: func(int) conformance.Locker {
				l, _ := k.make()
				return plainLock{l}
			}})
		})
	}
}
