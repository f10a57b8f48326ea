package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// told is what a logger and a hook of OnLost were told, in order. Both call hold first.
type told struct {
	hold   func()
	mu     sync.Mutex
	texts  []string // of the records, without those of operations
	panics []int64  // with what operations panicked
	times  []time.Time
	losses []string // the errors of the lost messages
}

func (t *told) Enabled(context.Context, slog.Level) bool { return true }
func (t *told) WithAttrs([]slog.Attr) slog.Handler       { return t }
func (t *told) WithGroup(string) slog.Handler            { return t }

func (t *told) Handle(_ context.Context, r slog.Record) error {
	t.hold()
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimPrefix(r.Message, "freerun: ")
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "panic":
			if a.Value.Kind() != slog.KindInt64 {
				break
			}
			t.panics = append(t.panics, a.Value.Int64())
			t.times = append(t.times, r.Time)
		case "dropped":
			text = fmt.Sprint(text, " ", a.Value)
		}
		return true
	})
	if !strings.HasPrefix(text, "operation") {
		t.texts = append(t.texts, text)
	}
	return nil
}

func (t *told) lost(l freerun.LostMessage) {
	t.hold()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.losses = append(t.losses, l.Err.Error())
}

// has reports whether a record has the text.
func (t *told) has(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.texts, func(s string) bool { return strings.HasPrefix(s, text) })
}

// throwIt panics with its argument.
var throwIt = freerun.Op("throwIt", func(_ *freerun.Context, _ *int, n int) (int, error) { panic(n) })

// TestReportsToTheStuck has a logger, and a hook, that do not return. All that is reported
// meanwhile costs one goroutine; so many reports are kept, and told in order later; the others are
// dropped, counted, and the log says so.
func TestReportsToTheStuck(t *testing.T) {
	const kept, all = 256, 1000
	const dropped = all - 1 - kept
	for _, x := range []struct {
		name   string
		logger bool // or the hook
		report func(c *freerun.Context, u *freerun.Unit[int], n int)
		told   func(*told) []string
		says   string
	}{
		{
			"logger", true,
			func(c *freerun.Context, u *freerun.Unit[int], n int) { throwIt.Send(c, u, n) },
			func(x *told) (all []string) {
				for _, n := range x.panics {
					all = append(all, fmt.Sprint(n))
				}
				return all
			}, "the logger has taken too long, and reports to it were dropped",
		},
		{
			"hook", false,
			func(c *freerun.Context, u *freerun.Unit[int], n int) { loseIt.Tell(c, u, fmt.Errorf("%d", n)) },
			func(x *told) []string { return x.losses },
			"the hook of OnLost has taken too long, and was not called for all lost messages",
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			release := make(chan struct{})
			logs, losses := &told{hold: func() {}}, &told{hold: func() {}}
			stuck := losses
			if x.logger {
				stuck = logs
			}
			stuck.hold = func() { <-release }
			rt := freerun.New(freerun.Processors(2), freerun.Logger(slog.New(logs)), freerun.OnLost(losses.lost))
			defer rt.Close()
			c, u := rt.Context(), freerun.NewUnit(rt, 0)
			before := runtime.NumGoroutine()
			for n := range all {
				x.report(c, u, n)
			}
			if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			// Beside the teller, a processor may have got another goroutine.
			if n := runtime.NumGoroutine() - before; n > 3 {
				t.Errorf("%d more goroutines", n)
			}
			if n := rt.Stats().Untold; n != dropped {
				t.Errorf("%d are counted as dropped, want %d", n, dropped)
			}
			close(release)
			for !logs.has(x.says) { // before that there is no room
				time.Sleep(time.Millisecond)
			}
			x.report(c, u, all)
			if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
			var want []string
			for n := range kept + 1 {
				want = append(want, fmt.Sprint(n))
			}
			if got := x.told(stuck); !slices.Equal(got, append(want, fmt.Sprint(all))) {
				t.Errorf("told are %v", got)
			}
			if want := fmt.Sprint(x.says, " ", dropped); !slices.Equal(logs.texts, []string{want}) {
				t.Errorf("the log says %q, want %q", logs.texts, want)
			}
			for i, at := range logs.times {
				if i <= kept && at.After(now) {
					t.Errorf("record %d has the time at which it was told", i)
				}
			}
		})
	}
}

// TestReportsAreToldOnce has many goroutines lose messages, and the hook end badly now and then.
// Each message is told once, those of one goroutine in their order, or counted as dropped.
func TestReportsAreToldOnce(t *testing.T) {
	const senders, each = 8, 500
	var mu sync.Mutex
	next, calls := map[string]int{}, 0
	rt, _ := runtimetest.Start(t, freerun.Processors(2), freerun.OnLost(func(l freerun.LostMessage) {
		mu.Lock()
		n, err := strconv.Atoi(l.Err.Error())
		if err != nil || n <= next[l.Unit] {
			t.Errorf("of %s %d comes after %d", l.Unit, n, next[l.Unit])
		}
		next[l.Unit] = n
		calls++
		end := calls
		mu.Unlock()
		switch end % 5 {
		case 0:
			runtime.Goexit()
		case 1:
			panic("in the hook")
		case 2:
			runtime.Gosched()
		}
	}))
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			u := freerun.NewUnit(rt, 0, freerun.UnitName(fmt.Sprint(i)))
			for n := range each {
				loseIt.Tell(rt.Context(), u, fmt.Errorf("%d", n+1))
			}
		})
	}
	all.Wait()
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	// Of those that were dropped, some may have been reports to the logger.
	if dropped := int(rt.Stats().Untold); calls > senders*each || calls < senders*each-dropped {
		t.Errorf("of %d lost messages the hook was called for %d, and %d reports were dropped", senders*each, calls, dropped)
	}
}

// TestEndWaitsForReports: when Shutdown or Close has returned, the hook and the logger have, too.
func TestEndWaitsForReports(t *testing.T) {
	for name, end := range map[string]func(rt *freerun.Runtime) error{
		"Shutdown": func(rt *freerun.Runtime) error { return rt.Shutdown(runtimetest.Within(t)) },
		"Close":    func(rt *freerun.Runtime) error { return rt.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			// Longer than a processor waits.
			x := &told{hold: func() { time.Sleep(50 * time.Millisecond) }}
			rt := freerun.New(freerun.Logger(slog.New(x)), freerun.OnLost(x.lost))
			defer rt.Close()
			u := freerun.NewUnit(rt, 0)
			throwIt.Tell(rt.Context(), u, 1)
			throwIt.Tell(rt.Context(), u, 2)
			if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
				t.Fatal(err)
			}
			if err := end(rt); err != nil {
				t.Error(err)
			}
			x.mu.Lock()
			defer x.mu.Unlock()
			if len(x.losses) != 2 || len(x.panics) != 2 {
				t.Errorf("told are %d losses and %d panics", len(x.losses), len(x.panics))
			}
		})
	}
}

// TestEndWithoutReports ends runtimes whose logger and hook do not return: by Close, by Shutdown at
// its deadline, and by a Close that brings a Shutdown forward. Each says what was not told.
func TestEndWithoutReports(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) }) // after the parallel subtests
	start := func(t *testing.T, options ...freerun.Option) (*freerun.Runtime, *freerun.Unit[int]) {
		x := &told{hold: func() { <-release }}
		rt := freerun.New(append(options, freerun.Processors(1), freerun.Logger(slog.New(x)), freerun.OnLost(x.lost))...)
		return rt, freerun.NewUnit(rt, 0)
	}
	report := func(t *testing.T, rt *freerun.Runtime, u *freerun.Unit[int]) {
		throwIt.Tell(rt.Context(), u, 1)
		throwIt.Tell(rt.Context(), u, 2)
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
	}
	untold := func(t *testing.T, err error, want uint64) {
		var e *freerun.ShutdownError
		if !errors.As(err, &e) || e.Untold != want || want > 0 && !strings.Contains(e.Error(), fmt.Sprint("reports not told: ", want)) {
			t.Errorf("the end has %v, want %d reports not told", err, want)
		}
	}
	t.Run("Close", func(t *testing.T) {
		t.Parallel()
		rt, u := start(t)
		report(t, rt, u)
		untold(t, rt.Close(), 4)
	})
	t.Run("Close with work", func(t *testing.T) {
		t.Parallel()
		rt, u := start(t, freerun.Grace(0))
		gate := runtimetest.NewGate()
		freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { gate.Pass(); return 0, nil })
		<-gate.Entered
		runtimetest.AddOne.Send(rt.Context(), u, 1)
		err := rt.Close()
		untold(t, err, 0)
		if rt.Close() != err {
			t.Error("the second Close has another error")
		}
		close(gate.Opened)
	})
	t.Run("Shutdown", func(t *testing.T) {
		t.Parallel()
		rt, u := start(t)
		report(t, rt, u)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		err := rt.Shutdown(ctx)
		untold(t, err, 4)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the cause is not in %v", err)
		}
	})
	t.Run("Close during Shutdown", func(t *testing.T) {
		t.Parallel()
		rt, u := start(t)
		report(t, rt, u)
		ended := make(chan error)
		go func() { ended <- rt.Shutdown(context.Background()) }()
		<-rt.Draining()
		untold(t, rt.Close(), 4)
		untold(t, <-ended, 4)
	})
}

// TestReportsOfTellers: what the hook and the logger report themselves waits for nobody: lost
// messages, and what they panic with after nobody waits for them any more. A logger that was called
// outside of operations may close the runtime.
func TestReportsOfTellers(t *testing.T) {
	var rt *freerun.Runtime
	start := func(logger func(), hook func(call int)) (x *told, lose func()) {
		calls := 0
		x = &told{hold: logger}
		rt = freerun.New(freerun.Processors(1), freerun.Logger(slog.New(x)), freerun.OnLost(func(freerun.LostMessage) {
			calls++
			hook(calls)
		}))
		t.Cleanup(func() { rt.Close() })
		failed := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, errLost })
		if _, err := failed.Wait(runtimetest.Within(t)); err == nil {
			t.Fatal("no error")
		}
		// That is lost at once, on the caller's goroutine.
		return x, func() { takesFuture.Tell(rt.Context(), failed) }
	}
	shutdown := func() {
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
	}

	var order []string
	var lose func()
	_, lose = start(func() {}, func(call int) {
		order = append(order, fmt.Sprint(call, " begins"))
		if call == 1 {
			lose()
		}
		order = append(order, fmt.Sprint(call, " ends"))
	})
	lose()
	shutdown()
	if want := []string{"1 begins", "1 ends", "2 begins", "2 ends"}; !slices.Equal(order, want) {
		t.Errorf("the hook: %v", order)
	}

	release := make(chan struct{})
	x, _ := start(func() {}, func(call int) {
		<-release
		if call == 1 {
			panic("late")
		}
		runtime.Goexit()
	})
	u := freerun.NewUnit(rt, 0)
	for range 3 {
		loseIt.Tell(rt.Context(), u, errLost)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	close(release)
	shutdown()
	if want := []string{"hook panicked", "hook panicked", "hook panicked"}; !slices.Equal(x.texts, want) {
		t.Errorf("the log has %q", x.texts)
	}

	var closed error
	_, lose = start(func() { closed = rt.Close() }, func(int) {})
	lose()
	if err := rt.Close(); err != nil || closed != nil {
		t.Errorf("closed: %v, %v", closed, err)
	}
}
