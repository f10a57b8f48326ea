package freeruntest_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// A bank with a bug that depends on the order of events: a withdrawal reads the balance first and
// sets it later.

type account struct{ balance int }

var balance = freerun.Op("balance", func(_ *freerun.Context, a *account, _ struct{}) (int, error) { return a.balance, nil })

var set = freerun.Op("set", func(_ *freerun.Context, a *account, to int) (int, error) {
	a.balance = to
	return to, nil
})

var add = freerun.Op("add", func(_ *freerun.Context, a *account, by int) (int, error) {
	a.balance += by
	return a.balance, nil
})

type clerk struct{ from *freerun.Unit[account] }

var withdraw = freerun.Op("withdraw", func(c *freerun.Context, k *clerk, amount int) (int, error) {
	before := balance.Send(c, k.from, struct{}{})
	after := freerun.Then(c, before, func(c *freerun.Context, b int) (int, error) {
		return freerun.Forward(c, set.Send(c, k.from, b-amount))
	})
	return freerun.Forward(c, after)
})

var withdrawRight = freerun.Op("withdrawRight", func(c *freerun.Context, k *clerk, amount int) (int, error) {
	return freerun.Forward(c, add.Send(c, k.from, -amount))
})

// bank returns a body in which two clerks withdraw from one account.
func bank(t testing.TB, withdraw *freerun.Operation[clerk, int, int]) func(rt *freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		a := freerun.NewUnit(rt, account{100})
		one := withdraw.Send(rt.Context(), freerun.NewUnit(rt, clerk{a}), 30)
		two := withdraw.Send(rt.Context(), freerun.NewUnit(rt, clerk{a}), 20)
		one.Wait(t.Context())
		two.Wait(t.Context())
		if left, err := balance.Send(rt.Context(), a, struct{}{}).Wait(t.Context()); left != 50 || err != nil {
			t.Errorf("%d are left of 100 after 30 and 20 were withdrawn", left)
		}
	}
}

// fakeT is a test that may fail without failing this one.
type fakeT struct {
	testing.TB
	failed bool
	text   strings.Builder
}

func (f *fakeT) Helper()                      {}
func (f *fakeT) Failed() bool                 { return f.failed }
func (f *fakeT) Logf(s string, args ...any)   { fmt.Fprintf(&f.text, s+"\n", args...) }
func (f *fakeT) Errorf(s string, args ...any) { f.failed = true; f.Logf(s, args...) }
func (f *fakeT) Fatalf(s string, args ...any) { f.Errorf(s, args...); f.FailNow() }
func (f *fakeT) FailNow()                     { f.failed = true; runtime.Goexit() }

// explore calls Explore with a body that may fail, and returns what it printed.
func explore(t *testing.T, body func(t testing.TB) func(*freerun.Runtime), options ...freeruntest.Option) (failed bool, text string) {
	f := &fakeT{TB: t}
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		freeruntest.Explore(f, body(f), options...)
	}()
	if value := <-done; value != nil {
		f.failed = true
		f.Logf("panic: %v", value)
	}
	return f.failed, f.text.String()
}

func TestExploreFindsAndRepeats(t *testing.T) {
	t.Setenv(freeruntest.Seed, "")
	os.Unsetenv(freeruntest.Seed)
	wrong := func(t testing.TB) func(*freerun.Runtime) { return bank(t, withdraw) }
	failed, text := explore(t, wrong)
	if !failed {
		t.Fatal("the bug was not found")
	}
	t.Log(text)
	seed := regexp.MustCompile(freeruntest.Seed + `=(\d+) go test -run '\^TestExploreFindsAndRepeats\$'`).FindStringSubmatch(text)
	if seed == nil {
		t.Fatalf("no line to run it again in:\n%s", text)
	}
	t.Setenv(freeruntest.Seed, seed[1])
	_, first := explore(t, wrong)
	_, second := explore(t, wrong)
	if !strings.Contains(first, "are left of 100") || !strings.Contains(first, ": "+freerun.NameOf(set)+"\n") || first != second {
		t.Errorf("run again it said:\n%s\nand then:\n%s", first, second)
	}
}

// TestExploreByPriorities holds that each kind of schedule finds the bug. Odd seeds go by
// priorities.
func TestExploreByPriorities(t *testing.T) {
	found := [2]int{}
	for seed := range 200 {
		t.Setenv(freeruntest.Seed, fmt.Sprint(seed))
		if failed, _ := explore(t, func(t testing.TB) func(*freerun.Runtime) { return bank(t, withdraw) }); failed {
			found[seed%2]++
		}
	}
	t.Logf("found under %d of 100 random schedules, and %d of 100 by priorities", found[0], found[1])
	if found[0] == 0 || found[1] == 0 {
		t.Error("one kind of schedules does not find the bug")
	}
}

func TestExploreRightProgram(t *testing.T) {
	t.Setenv(freeruntest.Seed, "") // restores the variable after the test
	os.Unsetenv(freeruntest.Seed)
	runs := 0
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		runs++
		bank(t, withdrawRight)(rt)
	}, freeruntest.Runs(200), freeruntest.Processors(3))
	if runs != 200 {
		t.Errorf("%d runs", runs)
	}
}

// TestExploreFailures holds that every way in which a body fails prints the reason and the seed.
func TestExploreFailures(t *testing.T) {
	for text, body := range map[string]func(t testing.TB) func(*freerun.Runtime){
		"a fatal error": func(t testing.TB) func(*freerun.Runtime) {
			return func(*freerun.Runtime) { t.Fatalf("a fatal error") }
		},
		"panic: a panic": func(testing.TB) func(*freerun.Runtime) {
			return func(*freerun.Runtime) { panic("a panic") }
		},
		"after the body: freerun: closed; messages abandoned: 1": func(testing.TB) func(*freerun.Runtime) {
			return func(rt *freerun.Runtime) {
				other := freerun.New(freerun.Deterministic(1))
				t.Cleanup(func() { other.Close() })
				never := freerun.Go(other.Context(), func(*freerun.Context) (int, error) { return 0, nil })
				freerun.Then(rt.Context(), never, func(*freerun.Context, int) (int, error) { return 0, nil })
			}
		},
	} {
		if failed, said := explore(t, body); !failed || !strings.Contains(said, freeruntest.Seed+"=0 ") || !strings.Contains(said, text) {
			t.Errorf("failed %v, with %q, want %q", failed, said, text)
		}
	}
	t.Setenv(freeruntest.Seed, "x")
	if failed, said := explore(t, func(testing.TB) func(*freerun.Runtime) { return func(*freerun.Runtime) {} }); !failed || !strings.Contains(said, "is no seed") {
		t.Errorf("a seed that is none: %q", said)
	}
}

// TestRandom holds that the numbers a body draws follow from the seed of the schedule, and from
// nothing before it.
func TestRandom(t *testing.T) {
	draw := func() (drawn []uint64) {
		freeruntest.Explore(t, func(rt *freerun.Runtime) { drawn = append(drawn, freeruntest.Random(rt).Uint64()) }, freeruntest.Runs(5))
		return drawn
	}
	all := draw()
	for seed, drawn := range all {
		if slices.Index(all, drawn) != seed {
			t.Errorf("drawn twice: %v", all)
		}
		t.Setenv(freeruntest.Seed, strconv.Itoa(seed))
		if again := draw(); !slices.Equal(again, []uint64{drawn}) {
			t.Errorf("seed %d: %d, and alone %d", seed, drawn, again)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Random of another runtime: no panic")
		}
	}()
	rt := freerun.New()
	defer rt.Close()
	freeruntest.Random(rt)
}
