package freeruntest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// till is the state of a unit: the money in a till.
type till struct{ money int }

var (
	count = freerun.Op("count", func(_ *freerun.Context, t *till, _ struct{}) (int, error) {
		return t.money, nil
	})
	put = freerun.Op("put", func(_ *freerun.Context, t *till, to int) (int, error) {
		t.money = to
		return to, nil
	})
)

// pay counts the money of a till and then puts one coin more. Another payment may come between.
func pay(c *freerun.Context, into *freerun.Unit[till]) freerun.Future[int] {
	return freerun.Then(c, count.Send(c, into, struct{}{}), func(c *freerun.Context, counted int) (int, error) {
		return freerun.Forward(c, put.Send(c, into, counted+1))
	})
}

// Two payments into one till: under some schedules both count before either puts its coin. A test
// passes its *testing.T where this example passes example.
func ExampleExplore() {
	t := &example{}
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		into := freerun.NewUnit(rt, till{})
		one, two := pay(rt.Context(), into), pay(rt.Context(), into)
		one.Wait(t.Context())
		two.Wait(t.Context())
		money, err := count.Send(rt.Context(), into, struct{}{}).Wait(t.Context())
		if money != 2 || err != nil {
			t.Errorf("2 coins were paid, %d are in the till", money)
		}
	})
	// Output:
	// 2 coins were paid, 1 are in the till
}

// example stands for a test's *testing.T: it prints errors, and no more than those.
type example struct {
	testing.TB
	failed bool
}

func (e *example) Context() context.Context  { return context.Background() }
func (e *example) Failed() bool              { return e.failed }
func (e *example) Helper()                   {}
func (e *example) Logf(string, ...any)       {}
func (e *example) Name() string              { return "ExampleExplore" }
func (e *example) Errorf(s string, a ...any) { e.failed = true; fmt.Printf(s+"\n", a...) }
