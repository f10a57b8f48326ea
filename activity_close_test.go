package freerun_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// section is the critical section of a lock under test. It counts the overlaps: entries while
// another goroutine is inside.
type section struct {
	inside   atomic.Int64
	overlaps atomic.Int64
	data     int // a plain field, so that the race detector watches too
}

// enter and leave are called with the lock held.
func (s *section) enter() {
	if s.inside.Add(1) != 1 {
		s.overlaps.Add(1)
	}
	s.data++
}

func (s *section) leave() {
	s.data--
	s.inside.Add(-1)
}

// closings has activities wait inside of something that they release while they wait, and ends the
// runtime at a random moment, again and again, while ordinary goroutines use the same thing.
// Wherever the end finds an activity, the activity is alone inside when its deferred functions run.
// wait is a turn of an activity, which the end of its runtime ends at the latest; visit is a turn
// of an ordinary goroutine.
func closings(t *testing.T, rounds int, setUp func() (wait func(a *activity.Activity, s *section), visit func(s *section))) {
	r := rand.New(rand.NewPCG(replay.Seed(t), 0))
	for _, processors := range []int{1, 2, 4} {
		for round := range rounds {
			wait, visit := setUp()
			var s section
			rt := runtimetest.Quiet(t, freerun.Processors(processors))
			var all []*activity.Activity
			for range 60 {
				all = append(all, activity.Go(rt, func(a *activity.Activity) {
					for {
						wait(a, &s)
						a.Yield()
					}
				}))
			}
			var over atomic.Bool
			var visitors sync.WaitGroup
			for range 2 {
				visitors.Go(func() {
					for !over.Load() {
						visit(&s)
						runtime.Gosched()
					}
				})
			}
			time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
			if round%2 == 0 {
				_ = rt.Close()
			} else {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				_ = rt.Shutdown(ctx)
			}
			for _, a := range all {
				if err := a.Wait(runtimetest.Within(t)); err != freerun.ErrClosed {
					t.Fatalf("%d processors, round %d: an activity came to %v", processors, round, err)
				}
			}
			over.Store(true)
			visitors.Wait()
			if s.inside.Load() != 0 || s.overlaps.Load() != 0 || s.data != 0 {
				t.Fatalf("%d processors, round %d: %d are inside at the end; %d times two were", processors, round, s.inside.Load(), s.overlaps.Load())
			}
		}
	}
}

// TestMonitorAtTheEnd has activities await conditions at the end of their runtime.
func TestMonitorAtTheEnd(t *testing.T) {
	closings(t, 20, func() (func(*activity.Activity, *section), func(*section)) {
		var m activity.Monitor
		turns := 0
		return func(a *activity.Activity, s *section) {
				_ = m.Enter(a)
				defer m.Leave()
				s.enter()
				defer s.leave()
				turns++
				s.leave()
				defer s.enter() // also if Await does not return
				_ = m.Await(a, func() bool { return turns%3 == 0 })
			}, func(s *section) {
				_ = m.Do(context.Background(), func() error {
					s.enter()
					defer s.leave()
					turns++
					return nil
				})
			}
	})
}

// TestCondAtTheEnd has activities wait for signals at the end of their runtime, under each kind of
// lock.
func TestCondAtTheEnd(t *testing.T) {
	for name, l := range map[string]func() activity.Locker{
		"Mutex":     func() activity.Locker { return new(activity.Mutex) },
		"FairMutex": func() activity.Locker { return new(activity.FairMutex) },
		"RWMutex":   func() activity.Locker { return new(activity.RWMutex) },
		"Semaphore": func() activity.Locker { return unitOf{activity.NewSemaphore(1)} },
	} {
		t.Run(name, func(t *testing.T) {
			closings(t, 10, func() (func(*activity.Activity, *section), func(*section)) {
				c := activity.NewCond(l())
				return func(a *activity.Activity, s *section) {
						_ = c.L.Lock(a)
						defer c.L.Unlock()
						s.enter()
						defer s.leave()
						s.leave()
						defer s.enter() // also if Wait does not return
						_ = c.Wait(a)
					}, func(s *section) {
						_ = c.L.Lock(context.Background())
						defer c.L.Unlock()
						s.enter()
						defer s.leave()
						c.Signal()
					}
			})
		})
	}
}

// unitOf is a lock made of a semaphore, which package activity does not know as a lock.
type unitOf struct{ *activity.Semaphore }

func (u unitOf) Lock(ctx context.Context) error { return u.Acquire(ctx, 1) }
func (u unitOf) Unlock()                        { u.Release(1) }

// TestLockedAcrossTheEnd has a goroutine hold the lock of a Cond, or be inside of a Monitor, while
// it closes the runtime. The waiting activities are ended, each with the lock, one after another,
// once the goroutine releases it.
func TestLockedAcrossTheEnd(t *testing.T) {
	var m activity.Monitor
	c := activity.NewCond(new(activity.FairMutex))
	for _, k := range []struct {
		name         string
		lock, unlock func()
		wait         func(a *activity.Activity)
	}{
		{"Cond", func() { _ = c.L.Lock(context.Background()) }, c.L.Unlock, func(a *activity.Activity) { _ = c.Wait(a) }},
		{"Monitor", func() { _ = m.Enter(context.Background()) }, m.Leave, func(a *activity.Activity) { _ = m.Await(a, func() bool { return false }) }},
	} {
		t.Run(k.name, func(t *testing.T) {
			rt := runtimetest.Quiet(t, freerun.Processors(2))
			var s section
			var waiting atomic.Int64
			var all []*activity.Activity
			for range 50 {
				all = append(all, activity.Go(rt, func(a *activity.Activity) {
					k.lock()
					defer k.unlock()
					defer func() { // without a processor, and asked for no context before
						if c := freerun.ContextOf(a); c.Runtime() != rt || c != freerun.ContextOf(a) {
							t.Error("not the context of this runtime, or two of them")
						}
					}()
					defer s.leave()
					defer s.enter()
					waiting.Add(1)
					k.wait(a)
				}))
			}
			for waiting.Load() < 50 {
				runtime.Gosched()
			}
			k.lock()
			s.enter()
			_ = rt.Close()
			for _, a := range all {
				if a.Ended() {
					t.Error("ended without the lock")
				}
			}
			s.leave()
			k.unlock()
			for _, a := range all {
				if err := a.Wait(runtimetest.Within(t)); err != freerun.ErrClosed {
					t.Errorf("came to %v", err)
				}
			}
			if s.overlaps.Load() != 0 || s.data != 0 {
				t.Errorf("%d times two were inside", s.overlaps.Load())
			}
		})
	}
}

// TestLocksAndTheEndOfAGoroutine has activities leave what a lock guards by a panic, by Goexit, and
// by an error of a wait, in turns with others.
func TestLocksAndTheEndOfAGoroutine(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	var m activity.Monitor
	c := activity.NewCond(new(activity.Mutex))
	var inMonitor, inLock section
	var all []*activity.Activity
	scope := rt.Scope(t.Context())
	for i := range 300 {
		where := activity.Starter(rt)
		if i%4 == 3 {
			where = scope
		}
		all = append(all, activity.Go(where, func(a *activity.Activity) {
			end := func() {
				switch i % 4 {
				case 0:
					panic("on purpose")
				case 1:
					runtime.Goexit()
				}
			}
			if c.L.Lock(a) != nil {
				return
			}
			defer c.L.Unlock()
			defer inLock.leave()
			defer inLock.enter()
			if i%4 == 3 {
				_ = c.Wait(a)
			}
			defer end()
			if m.Enter(a) != nil {
				return
			}
			defer m.Leave()
			defer inMonitor.leave()
			defer inMonitor.enter()
			if i%4 == 3 {
				_ = m.Await(a, func() bool { return false })
			}
			end()
		}))
	}
	for i, a := range all {
		if i%4 != 3 {
			_ = a.Wait(runtimetest.Within(t))
		}
	}
	scope.Cancel(nil)
	for _, a := range all {
		_ = a.Wait(runtimetest.Within(t))
	}
	for _, s := range []*section{&inMonitor, &inLock} {
		if s.overlaps.Load() != 0 || s.data != 0 {
			t.Errorf("%d times two were inside", s.overlaps.Load())
		}
	}
	if !m.TryEnter() || !c.L.(*activity.Mutex).TryLock() {
		t.Error("locked at the end")
	}
}
