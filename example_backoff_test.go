package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/freerun-go/freerun"
)

// A unit that breaks again and again lies still after each restart, for twice as long each time.
// Its messages wait. Here the time is virtual.
func ExampleBackOff() {
	rt := freerun.New(freerun.Deterministic(1), freerun.Logger(slog.New(slog.DiscardHandler)))
	defer rt.Close()
	c, begun := rt.Context(), rt.Now()
	line := freerun.NewUnit(rt, "", freerun.RestartOnPanic(func() string { return "" }, 5, time.Minute),
		freerun.BackOff(100*time.Millisecond, 10*time.Second))
	for range 3 {
		freerun.Do(c, line, func(*freerun.Context, *string) (int, error) { panic("no line") })
	}
	next := freerun.Do(c, line, func(c *freerun.Context, _ *string) (time.Duration, error) {
		return c.Runtime().Now().Sub(begun), nil
	})
	fmt.Println(next.Wait(context.Background()))
	// Output:
	// 700ms <nil>
}

// A unit without which the whole makes no sense ends the scope of the whole.
func ExampleCancelsScope() {
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	defer rt.Close()
	whole := rt.Scope(context.Background(), freerun.ScopeName("whole"))
	ledger := freerun.NewUnit(rt, 0, freerun.StopOnPanic(), freerun.CancelsScope(whole))
	freerun.Do(rt.Context(), ledger, func(*freerun.Context, *int) (int, error) { panic("out of balance") })

	<-whole.Context().Done()
	if why, stopped := errors.AsType[*freerun.StoppedError](context.Cause(whole.Context())); stopped {
		fmt.Println("the whole is made anew:", why.Err.Value)
	}
	// Output:
	// the whole is made anew: out of balance
}
