package freerun_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var (
	logged  = freerun.NewKind[string, int]("logged", func(*freerun.Context, string) (int, error) { return 0, nil })
	logHere = freerun.Op("logHere", func(c *freerun.Context, _ *int, by *slog.Logger) (int, error) {
		by.InfoContext(c, "here")
		return 0, nil
	})
	logBoth = freerun.Op2("logBoth", func(c *freerun.Context, _, _ *int, by *slog.Logger) (int, error) {
		by.InfoContext(c, "here")
		return 0, nil
	})
	logSmall = freerun.SmallOp("logSmall", func(c *freerun.Context, by *slog.Logger) (int, error) {
		by.InfoContext(c, "here")
		return 0, nil
	})
)

// logTo returns a logger without times to a buffer.
func logTo(to *bytes.Buffer) *slog.Logger {
	return slog.New(freerun.LogHandler(slog.NewTextHandler(to, &slog.HandlerOptions{
		Level: slog.LevelInfo,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		},
	})))
}

// TestLogHandler logs a record in each place, and looks at what was added.
func TestLogHandler(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1)) // small operations are calls
	var to bytes.Buffer
	log := logTo(&to)
	c := rt.Context()
	ada, kim := freerun.NewUnit(rt, 0, freerun.UnitName("ada")), logged.At(c, "kim")
	must := func(f freerun.Future[int]) func() { return func() { runtimetest.Must(t, f) } }
	do := func(fn func(c *freerun.Context)) func() {
		return must(freerun.Do(c, ada, func(c *freerun.Context, _ *int) (int, error) { fn(c); return 0, nil }))
	}
	walk := func(fn func(a *activity.Activity)) {
		if err := activity.Go(c, fn, activity.Named("walk")).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const operation = "operation=freerun_test.logHere"
	for _, x := range []struct {
		name string
		run  func()
		want string // the attributes
	}{
		{"a named unit", func() { must(logHere.Send(c, ada, log))() }, operation + " unit=ada"},
		{"a unit of a kind", func() { must(logHere.Send(c, kim, log))() }, operation + " unit=freerun_test.logged(kim) key=kim"},
		{"a unit without a name", func() { must(logHere.Send(c, freerun.NewUnit(rt, 0), log))() }, operation},
		{"with a value, in a scope", func() {
			must(logHere.Send(rt.Scope(t.Context()).Context().WithValue(logHere, 1), ada, log))()
		}, operation + " unit=ada"},
		{"two units", func() { must(logBoth.Send(c, ada, kim, log))() }, "operation=freerun_test.logBoth unit=ada"},
		{"attributes", func() { must(logHere.Send(c, ada, log.With("n", 1)))() }, "n=1 " + operation + " unit=ada"},
		{"a group", func() { must(logHere.Send(c, ada, log.WithGroup("g")))() }, "g." + operation + " g.unit=ada"},
		{"a small operation, inside", func() { // or queued, which looks the same
			runtimetest.Must(t, freerun.Do(c, ada, func(c *freerun.Context, _ *int) (int, error) { return freerun.Forward(c, logSmall.Send(c, log)) }))
		}, "operation=freerun_test.logSmall"},
		{"a derived context", func() {
			do(func(c *freerun.Context) {
				ctx, cancel := context.WithCancel(c)
				defer cancel()
				log.InfoContext(ctx, "here")
			})()
		}, "operation=github.com/freerun-go/freerun_test.TestLogHandler.… unit=ada"},
		{"off the processor", func() { do(func(c *freerun.Context) { c.Block(func() { log.InfoContext(c, "here") }) })() }, "operation=github.com/freerun-go/freerun_test.TestLogHandler.… unit=ada"},
		{"another goroutine", func() {
			do(func(c *freerun.Context) {
				done := make(chan struct{})
				go func() { defer close(done); log.InfoContext(c, "here") }()
				<-done
			})()
		}, ""},
		{"an activity", func() {
			walk(func(a *activity.Activity) { log.InfoContext(freerun.ContextOf(a), "here") })
		}, "operation=walk"},
		{"an activity's own context", func() { walk(func(a *activity.Activity) { log.InfoContext(a, "here") }) }, "operation=walk"},
		{"one derived from an activity", func() {
			walk(func(a *activity.Activity) {
				ctx, cancel := context.WithCancel(a)
				defer cancel()
				log.InfoContext(ctx, "here")
			})
		}, "operation=walk"},
		{"an activity in a scope", func() {
			a := activity.Go(rt.Scope(t.Context()), func(a *activity.Activity) { log.InfoContext(a, "here") }, activity.Named("walk"))
			if err := a.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, "operation=walk"},
		{"an activity without a name", func() {
			a := activity.Go(c, func(a *activity.Activity) { log.InfoContext(a, "here") })
			if err := a.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, "operation=github.com/freerun-go/freerun_test.TestLogHandler.…"},
		{"an activity off its processor", func() {
			walk(func(a *activity.Activity) { a.Block(func() { log.InfoContext(a, "here") }) })
		}, "operation=walk"},
		{"the same with its other context", func() {
			walk(func(a *activity.Activity) {
				c := freerun.ContextOf(a)
				a.Block(func() { log.InfoContext(c, "here") })
			})
		}, "operation=walk"},
		{"another goroutine with an activity", func() {
			walk(func(a *activity.Activity) {
				done := make(chan struct{})
				go func() { defer close(done); log.InfoContext(a, "here") }()
				<-done
			})
		}, ""},
		{"an operation with the context of an activity", func() {
			walk(func(a *activity.Activity) {
				runs := freerun.Do(freerun.ContextOf(a), ada, func(*freerun.Context, *int) (int, error) { log.InfoContext(a, "here"); return 0, nil })
				if _, err := runs.Await(a); err != nil {
					t.Error(err)
				}
			})
		}, ""},
		{"an operation in a scope made with an activity", func() {
			walk(func(a *activity.Activity) {
				if _, err := logHere.Send(rt.Scope(a).Context(), ada, log).Await(a); err != nil {
					t.Error(err)
				}
			})
		}, operation + " unit=ada"},
		{"outside", func() { log.InfoContext(c, "here") }, ""},
		{"no context of freerun", func() { log.Info("here") }, ""},
	} {
		to.Reset()
		x.run()
		got, is := strings.CutPrefix(strings.TrimSpace(to.String()), "msg=here")
		if got = strings.TrimSpace(got); strings.Contains(x.want, "…") {
			before, after, _ := strings.Cut(x.want, "…")
			is = is && strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
		} else {
			is = is && got == x.want
		}
		if !is {
			t.Errorf("%s: %q, want %q", x.name, to.String(), x.want)
		}
	}
	to.Reset()
	if log.Debug("here"); to.Len() != 0 {
		t.Errorf("the level is ignored: %s", to.String())
	}
}

// TestLogHandlerKeepsRecords: a record that other handlers have too is not changed.
func TestLogHandlerKeepsRecords(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	var to bytes.Buffer
	h := logTo(&to).Handler()
	runtimetest.Must(t, freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(c *freerun.Context, _ *int) (int, error) {
		var r slog.Record
		// More than what lies in the record itself.
		r.Add("a", 1, "b", 2, "c", 3, "d", 4, "e", 5, "f", 6, "g", 7)
		err := h.Handle(c, r)
		r.Add("own", 8)
		n := 0
		r.Attrs(func(a slog.Attr) bool {
			if n++; n == r.NumAttrs() && a.Key != "own" {
				t.Errorf("the last attribute is %v", a)
			}
			return true
		})
		return n, err
	}))
	if !strings.Contains(to.String(), "g=7 operation=") {
		t.Errorf("%s", to.String())
	}
}

// Records that operations log have the operation and its unit.
func ExampleLogHandler() {
	var out bytes.Buffer
	log := logTo(&out)
	rt := freerun.New()
	defer rt.Close()
	booked := freerun.Do(rt.Context(), logged.At(rt.Context(), "ada"), func(c *freerun.Context, seats *int) (int, error) {
		*seats += 2
		logHere.Tell(c, logged.At(c, "bob"), log)
		return *seats, nil
	})
	booked.Wait(context.Background())
	rt.Quiesce(context.Background())
	fmt.Print(out.String())
	// Output: msg=here operation=freerun_test.logHere unit=freerun_test.logged(bob) key=bob
}
