package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/simulate"
)

// TestGoroutinesAreRefused holds that what goroutines outside must not do is an error of the run,
// and that the program goes on to its end.
func TestGoroutinesAreRefused(t *testing.T) {
	const locked, closes, foreign = "has locked its thread", "closes the runtime", "another goroutine than that which runs the program sends"
	for name, of := range map[string]struct {
		says  string
		wrong func(on *simulate.Host, rt *freerun.Runtime, u *freerun.Unit[int])
	}{
		"locked at a send": {locked, func(on *simulate.Host, rt *freerun.Runtime, u *freerun.Unit[int]) {
			on.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				_ = count.Tell(rt.Context(), u, 1)
			})()
		}},
		"locked twice in a wait": {locked, func(on *simulate.Host, rt *freerun.Runtime, u *freerun.Unit[int]) {
			on.Go(func() {
				runtime.LockOSThread()
				runtime.LockOSThread()
				_, _ = count.Send(rt.Context(), u, 1).Wait(context.Background())
			})()
		}},
		"locked in Quiesce": {locked, func(on *simulate.Host, rt *freerun.Runtime, _ *freerun.Unit[int]) {
			on.Go(func() { runtime.LockOSThread(); _ = rt.Quiesce(context.Background()) })()
		}},
		"locked at its end": {locked, func(on *simulate.Host, _ *freerun.Runtime, _ *freerun.Unit[int]) {
			on.Go(func() { runtime.LockOSThread() })()
		}},
		"locked at Goexit": {locked, func(on *simulate.Host, _ *freerun.Runtime, _ *freerun.Unit[int]) {
			on.Go(func() { runtime.LockOSThread(); runtime.Goexit() })()
		}},
		"locked at a panic": {locked, func(on *simulate.Host, _ *freerun.Runtime, _ *freerun.Unit[int]) {
			defer func() { _ = recover() }()
			on.Go(func() { runtime.LockOSThread(); panic("of the goroutine") })()
		}},
		"Close": {closes, func(on *simulate.Host, rt *freerun.Runtime, _ *freerun.Unit[int]) {
			on.Go(func() { _ = rt.Close() })()
		}},
		"Shutdown": {closes, func(on *simulate.Host, rt *freerun.Runtime, _ *freerun.Unit[int]) {
			on.Go(func() { _ = rt.Shutdown(context.Background()) })()
		}},
		"a goroutine that only sends": {foreign, func(_ *simulate.Host, rt *freerun.Runtime, u *freerun.Unit[int]) {
			done := make(chan struct{})
			go func() { defer close(done); _ = count.Tell(rt.Context(), u, 1) }()
			<-done
		}},
		"a goroutine that reads the time": {foreign, func(_ *simulate.Host, rt *freerun.Runtime, _ *freerun.Unit[int]) {
			done := make(chan struct{})
			go func() { defer close(done); rt.Now() }()
			<-done
		}},
	} {
		c := costsOf(t, usual)
		c.Model = 2
		ran := 0
		r, err := c.Run(func(on *simulate.Host) (time.Duration, error) {
			rt := on.New()
			defer rt.Close()
			began := rt.Now()
			u := freerun.NewUnit(rt, 0)
			of.wrong(on, rt, u)
			n, err := count.Send(rt.Context(), u, 1).Wait(context.Background())
			ran = n
			return rt.Now().Sub(began), err
		}, 2)
		if err == nil || !strings.Contains(err.Error(), of.says) || r.Elapsed != 0 || ran == 0 {
			t.Errorf("%s: %v, %v, and the program's message says %d", name, r.Elapsed, err, ran)
		}
		if unsupported := errors.Is(err, errors.ErrUnsupported); unsupported != (of.says != foreign) {
			t.Errorf("%s: unsupported is %v: %v", name, unsupported, err)
		}
	}
}

// TestGoroutinesGoOn holds that a simulation goes on whatever has ended one of its goroutines, and
// whenever the runtime is closed: with the program's goroutine and others.
func TestGoroutinesGoOn(t *testing.T) {
	for name, program := range map[string]func(on *simulate.Host, rt *freerun.Runtime) error{
		"after a panic that is recovered": func(on *simulate.Host, rt *freerun.Runtime) error {
			func() {
				defer func() { _ = recover() }()
				on.Go(func() { panic("of the goroutine") })()
			}()
			n := 0
			on.Go(func() { n++ })()
			if n != 1 {
				return errors.New("the next goroutine has not run")
			}
			return nil
		},
		"a goroutine that only sends, and is told to end": func(on *simulate.Host, rt *freerun.Runtime) error {
			u, stop := freerun.NewUnit(rt, 0), false
			wait := on.Go(func() {
				for !stop {
					_ = count.Tell(rt.Context(), u, 1)
				}
			})
			on.Go(func() {
				for range 50 {
					rt.Now()
				}
				stop = true
			})()
			wait()
			return rt.Quiesce(context.Background())
		},
		"operations read the time in Shutdown": func(on *simulate.Host, rt *freerun.Runtime) error {
			u, n := freerun.NewUnit(rt, 0), 0
			on.Go(func() {
				for range 5 {
					noteTime.Send(rt.Context(), u, func() { rt.Now(); n++ })
				}
			})()
			if err := rt.Shutdown(context.Background()); err != nil || n != 5 {
				return fmt.Errorf("%d of 5 operations: %w", n, err)
			}
			return nil
		},
		"Close while an operation runs that reads the time": func(on *simulate.Host, rt *freerun.Runtime) error {
			u, n := freerun.NewUnit(rt, 0), 0
			noteTime.Send(rt.Context(), u, func() {
				for range 5 {
					freerun.After(rt.Context(), time.Second)
					rt.Now()
				}
				n++
			})
			on.Go(func() { rt.Now() })()
			_ = rt.Close() // operations may be left
			on.Go(func() { rt.Now(); n = 1 })()
			if n != 1 {
				return errors.New("a goroutine has not run after Close")
			}
			return nil
		},
		"a goroutine waits where the runtime is closed": func(on *simulate.Host, rt *freerun.Runtime) error {
			u := freerun.NewUnit(rt, 0)
			var err error
			wait := on.Go(func() {
				_, err = freerun.NewPromise[int](rt.Context()).Future().Wait(context.Background())
				_ = count.Tell(rt.Context(), u, 1)
			})
			rt.Now()
			_ = rt.Close()
			if wait(); !errors.Is(err, freerun.ErrClosed) {
				return fmt.Errorf("its wait ended with %w", err)
			}
			return nil
		},
	} {
		c := costsOf(t, usual)
		c.Model = 2
		if text := says(c, program); text != "<nil>" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestGoroutinesAreAbandoned holds that goroutines which have not ended with the program are ended,
// wherever they wait, however the program ends: none is left (TestMain), and their deferred
// functions have run.
func TestGoroutinesAreAbandoned(t *testing.T) {
	const left = "before a goroutine of its Host.Go has ended"
	for name, of := range map[string]struct {
		says string
		ends func() error
	}{
		"it returns":    {left, func() error { return nil }},
		"with an error": {"gone", func() error { return errors.New("gone") }},
		"with a panic":  {"gone", func() error { panic("gone") }},
	} {
		deferred := 0
		c := costsOf(t, usual)
		c.Model = 2
		text := says(c, func(on *simulate.Host, rt *freerun.Runtime) error {
			u := freerun.NewUnit(rt, 0)
			on.Go(func() {
				defer func() {
					deferred++
					_ = count.Tell(rt.Context(), u, 1)
					_, _ = count.Send(rt.Context(), u, 1).Wait(context.Background())
				}()
				for {
					rt.Now()
				}
			})
			on.Go(func() {
				defer func() { deferred++ }()
				_, _ = freerun.NewPromise[int](rt.Context()).Future().Wait(context.Background())
				for {
					_ = rt.Quiesce(context.Background())
				}
			})
			for range 20 {
				rt.Now()
			}
			on.Go(func() { deferred++ }) // has not begun
			return of.ends()
		})
		if !strings.Contains(text, of.says) || deferred != 2 {
			t.Errorf("%s: %s; %d goroutines have ended, want 2", name, text, deferred)
		}
	}
}

// TestProgramExits holds that Run ends its goroutine as the program does, and that nothing is left.
func TestProgramExits(t *testing.T) {
	c := costsOf(t, usual)
	c.Model = 2
	returned, closed := false, make(chan struct{})
	go func() {
		defer close(closed)
		_, _ = c.Run(func(on *simulate.Host) (time.Duration, error) {
			rt := on.New()
			on.Go(func() { _ = rt.Quiesce(context.Background()); rt.Now() })
			_, _ = freerun.Go(rt.Context(), grow(3)).Wait(context.Background())
			runtime.Goexit()
			return 0, nil
		}, 2)
		returned = true
	}()
	if <-closed; returned {
		t.Error("Run has returned")
	}
}

// TestLockedProgram holds that the goroutine that runs the program may be locked to its thread, and
// that this changes nothing.
func TestLockedProgram(t *testing.T) {
	for model := 1; model <= simulate.Models; model++ {
		c := costsOf(t, usual)
		c.Model = model
		var took [2]time.Duration
		for i := range took {
			r, err := c.Run(func(on *simulate.Host) (time.Duration, error) {
				if i == 1 {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
				}
				return tree(on)
			}, 2)
			if err != nil {
				t.Errorf("model %d, locked %v: %v", model, i == 1, err)
			}
			took[i] = r.Elapsed
		}
		if took[0] != took[1] {
			t.Errorf("model %d: %v, and %v if locked", model, took[0], took[1])
		}
	}
}
