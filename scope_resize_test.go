package freerun_test

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestScopeOverResize takes processors out of service while they run operations of a scope. Their
// credit of the scope is not lost, so that Wait returns.
func TestScopeOverResize(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(3))
	for round := range 30 {
		s := rt.Scope(context.Background())
		u := freerun.NewUnit(rt, 0)
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() { // keeps processors busy with other work when the scope's is done
			defer close(ended)
			for {
				select {
				case <-stop:
					return
				default:
					runtimetest.Tick.Send(rt.Context(), 1).Wait(context.Background())
				}
			}
		}()
		for i := range 20 {
			runtimetest.Spread.Tell(s.Context(), runtimetest.SpreadArg{To: u, Left: 5})
			if i%10 == 5 {
				rt.Resize(1 + (round+i)%3)
			}
		}
		if err := s.Wait(runtimetest.Within(t)); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		close(stop)
		<-ended
		s.Cancel(nil)
	}
}
