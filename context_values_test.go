package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// traceKey and tenantKey are keys of values that travel.
type (
	traceKey  struct{}
	tenantKey struct{ n int }
)

// traceOf returns the trace that a context carries, "" if none.
func traceOf(c context.Context) string {
	v, _ := c.Value(traceKey{}).(string)
	return v
}

// bearer is the state of a unit whose operations tell which trace they have.
type bearer struct{ made string }

var (
	bear     = freerun.Op("bear", func(c *freerun.Context, _ *bearer, _ int) (string, error) { return traceOf(c), nil })
	bearRead = freerun.ReadOp("bearRead", func(c *freerun.Context, _ *bearer, _ int) (string, error) { return traceOf(c), nil })
	bearFree = freerun.FreeOp("bearFree", func(c *freerun.Context, _ int) (string, error) { return traceOf(c), nil })
	bearTiny = freerun.SmallOp("bearSmall", func(c *freerun.Context, _ int) (string, error) { return traceOf(c), nil })
	bearTwo  = freerun.Op2("bearTwo", func(c *freerun.Context, _, _ *bearer, _ int) (string, error) { return traceOf(c), nil })
	bearAll  = freerun.OpAll("bearAll", func(c *freerun.Context, _ []*bearer, _ int) (string, error) { return traceOf(c), nil })
	bearNote = freerun.Op("bearNote", func(c *freerun.Context, _ *bearer, to *freerun.Promise[string]) (int, error) {
		to.Resolve(traceOf(c), nil)
		return 0, nil
	})
	bearers = freerun.NewKind("bearer", func(c *freerun.Context, _ string) (bearer, error) {
		return bearer{made: "made with " + traceOf(c)}, nil
	})
)

// followings has all ways in which something follows from a context. Each returns the future of
// the trace that follows.
func followings(rt *freerun.Runtime) map[string]func(c *freerun.Context) freerun.Future[string] {
	u, v := freerun.NewUnit(rt, bearer{}), freerun.NewUnit(rt, bearer{})
	own := freerun.NewUnit(rt, bearer{}, freerun.UnitPriority(freerun.Low))
	limited := freerun.NewUnit(rt, bearer{}, freerun.MailboxLimit(10, freerun.WaitForRoom))
	answer := func(c *freerun.Context, send func(p *freerun.Promise[string])) freerun.Future[string] {
		p := freerun.NewPromise[string](c)
		send(p)
		return p.Future()
	}
	trace := func(c *freerun.Context) (string, error) { return traceOf(c), nil }
	later := func(c *freerun.Context) freerun.Future[time.Time] { return freerun.After(c, time.Millisecond) }
	return map[string]func(c *freerun.Context) freerun.Future[string]{
		"Send": func(c *freerun.Context) freerun.Future[string] { return bear.Send(c, u, 0) },
		"Tell": func(c *freerun.Context) freerun.Future[string] {
			return answer(c, func(p *freerun.Promise[string]) { bearNote.Tell(c, u, p) })
		},
		"read":      func(c *freerun.Context) freerun.Future[string] { return bearRead.Send(c, u, 0) },
		"free":      func(c *freerun.Context) freerun.Future[string] { return bearFree.Send(c, 0) },
		"small":     func(c *freerun.Context) freerun.Future[string] { return bearTiny.Send(c, 0) },
		"two units": func(c *freerun.Context) freerun.Future[string] { return bearTwo.Send(c, u, v, 0) },
		"all units": func(c *freerun.Context) freerun.Future[string] {
			return bearAll.Send(c, []*freerun.Unit[bearer]{u, v}, 0)
		},
		"own priority": func(c *freerun.Context) freerun.Future[string] { return bear.Send(c, own, 0) },
		"limit":        func(c *freerun.Context) freerun.Future[string] { return bear.Send(c, limited, 0) },
		"NoWait":       func(c *freerun.Context) freerun.Future[string] { return bear.Send(c.NoWait(), limited, 0) },
		"WithPriority": func(c *freerun.Context) freerun.Future[string] { return bear.Send(c.WithPriority(freerun.High), u, 0) },
		"twice":        func(c *freerun.Context) freerun.Future[string] { return bear.Send(c.WithValue(tenantKey{1}, 1), u, 0) },
		"Do": func(c *freerun.Context) freerun.Future[string] {
			return freerun.Do(c, u, func(c *freerun.Context, _ *bearer) (string, error) { return trace(c) })
		},
		"Go": func(c *freerun.Context) freerun.Future[string] { return freerun.Go(c, trace) },
		"two hops": func(c *freerun.Context) freerun.Future[string] {
			return freerun.Go(c, func(c *freerun.Context) (string, error) { return freerun.Forward(c, bear.Send(c, u, 0)) })
		},
		"Then": func(c *freerun.Context) freerun.Future[string] {
			return freerun.Then(c, later(c), func(c *freerun.Context, _ time.Time) (string, error) { return trace(c) })
		},
		"Handle": func(c *freerun.Context) freerun.Future[string] {
			return freerun.Handle(c, freerun.Failed[int](errors.ErrUnsupported), func(c *freerun.Context, _ int, _ error) (string, error) { return trace(c) })
		},
		"When2": func(c *freerun.Context) freerun.Future[string] {
			return freerun.When2(c, u, v, func(c *freerun.Context, _, _ *bearer) (string, error) { return trace(c) })
		},
		"SendAfter": func(c *freerun.Context) freerun.Future[string] {
			f, _ := bear.SendAfter(c, time.Millisecond, u, 0)
			return f
		},
		"Every": func(c *freerun.Context) freerun.Future[string] {
			return answer(c, func(p *freerun.Promise[string]) {
				var timer *freerun.Timer
				ready := freerun.NewPromise[int](c)
				timer = freerun.Every(c, time.Millisecond, func(c *freerun.Context) error {
					freerun.Then(c, ready.Future(), func(*freerun.Context, int) (int, error) { timer.Stop(); return 0, nil })
					p.Resolve(traceOf(c), nil)
					return nil
				})
				ready.Resolve(0, nil)
			})
		},
		"unit of a kind": func(c *freerun.Context) freerun.Future[string] { return bear.Send(c, bearers.At(c, "a"), 0) },
		"scope": func(c *freerun.Context) freerun.Future[string] {
			return bear.Send(c.WithScope(rt.Scope(context.Background())), u, 0)
		},
		"child scope": func(c *freerun.Context) freerun.Future[string] { return bear.Send(rt.Scope(c).Context(), u, 0) },
		"derived scope": func(c *freerun.Context) freerun.Future[string] {
			return bear.Send(rt.Scope(context.WithValue(c, tenantKey{}, 1)).Context(), u, 0)
		},
		"after Block": func(c *freerun.Context) freerun.Future[string] {
			return freerun.Go(c, func(c *freerun.Context) (string, error) {
				c.Block(func() {})
				return freerun.Forward(c, bear.Send(c, u, 0))
			})
		},
		"activity": func(c *freerun.Context) freerun.Future[string] {
			return answer(c, func(p *freerun.Promise[string]) {
				activity.Go(c, func(a *activity.Activity) { p.Resolve(traceOf(freerun.ContextOf(a)), nil) })
			})
		},
		"branch": func(c *freerun.Context) freerun.Future[string] {
			return freerun.Go(c, func(c *freerun.Context) (string, error) {
				a, b := freerun.Join(c, func(c *freerun.Context) string { return traceOf(c) }, func(c *freerun.Context) string { return traceOf(c) })
				if a != b {
					return "", fmt.Errorf("%q and %q", a, b)
				}
				return a, nil
			})
		},
		"branch of another context": func(c *freerun.Context) freerun.Future[string] {
			return freerun.Go(c, func(c *freerun.Context) (string, error) {
				a, b := freerun.Join(c.WithValue(tenantKey{1}, 1), func(c *freerun.Context) string { return traceOf(c) }, func(c *freerun.Context) string { return fmt.Sprint(c.Value(tenantKey{1})) })
				if b != "1" {
					return "", fmt.Errorf("a branch without a value: %s", b)
				}
				return a, nil
			})
		},
		"loop": func(c *freerun.Context) freerun.Future[string] {
			return freerun.Go(c, func(c *freerun.Context) (string, error) {
				found := make([]string, 20)
				freerun.For(c, len(found), func(c *freerun.Context, i int) { found[i] = traceOf(c) })
				found = slices.Compact(found)
				return strings.Join(found, ","), nil
			})
		},
	}
}

// TestValuesTravel: a value that an ordinary goroutine, or an operation, attaches is found in all
// that follows, and in nothing else, with and without a scope.
func TestValuesTravel(t *testing.T) {
	for name, options := range map[string][]freerun.Option{
		"one": {freerun.Processors(1)}, "two": {freerun.Processors(2)}, "deterministic": {freerun.Deterministic(7)},
	} {
		t.Run(name, func(t *testing.T) {
			rt := runtimetest.Quiet(t, options...)
			all := followings(rt)
			for way, follow := range all {
				for _, scoped := range []bool{false, true} {
					from := rt.Context()
					if scoped {
						from = rt.Scope(context.Background()).Context()
					}
					if got := runtimetest.Must(t, follow(from.WithValue(traceKey{}, "t1"))); got != "t1" {
						t.Errorf("%s, from outside, scope %v: %q", way, scoped, got)
					}
					inside := freerun.Go(from, func(c *freerun.Context) (string, error) {
						return freerun.Forward(c, follow(c.WithValue(traceKey{}, "t2")))
					})
					if got := runtimetest.Must(t, inside); got != "t2" {
						t.Errorf("%s, from an operation, scope %v: %q", way, scoped, got)
					}
					if got := runtimetest.Must(t, follow(from)); got != "" {
						t.Errorf("%s, without a value, scope %v: %q", way, scoped, got)
					}
				}
			}
			made := freerun.Do(rt.Context().WithValue(traceKey{}, "t3"), bearers.At(rt.Context(), "b"), func(_ *freerun.Context, b *bearer) (string, error) { return b.made, nil })
			if got := runtimetest.Must(t, made); got != "made with " {
				t.Errorf("an activation has the value of the message that caused it: %q", got)
			}
		})
	}
}

// TestValuesOfAScope: the values of the context with which a scope was made lie below those that
// were set in it.
func TestValuesOfAScope(t *testing.T) {
	rt := runtimetest.Quiet(t)
	s := rt.Scope(context.WithValue(context.WithValue(t.Context(), traceKey{}, "below"), tenantKey{}, "acme"))
	c := s.Context()
	if traceOf(c) != "below" || traceOf(c.WithPriority(freerun.High)) != "below" {
		t.Error("the scope's values are not found")
	}
	c = c.WithValue(traceKey{}, "above")
	if traceOf(c) != "above" || c.Value(tenantKey{}) != "acme" || traceOf(s.Context()) != "below" {
		t.Errorf("%q, %v; the scope has %q", traceOf(c), c.Value(tenantKey{}), traceOf(s.Context()))
	}
	if hidden := c.WithValue(traceKey{}, nil); hidden.Value(traceKey{}) != nil {
		t.Error("a nil value does not hide the one below")
	}
	if c.Scope() != s || c.Err() != nil {
		t.Error("the context has left its scope")
	}
	s.Cancel(nil)
	if c.Err() == nil || traceOf(c) != "above" {
		t.Errorf("after a cancel: %v, %q", c.Err(), traceOf(c))
	}
	if err := bearNote.Tell(c, freerun.NewUnit(rt, bearer{}), nil); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("a send with values in a canceled scope: %v", err)
	}
}

// TestValuesAreBounded: a chain of operations, each of which sets the same key again, carries one
// value, and what an earlier one has set stays readable for whoever has kept its context.
func TestValuesAreBounded(t *testing.T) {
	const hops = 500
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	s := rt.Scope(t.Context())
	var kept []*freerun.Context
	var hop func(c *freerun.Context, left int) (int, error)
	hop = func(c *freerun.Context, left int) (int, error) {
		kept = append(kept, c)
		if left == 0 {
			return c.Value(traceKey{}).(int) + 1000*c.Value(tenantKey{}).(int), nil
		}
		c = c.WithValue(traceKey{}, left)
		return freerun.Forward(c, freerun.Go(c, func(c *freerun.Context) (int, error) { return hop(c, left-1) }))
	}
	start := s.Context().WithValue(tenantKey{}, 7).WithValue(traceKey{}, 0)
	f := freerun.Go(start, func(c *freerun.Context) (int, error) { return hop(c, hops) })
	if got := runtimetest.Must(t, f); got != 7001 {
		t.Errorf("the last operation has %d", got)
	}
	for i, c := range kept {
		want := hops + 1 - i
		if i == 0 {
			want = 0
		}
		if c.Value(traceKey{}) != want || freerun.ValuesOf(c) != 2 {
			t.Fatalf("hop %d: %v instead of %d, among %d values", i, c.Value(traceKey{}), want, freerun.ValuesOf(c))
		}
	}
}

// TestValuesAndSenders: the chain of senders goes on through operations that set values, and does
// not keep what had other values from being collected.
func TestValuesAndSenders(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	remains := &runtimetest.Remains{}
	s := rt.Scope(t.Context())
	fails := errors.New("fails")
	for i := range 5 {
		token := runtimetest.Watch(remains, fmt.Sprintf("value %d", i), new([64]byte))
		c := s.Context().WithValue(traceKey{}, token)
		bearValue.Send(c, 3)
	}
	if err := s.Wait(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	remains.Check(t) // the scope lives
	bearFailure.Send(s.Context().WithValue(traceKey{}, "x"), fails)
	var e *freerun.ScopeError
	if err := s.Wait(runtimetest.Within(t)); !errors.As(err, &e) || len(e.Senders) != 2 || !strings.HasSuffix(e.Senders[0], "bearMiddle") || !strings.HasSuffix(e.Senders[1], "bearFailure") {
		t.Errorf("%v, with the senders %v", err, e.Senders)
	}
}

var (
	bearValue  *freerun.FreeOperation[int, int]
	bearLast   = freerun.FreeOp("bearLast", func(_ *freerun.Context, err error) (int, error) { return 0, err })
	bearMiddle = freerun.FreeOp("bearMiddle", func(c *freerun.Context, err error) (int, error) {
		bearLast.Send(c.WithValue(traceKey{}, "z"), err)
		return 0, nil
	})
	bearFailure = freerun.FreeOp("bearFailure", func(c *freerun.Context, err error) (int, error) {
		bearMiddle.Send(c.WithValue(traceKey{}, "y"), err)
		return 0, nil
	})
)

func init() {
	bearValue = freerun.FreeOp("bearValue", func(c *freerun.Context, left int) (int, error) {
		if left > 0 {
			bearValue.Send(c.WithValue(tenantKey{left}, c.Value(traceKey{})), left-1)
			bearValue.Send(c.Scope().Context(), 0) // out of the values, in the same scope
		}
		return 0, nil
	})
}

// TestCarryValues: Call and Submit take the values that are named, and no others.
func TestCarryValues(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.CarryValues(traceKey{}, tenantKey{1}), freerun.CarryValues(tenantKey{2}))
	u := freerun.NewUnit(rt, bearer{})
	ctx := context.WithValue(context.WithValue(runtimetest.Within(t), traceKey{}, "request"), tenantKey{3}, "stays")
	got, err := bear.Call(ctx, u, 0)
	if err != nil || got != "request" {
		t.Errorf("Call: %q, %v", got, err)
	}
	s := rt.Scope(t.Context())
	for name, ctx := range map[string]context.Context{
		"the context of a Context": context.WithValue(s.Context().WithValue(traceKey{}, "own"), tenantKey{1}, "more"),
		"a Context":                s.Context().WithValue(traceKey{}, "own").WithValue(tenantKey{1}, "more"),
	} {
		if got, err := bearFree.Call(ctx, rt, 0); err != nil || got != "own" {
			t.Errorf("Call with %s: %q, %v", name, got, err)
		}
	}
	found := make(chan string, 2)
	jobs := freerun.NewKeyed(rt, freerun.KeyedLimits{}, func(c *freerun.Context, _ string, _ int) error {
		found <- fmt.Sprint(traceOf(c), " ", c.Value(tenantKey{3}))
		return nil
	})
	jobs.Submit(ctx, "k", 1)
	if got := <-found; got != "request <nil>" {
		t.Errorf("a job has %q", got)
	}
	jobs.Submit(rt.Context().WithValue(traceKey{}, "direct"), "k", 1)
	if got := <-found; got != "direct <nil>" {
		t.Errorf("a job that was submitted with a Context has %q", got)
	}
	if got, _ := bear.Call(context.Background(), u, 0); got != "" {
		t.Errorf("a Call without values has %q", got)
	}
}

// TestValueMisuse: keys are refused as package context refuses them.
func TestValueMisuse(t *testing.T) {
	rt := runtimetest.Quiet(t)
	for name, bad := range map[string]func(){
		"nil":           func() { rt.Context().WithValue(nil, 1) },
		"a slice":       func() { rt.Context().WithValue([]int{}, 1) },
		"holds a slice": func() { rt.Context().WithValue(struct{ any }{[]int{}}, 1) },
		"carried nil":   func() { freerun.CarryValues(traceKey{}, nil) },
		"carried slice": func() { freerun.CarryValues([]int{}) },
		"nil context":   func() { (*freerun.Context)(nil).WithValue(1, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			bad()
		}()
	}
}

// TestInterceptorAddsValues: an interceptor sees the values, and adds some for the operation and
// all that it sends.
func TestInterceptorAddsValues(t *testing.T) {
	for _, options := range [][]freerun.Option{{freerun.Processors(2)}, {freerun.Deterministic(3)}} {
		rt := runtimetest.Quiet(t, append(options, freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
			return i.Next(c.WithValue(traceKey{}, traceOf(c)+">"))
		}), freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
			if !strings.HasSuffix(traceOf(c), ">") {
				return errors.New("the inner interceptor has not the outer one's value")
			}
			return i.Next(c)
		}))...)
		u := freerun.NewUnit(rt, bearer{})
		c := rt.Context().WithValue(traceKey{}, "t")
		if got := runtimetest.Must(t, bear.Send(c, u, 0)); got != "t>" {
			t.Errorf("an operation has %q", got)
		}
		hops := freerun.Go(c, func(c *freerun.Context) (string, error) {
			c.Block(func() {})
			return freerun.Forward(c, bear.Send(c, u, 0))
		})
		if got := runtimetest.Must(t, hops); got != "t>>" {
			t.Errorf("what follows has %q", got)
		}
	}
	rt := runtimetest.Quiet(t, freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		return i.Next(c.Runtime().Context())
	}))
	var p *freerun.PanicError
	if _, err := bearFree.Send(rt.Context(), 0).Wait(runtimetest.Within(t)); !errors.As(err, &p) {
		t.Errorf("Next with a foreign context: %v", err)
	}
}

// BenchmarkWithValue measures a message of a free operation with a value that is attached for it,
// and with one that was attached before.
func BenchmarkWithValue(b *testing.B) {
	rt := runtimetest.Quiet(b, freerun.Processors(1))
	run := func(b *testing.B, each func(c *freerun.Context) *freerun.Context) {
		f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			for b.Loop() {
				bearFree.Tell(each(c), 0)
			}
			return 0, nil
		})
		runtimetest.Must(b, f)
		b.ReportAllocs()
	}
	b.Run("none", func(b *testing.B) { run(b, func(c *freerun.Context) *freerun.Context { return c }) })
	b.Run("attached", func(b *testing.B) {
		run(b, func(c *freerun.Context) *freerun.Context { return c.WithValue(traceKey{}, "t") })
	})
	b.Run("kept", func(b *testing.B) {
		var kept *freerun.Context
		run(b, func(c *freerun.Context) *freerun.Context {
			if kept == nil {
				kept = c.WithValue(traceKey{}, "t")
			}
			return kept
		})
	})
}
