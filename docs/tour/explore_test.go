package tour_test

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

//tour:begin explore
func TestTransfer(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) { // 500 times, under 500 schedules
		ada, bob := freerun.NewUnit(rt, Account{Balance: 100}), freerun.NewUnit(rt, Account{})
		for range 5 {
			transfer.Tell(rt.Context(), ada, bob, 10)
			transfer.Tell(rt.Context(), bob, ada, 10)
		}
		if err := rt.Quiesce(context.Background()); err != nil { // until all is done
			t.Fatal(err)
		}
		a, _ := balance.Send(rt.Context(), ada, struct{}{}).Wait(context.Background())
		b, _ := balance.Send(rt.Context(), bob, struct{}{}).Wait(context.Background())
		if a+b != 100 {
			t.Errorf("money was lost: %d and %d", a, b)
		}
	})
}

//tour:end
