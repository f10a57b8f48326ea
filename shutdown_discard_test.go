package freerun_test

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestDiscardPriorityMailboxes closes a runtime whose only processor is stuck. Messages are queued
// for a unit with priority mailboxes. One of them, to several units or to read, leaves the unit to
// other owners. All of them fail, and Close returns.
func TestDiscardPriorityMailboxes(t *testing.T) {
	nothing := func(*freerun.Context, *int) (int, error) { return 0, nil }
	for _, before := range []struct {
		name string
		send func(c *freerun.Context, u, v *freerun.Unit[int]) freerun.Future[int]
	}{
		{"several", func(c *freerun.Context, u, v *freerun.Unit[int]) freerun.Future[int] {
			return freerun.When2(c, u, v, func(*freerun.Context, *int, *int) (int, error) { return 0, nil })
		}},
		{"reader", func(c *freerun.Context, u, _ *freerun.Unit[int]) freerun.Future[int] {
			return freerun.Read(c, u, nothing)
		}},
		{"high reader", func(c *freerun.Context, u, _ *freerun.Unit[int]) freerun.Future[int] {
			return freerun.Read(c.WithPriority(freerun.High), u, nothing)
		}},
	} {
		t.Run(before.name, func(t *testing.T) {
			rt, _ := runtimetest.Start(t, freerun.Processors(1))
			c := rt.Context()
			u, v := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
			// The first message with a priority makes the unit's priority mailboxes.
			runtimetest.Must(t, freerun.Do(c.WithPriority(freerun.High), u, nothing))
			if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
				t.Fatal(err)
			}
			g := runtimetest.NewGate()
			freerun.Go(c, func(*freerun.Context) (int, error) { g.Pass(); return 0, nil })
			defer close(g.Opened)
			<-g.Entered
			futures := []freerun.Future[int]{before.send(c, u, v)}
			for _, p := range []freerun.Priority{freerun.High, freerun.Normal, freerun.Low} {
				futures = append(futures, freerun.Do(c.WithPriority(p), u, nothing))
			}
			closed := make(chan error)
			go func() { closed <- rt.Close() }()
			select {
			case <-closed:
			case <-runtimetest.Within(t).Done():
				t.Fatal("Close does not return")
			}
			if failed := rt.Stats().Failed; failed != uint64(len(futures)) {
				t.Errorf("%d of %d messages were failed", failed, len(futures))
			}
			for i, f := range futures {
				if _, err := f.Result(); !errors.Is(err, freerun.ErrClosed) {
					t.Errorf("message %d: %v", i, err)
				}
			}
		})
	}
}
