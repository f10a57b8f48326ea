package contracts_test

import (
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 5: while work is queued and a processor is parked, some processor is searching or being
// woken. In each test an operation goes on only after the message that it sent has been run.
// Only another processor can run that message.

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

// TestUnitInTheSlotIsTakenInTheEnd: a unit alone in the slot wakes no other processor at first.
// It is taken once the operation that sent to it takes too long.
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

// TestForkOfALoneProcessorIsTaken: a fork is open to a processor that comes only afterwards.
func TestForkOfALoneProcessorIsTaken(t *testing.T) {
	for range 20 {
		rt, _ := runtimetest.Start(t, freerun.Processors(1))
		runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			taken := make(chan int)
			freerun.Join(c, func(c *freerun.Context) int {
				c.Runtime().Resize(2)
				return <-taken
			}, func(*freerun.Context) int { close(taken); return 0 })
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
				// Quiesce returns when all processors are parked.
				if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
					t.Fatal(err)
				}
			}
			if v := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1)); v != i+1 {
				t.Fatalf("message %d answered %d", i+1, v)
			}
		}
	}
}

// TestQuiesceSeesAllThatWasSent: a message that was sent before Quiesce has been run after it, and
// so have all messages that followed from it.
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
