package freerun_test

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun"
)

// TestScopeOverResize takes processors out of service while they run operations of a scope: what they had counted in stock is not lost, so that
// Wait returns.
func TestScopeOverResize(t *testing.T) {
	rt, _ := start(t, freerun.Processors(3))
	for round := range 30 {
		s := rt.Scope(context.Background())
		u := freerun.NewUnit(rt, 0)
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() { // other work, which keeps processors busy when the scope's is done
			defer close(ended)
			for {
				select {
				case <-stop:
					return
				default:
					tickOnce.Send(rt.Context(), 1).Wait(context.Background())
				}
			}
		}()
		for i := range 20 {
			spread.Tell(s.Context(), spreadArg{u, 5})
			if i%10 == 5 {
				rt.Resize(1 + (round+i)%3)
			}
		}
		if err := s.Wait(within(t)); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		close(stop)
		<-ended
		s.Cancel(nil)
	}
}
