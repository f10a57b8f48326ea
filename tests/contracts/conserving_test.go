package contracts_test

import (
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 5: while work is queued and a processor is parked, one processor is searching or being woken. Each test has an
// operation that goes on only when what it sent has been run, which another processor must do.

func TestQueuedFreeOperationIsTaken(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for range 500 {
		v := runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			done := make(chan int, 2)
			for i := range 2 {
				freerun.Go(c, func(*freerun.Context) (int, error) { done <- i; return 0, nil })
			}
			return <-done + <-done, nil
		}))
		if v != 1 {
			t.Fatal(v)
		}
	}
}

func TestQueuedUnitsAreTaken(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(3))
	for range 200 {
		runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			done := make(chan int, 3)
			for range 3 {
				freerun.Do(c, freerun.NewUnit(c.Runtime(), 0), func(*freerun.Context, *int) (int, error) { done <- 1; return 0, nil })
			}
			return <-done + <-done + <-done, nil
		}))
	}
}

// TestUnitInTheSlotIsTakenInTheEnd: the one unit in the slot wakes nobody, until the operation that sent to it takes too long.
func TestUnitInTheSlotIsTakenInTheEnd(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for range 20 {
		runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			done := make(chan int)
			freerun.Do(c, freerun.NewUnit(c.Runtime(), 0), func(*freerun.Context, *int) (int, error) { close(done); return 0, nil })
			<-done
			return 0, nil
		}))
	}
}

func TestNoWakeUpIsLost(t *testing.T) {
	for _, processors := range []int{1, 2, 4} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		u := freerun.NewUnit(rt, 0)
		for i := range 3000 {
			if i%10 == 0 {
				if err := rt.Quiesce(runtimetest.Within(t)); err != nil { // all parked
					t.Fatal(err)
				}
			}
			if v := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1)); v != i+1 {
				t.Fatalf("message %d answered %d", i+1, v)
			}
		}
	}
}

// TestQuiesceSeesAllThatWasSent: what was sent before Quiesce is done after it, wherever it went on to.
func TestQuiesceSeesAllThatWasSent(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	for round := 1; round <= 300; round++ {
		for range 20 {
			runtimetest.Spread.Tell(rt.Context(), runtimetest.SpreadArg{To: u, Left: 3})
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		s := rt.Stats()
		if s.Sent != s.Done {
			t.Fatalf("%d sent, %d done", s.Sent, s.Done)
		}
		if ops := u.Stats().Operations; ops != uint64(round*20*8) {
			t.Fatalf("round %d: the unit ran %d operations, want %d", round, ops, round*20*8)
		}
	}
}
