package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

func mustSubmit[K comparable, J any](t testing.TB, k *freerun.Keyed[K, J], key K, job J) {
	t.Helper()
	if err := k.Submit(t.Context(), key, job); err != nil {
		t.Fatalf("Submit: %v", err)
	}
}

// TestKeyedOrder has goroutines submit jobs for some keys: each key runs its jobs one at a time, in
// the order of its submitter.
func TestKeyedOrder(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		const keys, jobs = 8, 500
		rt := runtimetest.Quiet(t, freerun.Processors(processors))
		var next [keys]int // of each key, touched by its jobs alone
		k := freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 50, PerKey: 10}, func(c *freerun.Context, key, job int) error {
			if next[key] != job {
				return fmt.Errorf("job %d in place of %d", job, next[key])
			}
			next[key]++
			return nil
		})
		var submitters sync.WaitGroup
		for key := range keys {
			submitters.Go(func() {
				for job := range jobs {
					mustSubmit(t, k, key, job)
				}
			})
		}
		submitters.Wait()
		if err := k.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		for key, n := range next {
			if n != jobs {
				t.Errorf("key %d: %d jobs", key, n)
			}
		}
	})
}

// TestKeyedParallel has jobs of two keys that wait for each other.
func TestKeyedParallel(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	meet := make(chan struct{})
	k := freerun.NewKeyed(rt, freerun.KeyedLimits{}, func(c *freerun.Context, key string, _ struct{}) error {
		c.Block(func() {
			select {
			case meet <- struct{}{}:
			case <-meet:
			}
		})
		return nil
	})
	mustSubmit(t, k, "a", struct{}{})
	mustSubmit(t, k, "b", struct{}{})
	if err := k.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
}

// stopped returns a Keyed whose jobs wait for go on, with one job of key 0 that runs.
func stopped(t *testing.T, rt *freerun.Runtime, limits freerun.KeyedLimits) (k *freerun.Keyed[int, int], goOn func()) {
	began, end := make(chan struct{}), make(chan struct{})
	k = freerun.NewKeyed(rt, limits, func(c *freerun.Context, key, job int) error {
		if job < 0 {
			close(began)
		}
		c.Block(func() { <-end })
		return nil
	})
	mustSubmit(t, k, 0, -1)
	<-began
	return k, sync.OnceFunc(func() { close(end) })
}

// TestKeyedLimits fills a Keyed, and a key of one: Submit refuses, or waits until its context ends
// or there is room. What was refused takes no place.
func TestKeyedLimits(t *testing.T) {
	for _, test := range []struct {
		name   string
		limits freerun.KeyedLimits
		key    func(job int) int
		takes  int // beside the job that runs
	}{
		{"total", freerun.KeyedLimits{Total: 5}, func(job int) int { return job }, 4},
		{"key", freerun.KeyedLimits{Total: 50, PerKey: 3}, func(int) int { return 0 }, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			rt := runtimetest.Quiet(t, freerun.Processors(2))
			limits := test.limits
			limits.Full = freerun.Reject
			k, goOn := stopped(t, rt, limits)
			for job := range test.takes {
				mustSubmit(t, k, test.key(job), job)
			}
			for range 3 {
				if err := k.Submit(t.Context(), test.key(0), 0); !errors.Is(err, freerun.ErrFull) {
					t.Errorf("full: %v", err)
				}
			}
			goOn()
			if err := k.Wait(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
			mustSubmit(t, k, test.key(0), 0)
			if err := k.Wait(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}

			k, goOn = stopped(t, rt, test.limits)
			for job := range test.takes {
				mustSubmit(t, k, test.key(job), job)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			if err := k.Submit(ctx, test.key(0), 0); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("waits: %v", err)
			}
			if err := k.Submit(ctx, test.key(0), 0); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("ctx is done: %v", err)
			}
			var waiting sync.WaitGroup
			for range 10 {
				waiting.Go(func() { mustSubmit(t, k, test.key(0), 0) })
			}
			goOn()
			waiting.Wait()
			if err := k.Wait(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestKeyedInside has a job submit jobs until its Keyed is full, to its own key and to others, and
// an operation that has left its processor. None waits.
func TestKeyedInside(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	var k *freerun.Keyed[int, int]
	ran := 0 // by one processor
	k = freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 10, PerKey: 3}, func(c *freerun.Context, key, job int) error {
		ran++
		if job == 0 {
			return nil
		}
		for i := range 3 {
			if err := k.Submit(c, key, 0); err != nil {
				return fmt.Errorf("own key, %d: %w", i, err)
			}
		}
		if err := k.Submit(c, key, 0); !errors.Is(err, freerun.ErrFull) || !strings.Contains(err.Error(), "PerKey") {
			return fmt.Errorf("own key is full: %w", err)
		}
		for i := range 6 {
			if err := k.Submit(c, key+1+i, 0); err != nil {
				return fmt.Errorf("another key, %d: %w", i, err)
			}
		}
		for _, ctx := range []context.Context{c, rt.Context(), context.Background()} {
			if err := k.Submit(ctx, 100, 0); !errors.Is(err, freerun.ErrFull) || !strings.Contains(err.Error(), "Total") {
				return fmt.Errorf("all is full: %w", err)
			}
		}
		if err := k.Wait(c); !errors.Is(err, freerun.ErrWouldBlock) {
			return fmt.Errorf("wait: %w", err)
		}
		return nil
	})
	mustSubmit(t, k, 1, 1)
	if err := k.Wait(runtimetest.Within(t)); err != nil || ran != 10 {
		t.Errorf("%d ran: %v", ran, err)
	}
	k, goOn := stopped(t, rt, freerun.KeyedLimits{Total: 1})
	_, err := freerun.Go(rt.Context(), func(c *freerun.Context) (x int, err error) {
		c.Block(func() { err = k.Submit(c, 1, 1) })
		return 0, err
	}).Wait(runtimetest.Within(t))
	if !errors.Is(err, freerun.ErrFull) {
		t.Errorf("in Block: %v", err)
	}
	goOn()
}

// TestKeyedErrors has jobs fail in each way: Wait tells the first, and the next job runs.
func TestKeyedErrors(t *testing.T) {
	odd := errors.New("odd")
	for name, fail := range map[string]func() error{
		"error":  func() error { return odd },
		"panic":  func() error { panic(odd) },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			rt, journal := runtimetest.Start(t, freerun.Processors(2))
			var ran atomic.Int64
			k := freerun.NewKeyed(rt, freerun.KeyedLimits{}, func(c *freerun.Context, key string, job int) error {
				ran.Add(1)
				if job == 1 {
					return fail()
				}
				return nil
			})
			for job := range 3 {
				mustSubmit(t, k, "ada", job)
			}
			err := k.Wait(runtimetest.Within(t))
			if err == nil || !strings.HasPrefix(err.Error(), "freerun: a job of key ada: ") || ran.Load() != 3 {
				t.Errorf("%d ran: %v", ran.Load(), err)
			}
			if errors.Is(err, odd) != (name != "goexit") || errors.Is(err, freerun.ErrGoexit) != (name == "goexit") {
				t.Error(err)
			}
			if p, panicked := errors.AsType[*freerun.PanicError](err); panicked != (name != "error") {
				t.Error(err)
			} else if panicked && !strings.Contains(p.Operation, "TestKeyedErrors") {
				t.Errorf("operation %s", p.Operation)
			}
			mustSubmit(t, k, "bob", 1)
			if again := k.Wait(runtimetest.Within(t)); again != err {
				t.Errorf("Wait again: %v", again)
			}
			if rt.Stats().Lost != 1 || name == "error" && len(journal.Texts()) != 1 {
				t.Errorf("%d lost, %q", rt.Stats().Lost, journal.Texts())
			}
		})
	}
}

// TestKeyedScope has jobs in scopes: what is submitted through a scope's context is awaited by the
// scope, canceled with it, and fails fast.
func TestKeyedScope(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	k, goOn := stopped(t, rt, freerun.KeyedLimits{Total: 3})
	s := rt.Scope(t.Context())
	if err := k.Submit(s.Context(), 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := k.Submit(context.WithValue(s.Context(), keyOfTest{}, 1), 1, 2); err != nil {
		t.Fatal(err)
	}
	waits := waitIn("room", func() error { return k.Submit(s.Context(), 2, 3) })
	s.Cancel(errors.New("enough"))
	<-waits.done
	if !errors.Is(waits.err, freerun.ErrCanceled) {
		t.Errorf("Submit: %v", waits.err)
	}
	if err := k.Submit(s.Context(), 2, 3); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("Submit afterwards: %v", err)
	}
	goOn()
	if err := k.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("Wait: %v", err)
	}
	if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("Wait of the scope: %v", err)
	}
}

type keyOfTest struct{}

// TestKeyedKeysGo has keys that are used once: those that are idle are collected.
func TestKeyedKeysGo(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	k := freerun.NewKeyed(rt, freerun.KeyedLimits{}, func(*freerun.Context, int, int) error { return nil })
	for key := range 1000 {
		mustSubmit(t, k, key, 0)
	}
	for freerun.KeysOf(k) > 0 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	mustSubmit(t, k, 1, 0)
	if err := k.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
}

// TestKeyedShutdown has a runtime end while jobs run and wait, and a Submit waits for room.
func TestKeyedShutdown(t *testing.T) {
	for range rounds {
		rt := freerun.New(freerun.Processors(2))
		k, goOn := stopped(t, rt, freerun.KeyedLimits{Total: 2})
		mustSubmit(t, k, 0, 1)
		waits := waitIn("room", func() error { return k.Submit(context.Background(), 1, 1) })
		ends := waitIn("shutdown", func() error { return rt.Shutdown(context.Background()) })
		<-rt.Draining()
		if err := k.Submit(t.Context(), 2, 1); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("Submit: %v", err)
		}
		goOn()
		<-ends.done
		<-waits.done
		if ends.err != nil || waits.err != nil && !errors.Is(waits.err, freerun.ErrClosed) {
			t.Errorf("Shutdown: %v, Submit: %v", ends.err, waits.err)
		}
		if err := k.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
	}
}

// TestKeyedEnds races submitters, and a Wait, with each way to end: whatever was accepted runs, or
// is told by Wait, and nobody is left waiting.
func TestKeyedEnds(t *testing.T) {
	for name, end := range map[string]func(rt *freerun.Runtime, s *freerun.Scope) error{
		"Close":    func(rt *freerun.Runtime, s *freerun.Scope) error { rt.Close(); return nil },
		"Shutdown": func(rt *freerun.Runtime, s *freerun.Scope) error { return rt.Shutdown(context.Background()) },
		"Cancel":   func(rt *freerun.Runtime, s *freerun.Scope) error { s.Cancel(nil); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			for range rounds {
				rt := runtimetest.Quiet(t, freerun.Processors(2))
				s := rt.Scope(context.Background())
				var ran, accepted, refused atomic.Int64
				var k *freerun.Keyed[int, int]
				k = freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 8, PerKey: 2}, func(c *freerun.Context, key, job int) error {
					ran.Add(1)
					if job > 0 && k.Submit(c, key+1, 0) == nil {
						accepted.Add(1)
					}
					return nil
				})
				begin := make(chan struct{})
				var all sync.WaitGroup
				for from := range 4 {
					all.Go(func() {
						for job := range 200 {
							if job == 20 && from == 0 {
								close(begin)
							}
							switch err := k.Submit(s.Context(), from*2, 1); {
							case err == nil:
								accepted.Add(1)
							case errors.Is(err, freerun.ErrClosed), errors.Is(err, freerun.ErrCanceled):
								refused.Add(1)
							default:
								t.Errorf("Submit: %v", err)
							}
						}
					})
				}
				all.Go(func() { k.Wait(context.Background()) })
				<-begin
				if err := end(rt, s); err != nil {
					t.Error(err)
				}
				all.Wait()
				err := k.Wait(runtimetest.Within(t))
				lost := accepted.Load() - ran.Load()
				if lost < 0 || lost > 0 && (name == "Shutdown" || !errors.Is(err, freerun.ErrClosed) && !errors.Is(err, freerun.ErrCanceled)) {
					t.Errorf("%d accepted, %d ran: %v", accepted.Load(), ran.Load(), err)
				}
				if lost == 0 && err != nil {
					t.Errorf("all ran: %v", err)
				}
			}
		})
	}
}

// TestKeyedWait has Waits end with their contexts, and with the runtime.
func TestKeyedWait(t *testing.T) {
	rt := freerun.New(freerun.Processors(2), freerun.Grace(0))
	k, goOn := stopped(t, rt, freerun.KeyedLimits{})
	defer goOn()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := k.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait: %v", err)
	}
	waits := waitIn("end", func() error { return k.Wait(context.Background()) })
	rt.Close()
	<-waits.done
	if !errors.Is(waits.err, freerun.ErrClosed) {
		t.Errorf("Wait: %v", waits.err)
	}
}

// TestKeyedMisuse has each misuse tell what would be right.
func TestKeyedMisuse(t *testing.T) {
	rt := runtimetest.Quiet(t)
	fn := func(*freerun.Context, float64, int) error { return nil }
	var none context.Context
	for text, misuse := range map[string]func(){
		"New":              func() { freerun.NewKeyed(nil, freerun.KeyedLimits{}, fn) },
		"nil function":     func() { freerun.NewKeyed[int, int](rt, freerun.KeyedLimits{}, nil) },
		"negative":         func() { freerun.NewKeyed(rt, freerun.KeyedLimits{PerKey: -1}, fn) },
		"neither Reject":   func() { freerun.NewKeyed(rt, freerun.KeyedLimits{Full: 7}, fn) },
		"NewKeyed":         func() { new(freerun.Keyed[int, int]).Submit(t.Context(), 1, 1) },
		"not equal itself": func() { freerun.NewKeyed(rt, freerun.KeyedLimits{}, fn).Submit(t.Context(), math.NaN(), 1) },
		"cannot be compared": func() {
			fn := func(*freerun.Context, any, int) error { return nil }
			freerun.NewKeyed(rt, freerun.KeyedLimits{}, fn).Submit(t.Context(), [1]any{[]int{}}, 1)
		},
		"nil context":       func() { freerun.NewKeyed(rt, freerun.KeyedLimits{}, fn).Submit(none, 1, 1) },
		"a nil context.Con": func() { freerun.NewKeyed(rt, freerun.KeyedLimits{}, fn).Wait(none) },
	} {
		t.Run(text, func(t *testing.T) {
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), text) {
					t.Errorf("%v", v)
				}
			}()
			misuse()
		})
	}
}

// TestKeyedAllocates holds the cost of a Submit.
func TestKeyedAllocates(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	k := freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 10, PerKey: 5}, func(*freerun.Context, string, int) error { return nil })
	if n := allocations(func() { mustSubmit(t, k, "a", 1) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// TestKeyedLeavesNothing closes runtimes whose jobs are done: what keeps the keys is not work that
// was left.
func TestKeyedLeavesNothing(t *testing.T) {
	for range rounds {
		rt := freerun.New(freerun.Processors(2))
		k := freerun.NewKeyed(rt, freerun.KeyedLimits{}, func(*freerun.Context, int, int) error { return nil })
		for key := range 20 {
			mustSubmit(t, k, key, 0)
		}
		if err := k.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}
