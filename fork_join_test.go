package freerun_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// fib and spine are the ForkFuncs of the tests.
var (
	fib   = freerun.NewForkFunc[int, int](nil)
	spine = freerun.NewForkFunc[int, int](nil)
)

var _ = freerun.Define(fib, func(c *freerun.Context, n int) int {
	if n < 2 {
		return n
	}
	x, y := fib.Join(c, n-1, n-2)
	return x + y
})

var _ = freerun.Define(spine, func(c *freerun.Context, n int) int {
	if n <= 0 {
		return 1
	}
	x, y := spine.Join(c, -1, n-1) // as unbalanced as can be
	return x + y
})

// deepSpine is a depth. Each join asks once which goroutine runs, and where that walks the stack
// the time of all of them is quadratic in the depth: 14 seconds for the greater one.
var deepSpine = 10_000

func init() {
	if goid.WalksStack {
		deepSpine = 1_000
	}
}

func fibClosures(c *freerun.Context, n int) int {
	if n < 2 {
		return n
	}
	x, y := freerun.Join(c,
		func(c *freerun.Context) int { return fibClosures(c, n-1) },
		func(c *freerun.Context) int { return fibClosures(c, n-2) })
	return x + y
}

// inside runs do as an operation of a runtime with so many processors, and waits for it.
func inside(t testing.TB, processors int, do func(c *freerun.Context)) *freerun.Runtime {
	t.Helper()
	rt, _ := runtimetest.Start(t, freerun.Processors(processors))
	f := freerun.Go(rt.Context(), func(c *freerun.Context) (struct{}, error) {
		do(c)
		return struct{}{}, nil
	})
	var e *freerun.PanicError
	if _, err := f.Wait(runtimetest.Within(t)); errors.As(err, &e) {
		t.Fatalf("%v\n%s", err, e.Stack)
	} else if err != nil {
		t.Fatal(err)
	}
	return rt
}

func TestJoin(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		inside(t, processors, func(c *freerun.Context) {
			if got := fib.Run(c, 20); got != 6765 {
				t.Errorf("fib(20) = %d with branches", got)
			}
			if got := fibClosures(c, 18); got != 2584 {
				t.Errorf("fib(18) = %d with closures", got)
			}
			if got := spine.Run(c, deepSpine); got != deepSpine+1 {
				t.Errorf("a spine of %d has %d leaves", deepSpine, got)
			}
			a, b, d := join3(c,
				func(*freerun.Context) int { return 1 },
				func(*freerun.Context) string { return "two" },
				func(c *freerun.Context) int { return fib.Run(c, 10) })
			if a != 1 || b != "two" || d != 55 {
				t.Errorf("join3 = %d, %q, %d", a, b, d)
			}
		})
	})
}

func TestFor(t *testing.T) {
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		inside(t, processors, func(c *freerun.Context) {
			for _, n := range []int{-1, 0, 1, 2, 3, 7, 100, 10_000} {
				called := make([]atomic.Int32, max(n, 0))
				freerun.For(c, n, func(_ *freerun.Context, i int) { called[i].Add(1) })
				for i := range called {
					if called[i].Load() != 1 {
						t.Fatalf("n = %d: index %d was called %d times", n, i, called[i].Load())
					}
				}
				for _, grain := range []int{1, 3, 1000} {
					var sum atomic.Int64
					freerun.ForRange(c, n, grain, func(_ *freerun.Context, from, to int) {
						if to <= from || to-from > grain {
							t.Errorf("a piece from %d to %d with a grain of %d", from, to, grain)
						}
						sum.Add(int64(to - from))
					})
					if sum.Load() != int64(max(n, 0)) {
						t.Errorf("n = %d, grain %d: %d indices", n, grain, sum.Load())
					}
				}
				var want []int
				for i := range n {
					want = append(want, i)
				}
				got := freerun.Reduce(c, n,
					func(_ *freerun.Context, i int) []int { return []int{i} },
					func(a, b []int) []int { return slices.Concat(a, b) })
				if n < 1000 && !slices.Equal(got, want) {
					t.Errorf("n = %d: reduced to %v", n, got)
				}
				squares := make([]int, len(want))
				freerun.For(c, len(want), func(_ *freerun.Context, i int) { squares[i] = want[i] * want[i] })
				for i, v := range squares {
					if v != i*i {
						t.Fatalf("square %d is %d", i, v)
					}
				}
			}
		})
	})
}

// TestJoinMixed nests all forms in each other.
func TestJoinMixed(t *testing.T) {
	var count func(c *freerun.Context, depth int) int
	count = func(c *freerun.Context, depth int) int {
		if depth == 0 {
			return fib.Run(c, 5) // 5
		}
		switch depth % 3 {
		case 0:
			return freerun.Reduce(c, 3, func(c *freerun.Context, _ int) int { return count(c, depth-1) },
				func(a, b int) int { return a + b })
		case 1:
			a, b, d := join3(c,
				func(c *freerun.Context) int { return count(c, depth-1) },
				func(c *freerun.Context) int64 { return int64(count(c, depth-1)) },
				func(c *freerun.Context) int { return count(c, depth-1) })
			return a + int(b) + d
		}
		var n atomic.Int64
		freerun.For(c, 3, func(c *freerun.Context, _ int) { n.Add(int64(count(c, depth-1))) })
		return int(n.Load())
	}
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		inside(t, processors, func(c *freerun.Context) {
			for range runtimetest.Repeats(3) {
				if got := count(c, 7); got != 5*2187 {
					t.Errorf("counted %d, want %d", got, 5*2187)
				}
			}
		})
	})
}

// TestJoinIsStolen has branches that need each other: they end only if both run at the same time.
func TestJoinIsStolen(t *testing.T) {
	meet := func() (func(*freerun.Context) int, func(*freerun.Context) int) {
		a, b := make(chan struct{}), make(chan struct{})
		return func(*freerun.Context) int { close(a); <-b; return 1 }, func(*freerun.Context) int { close(b); <-a; return 2 }
	}
	rt := inside(t, 2, func(c *freerun.Context) {
		for range 100 {
			f, g := meet()
			if x, y := freerun.Join(c, f, g); x != 1 || y != 2 {
				t.Errorf("joined %d and %d", x, y)
			}
		}
		for range 100 {
			f, g := meet()
			freerun.For(c, 2, func(c *freerun.Context, i int) {
				if i == 0 {
					f(c)
				} else {
					g(c)
				}
			})
		}
	})
	stolen := uint64(0)
	for _, p := range rt.Stats().Processors {
		stolen += p.Stolen
	}
	if stolen < 200 {
		t.Errorf("%d tasks were stolen, want 200 at least", stolen)
	}
}

// TestJoinFromOutside has ordinary goroutines join.
func TestJoinFromOutside(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	check := func(when string) {
		t.Helper()
		if got := fib.Run(c, 15); got != 610 {
			t.Errorf("%s: fib(15) = %d", when, got)
		}
		if x, y := fib.Join(c, 14, 13); x != 377 || y != 233 {
			t.Errorf("%s: joined %d and %d", when, x, y)
		}
		if got := fibClosures(c, 12); got != 144 {
			t.Errorf("%s: fib(12) = %d with closures", when, got)
		}
		var n atomic.Int64
		freerun.For(c, 1000, func(c *freerun.Context, i int) { n.Add(int64(fib.Run(c, 2))) })
		freerun.ForRange(c, 1000, 7, func(_ *freerun.Context, from, to int) { n.Add(int64(to - from)) })
		sum := freerun.Reduce(c, 1000, func(_ *freerun.Context, i int) int { return i }, func(a, b int) int { return a + b })
		if n.Load() != 2000 || sum != 499500 {
			t.Errorf("%s: %d and %d", when, n.Load(), sum)
		}
	}
	check("running")
	rt.Close()
	check("closed")
}

// TestJoinForeign uses an operation's context from other goroutines, and a context of another
// runtime.
func TestJoinForeign(t *testing.T) {
	other, _ := runtimetest.Start(t, freerun.Processors(1))
	inside(t, 2, func(c *freerun.Context) {
		x, y := freerun.Join(c, func(c *freerun.Context) int {
			done := make(chan int)
			for range 3 {
				go func() {
					v := fib.Run(c, 10) + fibClosures(c, 10)
					freerun.For(c, 10, func(c *freerun.Context, i int) { v += i })
					done <- v
				}()
			}
			return <-done + <-done + <-done
		}, func(*freerun.Context) int { return fib.Run(other.Context(), 10) })
		if x != 3*(55+55+45) || y != 55 {
			t.Errorf("joined %d and %d", x, y)
		}
	})
}

// panicOf calls do and returns its panic.
func panicOf(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}

func explode(text string) { panic(text) }

// checkPanic checks that a join panicked with the argument of explode, and with its stack.
func checkPanic(t *testing.T, value any, want string) {
	t.Helper()
	e, ok := value.(*freerun.PanicError)
	if !ok || e.Value != want || !strings.Contains(string(e.Stack), "explode") {
		t.Errorf("panicked with %v, want %q and its stack", value, want)
	}
}

func TestJoinPanics(t *testing.T) {
	left := func(*freerun.Context) int { explode("left"); return 0 }
	right := func(*freerun.Context) int { explode("right"); return 0 }
	fine := func(c *freerun.Context) int { return fib.Run(c, 8) }
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		inside(t, processors, func(c *freerun.Context) {
			for range 50 {
				checkPanic(t, panicOf(func() { freerun.Join(c, left, fine) }), "left")
				checkPanic(t, panicOf(func() { freerun.Join(c, fine, right) }), "right")
				checkPanic(t, panicOf(func() { freerun.Join(c, left, right) }), "left")
				checkPanic(t, panicOf(func() { // far down
					freerun.Join(c, func(c *freerun.Context) int {
						freerun.For(c, 10, func(c *freerun.Context, i int) {
							if i == 5 {
								join3(c, fine, fine, right)
							}
						})
						return 0
					}, fine)
				}), "right")
				if got := fib.Run(c, 10); got != 55 {
					t.Fatalf("fib(10) = %d after panics", got)
				}
			}
		})
	})
}

// TestJoinStolenPanics has both branches run at the same time, and panic.
func TestJoinStolenPanics(t *testing.T) {
	rt, log := runtimetest.Start(t, freerun.Processors(2))
	var ended atomic.Int32
	f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		a, b := make(chan struct{}), make(chan struct{})
		freerun.Join(c,
			func(*freerun.Context) int { close(a); <-b; defer ended.Add(1); explode("left"); return 0 },
			func(*freerun.Context) int { close(b); <-a; defer ended.Add(1); explode("right"); return 0 })
		return 0, nil
	})
	_, err := f.Wait(runtimetest.Within(t))
	var e *freerun.PanicError
	if !errors.As(err, &e) {
		t.Fatalf("failed with %v", err)
	}
	checkPanic(t, e, "left")
	if ended.Load() != 2 {
		t.Errorf("%d branches had ended", ended.Load())
	}
	if all := strings.Join(log.Texts(), "\n"); !strings.Contains(all, "right") {
		t.Errorf("the other panic was not logged:\n%s", all)
	}
}

func TestJoinGoexit(t *testing.T) {
	leave := func(*freerun.Context) int { runtime.Goexit(); return 0 }
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		for i := range 30 {
			f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
				switch i % 3 {
				case 0:
					freerun.Join(c, leave, func(c *freerun.Context) int { return fib.Run(c, 10) })
				case 1:
					freerun.Join(c, func(c *freerun.Context) int { return fib.Run(c, 10) }, leave)
				case 2:
					freerun.For(c, 100, func(c *freerun.Context, i int) { fib.Run(c, 5); leave(c) })
				}
				return 0, nil
			})
			if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrGoexit) {
				t.Fatalf("failed with %v", err)
			}
			if got := fib.Run(rt.Context(), 12); got != 144 {
				t.Errorf("fib(12) = %d afterwards", got)
			}
		}
	})
}

// TestJoinAllocates counts the allocations of joins that no thief takes part in.
func TestJoinAllocates(t *testing.T) {
	inside(t, 1, func(c *freerun.Context) {
		fib.Run(c, 10)
		if n := testing.AllocsPerRun(10, func() { fib.Run(c, 15) }); n != 0 {
			t.Errorf("fib(15) with branches allocates %v times", n)
		}
		body := func(*freerun.Context, int) {}
		if n := testing.AllocsPerRun(10, func() { freerun.For(c, 1000, body) }); n != 0 {
			t.Errorf("For allocates %v times", n)
		}
		leaf, add := func(_ *freerun.Context, i int) int { return i }, func(a, b int) int { return a + b }
		freerun.Reduce(c, 10, leaf, add)
		if n := testing.AllocsPerRun(10, func() { freerun.Reduce(c, 1000, leaf, add) }); n != 0 {
			t.Errorf("Reduce allocates %v times", n)
		}
		nothing := func(*freerun.Context) int { return 0 }
		if n := testing.AllocsPerRun(10, func() { freerun.Join(c, nothing, nothing) }); n != 0 {
			t.Errorf("Join of ready functions allocates %v times", n)
		}
	})
}

// join3 joins three functions: a join in a join.
func join3[A, B, D any](c *freerun.Context, f func(c *freerun.Context) A, g func(c *freerun.Context) B, h func(c *freerun.Context) D) (a A, b B, d D) {
	freerun.Join(c, func(c *freerun.Context) struct{} {
		a, b = freerun.Join(c, f, g)
		return struct{}{}
	}, func(c *freerun.Context) struct{} {
		d = h(c)
		return struct{}{}
	})
	return a, b, d
}

// TestLoopsAfterTheEnd: what cannot be sent to a runtime that has ended runs on the calling
// goroutine, and gives its value.
func TestLoopsAfterTheEnd(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0 // not atomic: one goroutine makes all calls
	freerun.For(rt.Context(), 10, func(*freerun.Context, int) { n++ })
	freerun.ForRange(rt.Context(), 10, 3, func(_ *freerun.Context, from, to int) { n += to - from })
	n += freerun.Reduce(rt.Context(), 10, func(*freerun.Context, int) int { return 1 }, func(a, b int) int { return a + b })
	x, y := freerun.Join(rt.Context(), func(*freerun.Context) int { return 4 }, func(*freerun.Context) int { return 6 })
	if n += x + y; n != 40 {
		t.Errorf("%d calls were made of 40", n)
	}
}
