package freerun_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// wicked is an error of a user's whose methods end badly, each by the function under its name.
type wicked map[string]func()

func (e *wicked) does(method string) {
	if end := (*e)[method]; end != nil {
		end()
	}
}

func (e *wicked) Error() string        { e.does("Error"); return "wicked" }
func (e *wicked) Is(error) bool        { e.does("Is"); return false }
func (e *wicked) Unwrap() error        { e.does("Unwrap"); return nil }
func (e *wicked) LogValue() slog.Value { e.does("LogValue"); return slog.StringValue("wicked") }

// wickedLogger is a logger's handler that looks at all values of a record.
type wickedLogger struct{ slog.Handler }

func (l wickedLogger) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool { _ = a.Value.Resolve().String(); return true })
	return nil
}

// TestFaultsOfUsersMethods has the methods of errors and of the logger panic and call Goexit where
// the runtime calls them. The future has its outcome all the same, the unit and the timer go on,
// the scope ends, and each message is counted.
func TestFaultsOfUsersMethods(t *testing.T) {
	ends := map[string]func(){
		"panic":       func() { panic("in a method of an error") },
		"Goexit":      runtime.Goexit,
		"nil pointer": func() { var n *int; *n = 1 },
	}
	fails := map[string]func(e *wicked) error{
		"return": func(e *wicked) error { return e },
		"panic":  func(e *wicked) error { panic(e) },
	}
	for _, method := range []string{"Error", "Is", "Unwrap", "LogValue"} {
		for how, end := range ends {
			for way, fail := range fails {
				t.Run(method+" "+how+" "+way, func(t *testing.T) {
					e := &wicked{method: end}
					rt := freerun.New(freerun.Processors(2), freerun.Logger(slog.New(wickedLogger{slog.DiscardHandler})))
					defer rt.Close()
					u := freerun.NewUnit(rt, 0)
					bad := func(*freerun.Context, *int) (int, error) { return 0, fail(e) }
					s := rt.Scope(context.Background(), freerun.FailFast())
					if _, err := freerun.Do(rt.Context(), u, bad).Wait(runtimetest.Within(t)); err == nil {
						t.Error("a future has no error")
					}
					if _, err := freerun.Do(s.Context(), u, bad).Wait(runtimetest.Within(t)); err == nil {
						t.Error("a future of a scope has no error")
					}
					if err := s.Wait(runtimetest.Within(t)); !isScopeError(err) {
						t.Errorf("the scope ended with %T", err)
					}
					fast := rt.Scope(context.Background(), freerun.FailFast())
					_ = failWith.Tell(fast.Context(), u, wrong{fail, e})
					_ = failWith.Tell(rt.Context(), u, wrong{fail, e})
					if err := fast.Wait(runtimetest.Within(t)); !isScopeError(err) {
						t.Errorf("the scope ended with %T", err)
					}
					runs := make(chan struct{}, 100)
					timer := freerun.Every(rt.Context(), time.Millisecond, func(*freerun.Context) error {
						select {
						case runs <- struct{}{}:
						default:
						}
						return fail(e)
					})
					for range 3 {
						<-runs
					}
					timer.Stop()
					if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1)); n != 1 {
						t.Errorf("the unit's state is %d", n)
					}
					if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
						t.Error(err)
					}
					if c := rt.Stats(); c.Sent != c.Done {
						t.Errorf("%d sent, %d done", c.Sent, c.Done)
					}
				})
			}
		}
	}
}

// isScopeError is errors.As without a call of the methods of errors below.
func isScopeError(err error) bool {
	_, ok := err.(*freerun.ScopeError)
	return ok
}

// wrong is the argument of failWith: how it fails, and with what.
type wrong struct {
	fail func(e *wicked) error
	e    *wicked
}

var failWith = freerun.Op("failWith", func(_ *freerun.Context, _ *int, w wrong) (int, error) { return 0, w.fail(w.e) })

// TestHooksAreInside has the hook of OnPanic and the factory of RestartOnPanic wait. They hold the
// unit up, so their waits are refused as in an operation. So are the waits of a logger that an
// operation's goroutine calls.
func TestHooksAreInside(t *testing.T) {
	var rt *freerun.Runtime
	var u *freerun.Unit[int]
	var got []error
	try := func() {
		_, err := runtimetest.AddOne.Send(rt.Context(), u, 1).Wait(context.Background())
		got = append(got, err, rt.Close(), rt.Quiesce(context.Background()))
	}
	rt = freerun.New(freerun.Processors(1), freerun.Logger(slog.New(hookedLogger{slog.DiscardHandler, try})))
	u = freerun.NewUnit(rt, 0, freerun.OnPanic(func(freerun.PanicReport) { try() }),
		freerun.RestartOnPanic(func() int { try(); return 5 }, 3, time.Hour))
	if _, err := breakIt.Send(rt.Context(), u, false).Wait(runtimetest.Within(t)); err == nil {
		t.Error("no error")
	}
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	refused := func(err error) bool { return errors.Is(err, freerun.ErrWouldBlock) }
	if len(got) != 9 || slices.ContainsFunc(got, func(err error) bool { return !refused(err) }) {
		t.Errorf("three waits in the logger, the factory and the hook: %v", got)
	}
}

// hookedLogger is a logger's handler that calls a function.
type hookedLogger struct {
	slog.Handler
	call func()
}

func (l hookedLogger) Enabled(context.Context, slog.Level) bool  { return true }
func (l hookedLogger) Handle(context.Context, slog.Record) error { l.call(); return nil }
func (wickedLogger) Enabled(context.Context, slog.Level) bool    { return true }

// TestTellsWithoutEnd has the logger, and the hook of OnLost, wait for what the same processor is
// to do next.
func TestTellsWithoutEnd(t *testing.T) {
	released := make(chan struct{})
	wait := func() { <-released }
	rt, _ := runtimetest.Start(t, freerun.Processors(1), freerun.Logger(slog.New(waiting{wait})),
		freerun.OnLost(func(freerun.LostMessage) { wait() }))
	c, u := rt.Context(), freerun.NewUnit(rt, 0)
	broken := breakIt.Send(c, u, false)
	if err := loseIt.Tell(c, u, errLost); err != nil {
		t.Fatal(err)
	}
	runtimetest.Must(t, freerun.Do(c, u, func(*freerun.Context, *int) (int, error) {
		close(released)
		return 0, nil
	}))
	var crash *freerun.PanicError
	if _, err := broken.Wait(t.Context()); !errors.As(err, &crash) {
		t.Errorf("the operation that panicked has %v, want a PanicError", err)
	}
}

// waiting is a handler of logs that waits.
type waiting struct{ wait func() }

func (waiting) Enabled(context.Context, slog.Level) bool    { return true }
func (w waiting) Handle(context.Context, slog.Record) error { w.wait(); return nil }
func (w waiting) WithAttrs([]slog.Attr) slog.Handler        { return w }
func (w waiting) WithGroup(string) slog.Handler             { return w }
