package activity_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// started returns a scheduler to start activities on; when the test ends, all activities end.
func started(t testing.TB, processors int) *sched.Scheduler {
	t.Helper()
	s := sched.New(sched.Config{Processors: processors})
	s.Start()
	t.Cleanup(func() {
		s.Stop(time.After(time.Minute))
		activity.InterruptAll(s)
	})
	return s
}

// within is how long a test waits for what must happen, before it counts as a hang.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestSize(t *testing.T) {
	if size := unsafe.Sizeof(activity.Activity{}); size > 96 {
		t.Errorf("an activity that was never run has %d bytes, want at most 96", size)
	}
}

func TestYieldTakesTurns(t *testing.T) {
	s := sched.New(sched.Config{Processors: 1})
	var order []int
	var all []*activity.Activity
	for id := range 3 {
		all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
			for range 4 {
				order = append(order, id)
				a.Yield()
			}
		}))
	}
	s.Start()
	for _, a := range all {
		if err := a.Wait(within(t)); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(order, []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}) {
		t.Errorf("order %v", order)
	}
	s.Stop(nil)
}

func TestCheckYieldsWhenTheQuantumIsUsedUp(t *testing.T) {
	for name, check := range map[string]func(a *activity.Activity){
		"Check": func(a *activity.Activity) { a.Check(3) }, "CheckInserted": func(a *activity.Activity) { a.CheckInserted(3) },
	} {
		s := sched.New(sched.Config{Processors: 1})
		var stop atomic.Bool
		rounds := 0
		busy := activity.Go(activity.On(s), func(a *activity.Activity) {
			for !stop.Load() {
				rounds++
				check(a)
			}
		})
		other := activity.Go(activity.On(s), func(*activity.Activity) { stop.Store(true) })
		s.Start()
		if err := errors.Join(busy.Wait(within(t)), other.Wait(within(t))); err != nil {
			t.Error(name, err)
		}
		if want := activity.Quantum/3 + 1; rounds != want {
			t.Errorf("%s: %d rounds until the other one had its turn, want %d", name, rounds, want)
		}
		s.Stop(nil)
	}
}

// TestQuanta: an activity with more quanta yields later at its checks, and each time.
func TestQuanta(t *testing.T) {
	s := sched.New(sched.Config{Processors: 1})
	turns, rounds := 0, 0
	var at []int
	busy := activity.Go(activity.On(s), func(a *activity.Activity) {
		for turns < 2 {
			rounds++
			a.Check(activity.Quantum / 4)
		}
	}, activity.Quanta(3))
	activity.Go(activity.On(s), func(a *activity.Activity) {
		for turns < 2 {
			turns++
			at = append(at, rounds)
			a.Yield()
		}
	})
	s.Start()
	if err := busy.Wait(within(t)); err != nil {
		t.Error(err)
	}
	if want := []int{13, 26}; !slices.Equal(at, want) {
		t.Errorf("the other one had its turns after %v rounds, want %v", at, want)
	}
	s.Stop(nil)
	for _, n := range []int{0, -1, 256} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, fmt.Sprintf("Quanta(%d), and it must be from 1 to 255", n)) {
					t.Errorf("Quanta(%d): %s", n, said)
				}
			}()
			activity.Quanta(n)
		}()
	}
}

// TestCheckElsewhere: checks are inserted where an activity is in reach. That may be nil, an
// activity that has not begun, or another one.
func TestCheckElsewhere(t *testing.T) {
	(*activity.Activity)(nil).Check(1)
	(*activity.Activity)(nil).CheckInserted(1)
	s := sched.New(sched.Config{Processors: 1})
	var checking, other sync.WaitGroup
	checking.Add(1)
	rounds := 0
	busy := activity.Go(activity.On(s), func(a *activity.Activity) {
		checking.Done()
		for range 100 {
			rounds++
			a.Check(activity.Quantum)
		}
	})
	for range 1000 {
		busy.Check(activity.Quantum + 1) // it has no stack yet
		busy.CheckInserted(activity.Quantum + 1)
	}
	other.Go(func() { // while the activity checks too, for the race detector
		checking.Wait()
		for range 1000 {
			busy.Check(activity.Quantum + 1)
			busy.CheckInserted(activity.Quantum + 1)
		}
	})
	another := activity.Go(activity.On(s), func(*activity.Activity) { busy.Check(activity.Quantum + 1) })
	s.Start()
	if err := errors.Join(busy.Wait(within(t)), another.Wait(within(t))); err != nil || rounds != 100 {
		t.Errorf("%d rounds, %v", rounds, err)
	}
	other.Wait()
	s.Stop(nil)
}

func TestSleep(t *testing.T) {
	s := started(t, 2)
	a := activity.Go(activity.On(s), func(a *activity.Activity) {
		begun := time.Now()
		if err := a.Sleep(10 * time.Millisecond); err != nil || time.Since(begun) < 10*time.Millisecond {
			t.Errorf("slept %v, %v", time.Since(begun), err)
		}
		if err := a.Sleep(0); err != nil {
			t.Error(err)
		}
	})
	if err := a.Wait(within(t)); err != nil {
		t.Error(err)
	}
}

func TestBlockKeepsNoProcessor(t *testing.T) {
	s := started(t, 1)
	release := make(chan struct{})
	blocked := activity.Go(activity.On(s), func(a *activity.Activity) {
		a.Block(func() { <-release })
		if sched.CurrentProcessor() == nil {
			t.Error("no processor after Block")
		}
		a.Yield()
	})
	activity.Go(activity.On(s), func(*activity.Activity) { close(release) })
	if err := blocked.Wait(within(t)); err != nil {
		t.Error(err)
	}
}

func TestOneWaitsForAnother(t *testing.T) {
	s := started(t, 2)
	var total atomic.Int64
	parent := activity.Go(activity.On(s), func(a *activity.Activity) {
		var children []*activity.Activity
		for i := range 100 {
			children = append(children, activity.Go(a, func(a *activity.Activity) {
				for range i % 7 {
					a.Yield()
				}
				total.Add(int64(i))
			}))
		}
		for _, child := range children {
			if err := child.Wait(a); err != nil {
				t.Error(err)
			}
		}
		if total.Load() != 4950 {
			t.Errorf("total %d", total.Load())
		}
	})
	if err := parent.Wait(within(t)); err != nil {
		t.Error(err)
	}
}

func TestPanicAndGoexit(t *testing.T) {
	s := started(t, 1)
	failure := errors.New("test")
	ends := map[string]func(*activity.Activity){
		"panic":              func(*activity.Activity) { panic(failure) },
		"panic after a turn": func(a *activity.Activity) { a.Sleep(time.Millisecond); panic(failure) },
		"Goexit":             func(*activity.Activity) { runtime.Goexit() },
		"Goexit later":       func(a *activity.Activity) { a.Sleep(time.Millisecond); runtime.Goexit() },
		"panic in Block":     func(a *activity.Activity) { a.Block(func() { panic(failure) }) },
		"Goexit in Block":    func(a *activity.Activity) { a.Block(runtime.Goexit) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			var deferred atomic.Bool
			a := activity.Go(activity.On(s), func(a *activity.Activity) {
				defer deferred.Store(true)
				end(a)
			}, activity.Named(name))
			err := a.Wait(within(t))
			var p *activity.PanicError
			if !errors.As(err, &p) || p.Activity != name || !deferred.Load() {
				t.Fatalf("%v, deferred: %v", err, deferred.Load())
			}
			want := failure
			if strings.Contains(name, "Goexit") {
				want = activity.ErrGoexit
			}
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		})
	}
}

func TestInterruptedByTheEnd(t *testing.T) {
	s := sched.New(sched.Config{Processors: 2})
	s.Start()
	var deferred atomic.Int64
	var waiting sync.WaitGroup
	never := activity.NewGate()
	var all []*activity.Activity
	for range 20 {
		waiting.Add(1)
		all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
			defer deferred.Add(1)
			defer a.Sleep(time.Hour) // ends at once, too
			waiting.Done()
			never.Wait(a)
			t.Error("went on")
		}))
	}
	waiting.Wait()
	s.Stop(time.After(time.Minute))
	activity.InterruptAll(s)
	for _, a := range all {
		if err := a.Wait(within(t)); err != activity.ErrClosed {
			t.Errorf("came to %v", err)
		}
	}
	if deferred.Load() != 20 {
		t.Errorf("%d have run what they deferred", deferred.Load())
	}
	late := activity.Go(activity.On(s), func(*activity.Activity) { t.Error("begun after the end") })
	if err := late.Wait(within(t)); err != activity.ErrClosed {
		t.Errorf("late: %v", err)
	}
}

func TestWaitWithTimeout(t *testing.T) {
	s := started(t, 1)
	never := activity.NewGate()
	a := activity.Go(activity.On(s), func(a *activity.Activity) {
		for range 3 {
			ctx, cancel := context.WithTimeout(a, time.Millisecond)
			if err := never.Wait(ctx); err != context.DeadlineExceeded {
				t.Errorf("came to %v", err)
			}
			if err := never.Wait(ctx); err != context.DeadlineExceeded {
				t.Errorf("with a context that is done: %v", err)
			}
			cancel()
		}
	})
	if err := a.Wait(within(t)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := never.Wait(ctx); err != context.Canceled {
		t.Errorf("a goroutine: %v", err)
	}
	never.Open()
}

func TestMisuse(t *testing.T) {
	s := started(t, 1)
	var slot atomic.Pointer[activity.Activity]
	done := activity.NewGate()
	a := activity.Go(activity.On(s), func(a *activity.Activity) {
		slot.Store(a)
		done.Wait(a)
	})
	for slot.Load() == nil || !slot.Load().Sleeps() {
		runtime.Gosched()
	}
	for name, misuse := range map[string]func(){
		"Yield": func() { slot.Load().Yield() },
		"Sleep": func() { slot.Load().Sleep(1) },
		"Block": func() { slot.Load().Block(func() {}) },
	} {
		text := func() (text string) {
			defer func() { text, _ = recover().(string) }()
			misuse()
			return ""
		}()
		if !strings.HasPrefix(text, "activity: "+name+" by another goroutine") {
			t.Errorf("%s from outside panicked with %q", name, text)
		}
	}
	done.Open()
	if err := a.Wait(within(t)); err != nil {
		t.Error(err)
	}
}
