package freerun_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestJoinBlocks has branches block, before and after they fork, on their own processor and on a
// thief's: thieves reach what is forked, and joins go on.
func TestJoinBlocks(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		inside(t, processors, func(c *freerun.Context) {
			ran := make(chan int, 1)
			x, y := freerun.Join(c, func(c *freerun.Context) int {
				a, b := freerun.Join(c, func(c *freerun.Context) int {
					c.Block(func() { <-ran }) // the other branches run elsewhere meanwhile
					return fib.Run(c, 10)
				}, func(c *freerun.Context) int { ran <- 1; return fib.Run(c, 11) })
				return a + b
			}, func(c *freerun.Context) int { return fib.Run(c, 12) })
			if x != 55+89 || y != 144 {
				t.Errorf("joined %d and %d", x, y)
			}
			v := 0
			// Without a processor, the loop runs in sequence.
			freerun.For(c, 4, func(c *freerun.Context, i int) { v += fib.Run(c, 5) })
			if v != 20 {
				t.Errorf("the loop made %d", v)
			}
		})
	})
	inside(t, 2, func(c *freerun.Context) { // in a stolen branch
		for range 50 {
			release := make(chan struct{})
			f, g := stolenBranch(func(c *freerun.Context) { c.Block(func() { <-release }); fib.Run(c, 5) })
			freerun.Join(c, func(c *freerun.Context) int {
				f(c)
				freerun.Go(c, func(*freerun.Context) (int, error) { close(release); return 0, nil })
				return 0
			}, g)
		}
	})
}

// TestJoinBlockedPanics has a branch panic after it has blocked.
func TestJoinBlockedPanics(t *testing.T) {
	inside(t, 2, func(c *freerun.Context) {
		f, g := stolenBranch(func(c *freerun.Context) { c.Block(func() {}); explode("right") })
		checkPanic(t, panicOf(func() { freerun.Join(c, f, g) }), "right")
		fine := func(c *freerun.Context) int { return fib.Run(c, 8) }
		checkPanic(t, panicOf(func() {
			freerun.Join(c, func(c *freerun.Context) int { c.Block(func() {}); explode("left"); return 0 }, fine)
		}), "left")
	})
}

// TestJoinKey has stolen branches run in the scope, and with the priority, of their operation,
// and the scope wait for what they send.
func TestJoinKey(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(t.Context(), freerun.ScopeName("joins"))
	f := freerun.Go(s.Context().WithPriority(freerun.High), func(c *freerun.Context) (int, error) {
		for range 20 {
			check := func(c *freerun.Context) {
				if c.Scope() != s || c.Priority() != freerun.High {
					t.Errorf("a branch runs in scope %v with priority %v", c.Scope(), c.Priority())
				}
				awayAndBack(c)
				add.Send(c, freerun.NewUnit(rt, 0), 1)
			}
			f, g := stolenBranch(check)
			freerun.Join(c, f, g)
			check(c)
		}
		return fib.Run(c, 10), nil
	})
	if got := runtimetest.Must(t, f); got != 55 {
		t.Errorf("fib(10) = %d", got)
	}
	if err := s.Wait(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	// The processors' contexts are without scope again.
	runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		f, g := stolenBranch(func(c *freerun.Context) {
			if c.Scope() != nil || c.Priority() != freerun.Normal {
				t.Errorf("a branch runs in scope %v with priority %v", c.Scope(), c.Priority())
			}
		})
		freerun.Join(c, f, g)
		return 0, nil
	}))
	s.Cancel(nil)
	if _, err := freerun.Go(s.Context(), func(c *freerun.Context) (int, error) { return fib.Run(c, 5), nil }).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("a canceled scope: %v", err)
	}
	if got := fib.Run(s.Context(), 10); got != 55 { // nothing can be sent: the goroutine runs it
		t.Errorf("fib(10) = %d in a canceled scope", got)
	}
}

// TestJoinOtherContext joins through contexts that are made from the operation's own: the branches
// are run, one after the other.
func TestJoinOtherContext(t *testing.T) {
	inside(t, 2, func(c *freerun.Context) {
		high := c.WithPriority(freerun.High)
		x, y := fib.Join(high, 10, 11)
		sum := freerun.Reduce(high, 10, func(c *freerun.Context, i int) int { return i }, func(a, b int) int { return a + b })
		if x != 55 || y != 89 || sum != 45 {
			t.Errorf("joined %d, %d, %d", x, y, sum)
		}
	})
}

// TestJoinLabels has a stolen branch show under the name of its operation in profiles.
func TestJoinLabels(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2), freerun.Labels())
	f := stuck.Send(rt.Context(), func(c *freerun.Context) {
		f, g := stolenBranch(func(*freerun.Context) {
			// two: the operation and the branch
			if profile := goroutines(); strings.Count(profile, `:"freerun_test.stuck"`) < 2 {
				t.Errorf("the branch is not labelled:\n%s", profile)
			}
		})
		freerun.Join(c, f, g)
	})
	runtimetest.Must(t, f)
}
