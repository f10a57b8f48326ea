package clustertest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/clustertest"
	"github.com/freerun-go/freerun/freeruntest"
)

// run is Run of a test that stands alone: it returns what that test has said, and whether it has
// failed.
func run(t *testing.T, o clustertest.Options, body func(s *clustertest.Sim)) *example {
	t.Helper()
	for _, name := range []string{freeruntest.Seed, clustertest.Simulations} {
		t.Setenv(name, "")
		os.Unsetenv(name) // what another test is run with says nothing of this one
	}
	e := &example{}
	clustertest.Run(e, o, body)
	return e
}

// none are no faults.
var none = &clustertest.Faults{}

// lost is a body with a mistake: it takes a coin for paid before it knows.
func lost(s *clustertest.Sim) {
	paid := 0
	for rt := range s.Lives() {
		for range s.Count(20) {
			get.Send(rt.Context(), purses.At(rt.Context(), "ada"), 1)
			paid++
		}
	}
	rt, _ := s.Last()
	if n, err := count.Call(s.Context(), purses.At(rt.Context(), "ada"), struct{}{}); err != nil || n != 100+paid {
		s.Errorf("%d were paid, and there are %d, %v", paid, n, err)
	}
}

// TestReport holds that what has failed is made smaller, and that its report has what the program
// has said, where, the fault, and the seed.
func TestReport(t *testing.T) {
	e := run(t, clustertest.Options{Faults: &clustertest.Faults{Kill: 0.5}}, lost)
	for _, part := range []string{
		"run_test.go:", ": 1 were paid, and there are 100, <nil>", // one of many
		"clustertest: failed under the schedule of seed ", ", in life 2, with 1 faults; to run it again: FREERUN_SEED=",
		" go test -run '^Test$'\n\tlife 1, at 2000-01-01 00:00:00.", ": the process is killed at the end of its function",
	} {
		if !e.failed || !strings.Contains(e.text(), part) {
			t.Errorf("the report lacks %q:\n%s", part, e.text())
		}
	}
}

// TestSeed holds that a seed repeats what it has found, and logs what happened.
func TestSeed(t *testing.T) {
	first := run(t, clustertest.Options{}, lost)
	_, after, _ := strings.Cut(first.text(), freeruntest.Seed+"=")
	seed, _, _ := strings.Cut(after, " ")
	t.Setenv(freeruntest.Seed, seed)
	again := &example{}
	clustertest.Run(again, clustertest.Options{}, lost)
	if !strings.HasSuffix(again.text(), first.text()) {
		t.Errorf("the seed gives\n%s\nand gave\n%s", again.text(), first.text())
	}
	for _, part := range []string{"what happens under the schedule of seed " + seed, "clustertest_test.get", `put ["spurse`, "crash ["} {
		if !strings.Contains(again.text(), part) {
			t.Errorf("the log lacks %q:\n%s", part, again.text())
		}
	}
	t.Setenv(freeruntest.Seed, "x")
	if e := fails(func(e *example) { clustertest.Run(e, clustertest.Options{}, lost) }); !strings.Contains(e.text(), "FREERUN_SEED is no seed") {
		t.Errorf("a bad seed: %s", e.text())
	}
}

// fails calls f with a test whose Fatalf panics.
func fails(f func(e *example)) *example {
	e := &example{}
	func() {
		defer func() {
			if value := recover(); value != nil && value != any(e) {
				panic(value)
			}
		}()
		f(e)
	}()
	return e
}

// TestSimulations holds that the environment says how many schedules there are.
func TestSimulations(t *testing.T) {
	runs := 0
	body := func(*clustertest.Sim) { runs++ }
	run(t, clustertest.Options{Seeds: 5}, body)
	if runs != 5+2 { // two look whether a run repeats
		t.Errorf("%d runs", runs)
	}
	t.Setenv(clustertest.Simulations, "7")
	runs = 0
	clustertest.Run(t, clustertest.Options{Seeds: 5}, body)
	if runs != 7+2 {
		t.Errorf("%d runs", runs)
	}
	for _, bad := range []string{"x", "0", "-1"} {
		t.Setenv(clustertest.Simulations, bad)
		if e := fails(func(e *example) { clustertest.Run(e, clustertest.Options{}, body) }); !strings.Contains(e.text(), "at least 1") {
			t.Errorf("%q schedules: %s", bad, e.text())
		}
	}
}

// TestUnrepeatable holds that a program is found that does not repeat its run, with what differs.
func TestUnrepeatable(t *testing.T) {
	runs := 0
	e := run(t, clustertest.Options{Faults: none}, func(s *clustertest.Sim) {
		runs++
		for rt := range s.Lives() {
			_, _ = get.Call(s.Context(), purses.At(rt.Context(), "ada"), runs)
		}
	})
	for _, part := range []string{"seed 0 does not repeat its run", `\"Coins\":102`, `\"Coins\":103`} {
		if !e.failed || !strings.Contains(e.text(), part) {
			t.Errorf("it lacks %q: %s", part, e.text())
		}
	}
}

// TestBodyEnds holds that a body may end in any way, and that no life is left then.
func TestBodyEnds(t *testing.T) {
	where := map[string]func(s *clustertest.Sim, end func()){
		"before": func(s *clustertest.Sim, end func()) { end() },
		"in a life": func(s *clustertest.Sim, end func()) {
			for rt := range s.Lives() {
				get.Send(rt.Context(), purses.At(rt.Context(), "ada"), 1)
				end()
			}
		},
		"in the last one": func(s *clustertest.Sim, end func()) {
			rt, _ := s.Last()
			get.Send(rt.Context(), purses.At(rt.Context(), "ada"), 1)
			end()
		},
	}
	how := map[string]struct {
		end   func(s *clustertest.Sim)
		said  string
		fails bool
	}{
		"panic":  {func(*clustertest.Sim) { panic("oh no") }, "panic: oh no", true},
		"Fatal":  {func(s *clustertest.Sim) { s.Fatal("it", "is", "over") }, ": it is over", true},
		"Fatalf": {func(s *clustertest.Sim) { s.Fatalf("over %d", 1) }, ": over 1", true},
		"Error":  {func(s *clustertest.Sim) { s.Error("not", "so") }, ": not so", true},
		"Skip":   {func(s *clustertest.Sim) { s.Skip("not here") }, "", false},
		"Log":    {func(s *clustertest.Sim) { s.Log("unseen") }, "", false},
		"Goexit": {func(*clustertest.Sim) { runtime.Goexit() }, "has called runtime.Goexit", true},
	}
	for place, in := range where {
		for name, x := range how {
			cleaned, runs := 0, 0
			e := run(t, clustertest.Options{Seeds: 3, Faults: none}, func(s *clustertest.Sim) {
				runs++
				s.Cleanup(func() { cleaned++ })
				in(s, func() { x.end(s) })
			})
			if e.failed != x.fails || !strings.Contains(e.text(), x.said) || !x.fails && len(e.said) > 0 || cleaned != runs {
				t.Errorf("%s %s: failed %v, %d of %d cleaned: %s", name, place, e.failed, cleaned, runs, e.text())
			}
		}
	}
}

// TestOutsideFails holds that a body may fail the test itself; Run says the seed.
func TestOutsideFails(t *testing.T) {
	var e *example
	runs := 0
	e = &example{}
	t.Setenv(freeruntest.Seed, "")
	os.Unsetenv(freeruntest.Seed)
	clustertest.Run(e, clustertest.Options{}, func(*clustertest.Sim) { runs++; e.Errorf("directly") })
	if runs != 1 || !strings.Contains(e.text(), "directly\nclustertest: failed under the schedule of seed 0") {
		t.Errorf("%d runs: %s", runs, e.text())
	}
}

// TestMisuse holds that misuse is told.
func TestMisuse(t *testing.T) {
	body := func(*clustertest.Sim) {}
	for want, misuse := range map[string]func(){
		"nil function":      func() { clustertest.Run(t, clustertest.Options{}, nil) },
		"-1 seeds":          func() { clustertest.Run(t, clustertest.Options{Seeds: -1}, body) },
		"-1 lives":          func() { clustertest.Run(t, clustertest.Options{Lives: -1}, body) },
		"(late write) is 2": func() { clustertest.Run(t, clustertest.Options{Faults: &clustertest.Faults{LateWrite: 2}}, body) },
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, want) {
					t.Errorf("%q: %s", want, said)
				}
			}()
			misuse()
		}()
	}
	for want, body := range map[string]func(s *clustertest.Sim){
		"Count of at most 0": func(s *clustertest.Sim) { s.Count(0) },
		"a life begins in another one": func(s *clustertest.Sim) {
			for range s.Lives() {
				s.Last()
			}
		},
		"a life begins after Last": func(s *clustertest.Sim) {
			s.Last()
			for range s.Lives() {
			}
		},
		"a context has a deadline": func(s *clustertest.Sim) {
			ctx, cancel := context.WithTimeout(s.Context(), time.Hour)
			defer cancel()
			for rt := range s.Lives() {
				_, _ = get.Call(ctx, purses.At(rt.Context(), "ada"), 1)
			}
		},
	} {
		if e := run(t, clustertest.Options{Seeds: 1, Faults: none}, body); !e.failed || !strings.Contains(e.text(), want) {
			t.Errorf("%q: %s", want, e.text())
		}
	}
}

var (
	fragile = freerun.Op("fragile", func(c *freerun.Context, p *purse, coins int) (int, error) {
		p.Coins += coins
		clustertest.Crash(c.Runtime())
		if _, err := purses.Stop(c, "bob").Result(); !errors.Is(err, freerun.ErrClosed) {
			return 0, fmt.Errorf("sent after a crash: %w", err)
		}
		return p.Coins, nil
	})
	passesOn = freerun.Op("passesOn", func(c *freerun.Context, p *purse, coins int) (int, error) {
		return 0, fragile.Tell(c, purses.At(c, "bob"), coins)
	})
)

// TestCrash holds that an operation may end its process: waits and sends fail from then on, and
// what it has changed is not stored. One that is told, and does so each time, becomes a failure.
func TestCrash(t *testing.T) {
	clustertest.Run(t, clustertest.Options{Seeds: 30, Lives: 1, Faults: none}, func(s *clustertest.Sim) {
		for rt := range s.Lives() {
			c := rt.Context()
			told, err := passesOn.Call(s.Context(), purses.At(c, "ada"), 1)
			if err != nil && !errors.Is(err, freerun.ErrClosed) {
				s.Errorf("%d, %v", told, err)
			}
			_, _ = freerun.After(c, time.Hour).Wait(s.Context())
			for what, err := range map[string]error{
				"a wait":  rt.Quiesce(context.Background()),
				"a Tell":  get.Tell(c, purses.At(c, "ada"), 1),
				"a Call":  second(get.Call(context.Background(), purses.At(c, "ada"), 1)),
				"a timer": second(freerun.After(c, time.Hour).Wait(context.Background())),
			} {
				if !errors.Is(err, freerun.ErrClosed) {
					s.Errorf("%s after a crash: %v", what, err)
				}
			}
		}
		rt, node := s.Last()
		failures := 0
		for f, err := range node.Failures() {
			if failures++; err != nil || f.Operation != "fragile" {
				s.Errorf("%+v, %v", f, err)
			}
		}
		if coins, err := count.Call(s.Context(), purses.At(rt.Context(), "bob"), struct{}{}); failures != 1 || coins != 100 || err != nil {
			s.Errorf("%d failures, %d coins, %v", failures, coins, err)
		}
	})
	rt := freerun.New()
	clustertest.Crash(rt)
	if err := rt.Shutdown(t.Context()); err != nil {
		t.Errorf("Crash of a runtime that is not simulated: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

var (
	spin = freerun.FreeOp[struct{}, struct{}]("spin", nil)
	_    = freerun.Define(spin, func(c *freerun.Context, _ struct{}) (struct{}, error) {
		return struct{}{}, spin.Tell(c, struct{}{})
	})
)

// TestEndless holds that a program is found that goes on for ever.
func TestEndless(t *testing.T) {
	e := run(t, clustertest.Options{Seeds: 1, Lives: 1, Faults: none}, func(s *clustertest.Sim) {
		for rt := range s.Lives() {
			_ = spin.Tell(rt.Context(), struct{}{})
			_ = rt.Quiesce(s.Context())
		}
	})
	if !e.failed || !strings.Contains(e.text(), "it does not come to its end") {
		t.Error(e.text())
	}
}

// TestClock holds that time goes on from life to life, jumps if it is to, and that a life has its
// runtime's options.
func TestClock(t *testing.T) {
	var jumps []time.Duration
	var processors []int
	o := clustertest.Options{Seeds: 50, Faults: &clustertest.Faults{ClockJump: 0.3}, Runtime: []freerun.Option{freerun.Processors(7)}}
	clustertest.Run(t, o, func(s *clustertest.Sim) {
		last := time.Time{}
		for rt, node := range s.Lives() {
			if now := rt.Now(); !now.After(last) {
				s.Errorf("a life begins at %v, after %v", now, last)
			} else if !last.IsZero() {
				jumps = append(jumps, now.Sub(last))
			}
			_, _ = freerun.After(rt.Context(), time.Second).Wait(s.Context())
			last = rt.Now()
			processors = append(processors, len(rt.Stats().Processors))
			for key, err := range cluster.Keys(node, purses, "") {
				s.Errorf("%v, %v", key, err)
			}
		}
	})
	if slices.Max(jumps) < time.Minute || slices.Min(jumps) > 2*time.Second || slices.Min(processors) != 7 {
		t.Errorf("times between lives: %v; processors %v", jumps, processors)
	}
}

// TestNothingWrong holds that a life ends well, when nothing goes wrong, and has lost nothing.
func TestNothingWrong(t *testing.T) {
	clustertest.Run(t, clustertest.Options{Seeds: 50, Faults: none}, func(s *clustertest.Sim) {
		sent := 0
		for rt := range s.Lives() {
			for range s.Count(20) {
				get.Send(rt.Context(), purses.At(rt.Context(), "ada"), 1)
				sent++
			}
		}
		rt, _ := s.Last()
		if n, err := count.Call(s.Context(), purses.At(rt.Context(), "ada"), struct{}{}); err != nil || n != 100+sent {
			s.Errorf("%d, %v, want %d", n, err, 100+sent)
		}
	})
}
