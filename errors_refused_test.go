package freerun_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestStatsOfRefused: what a full mailbox refuses is counted in Sent, Done and Failed; what is
// refused before it comes to a mailbox is not counted.
func TestStatsOfRefused(t *testing.T) {
	rt, other := runtimetest.Quiet(t, freerun.Processors(1)), runtimetest.Quiet(t, freerun.Processors(1))
	u, foreign := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.Reject)), freerun.NewUnit(other, 0)
	g := runtimetest.NewGate()
	busy := freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	canceled := rt.Scope(context.Background())
	canceled.Cancel(nil)
	c := rt.Context()
	for _, x := range []struct {
		send         func() error
		sent, failed uint64
		is           error
	}{
		{func() error { return addTo.Tell(c, u, 1) }, 10, 8, freerun.ErrFull},
		{func() error { _, err := addTo.Send(c, u, 1).Result(); return err }, 10, 10, freerun.ErrFull},
		{func() error { _, err := addTo.Call(runtimetest.Within(t), u, 1); return err }, 10, 10, freerun.ErrFull},
		{func() error { return addTo.Tell(c, foreign, 1) }, 0, 0, freerun.ErrOtherRuntime},
		{func() error { _, err := addTo.Send(c, foreign, 1).Result(); return err }, 0, 0, freerun.ErrOtherRuntime},
		{func() error { return transferred.Tell(c, u, u, 1) }, 0, 0, freerun.ErrSameUnit},
		{func() error { return addTo.Tell(canceled.Context(), u, 1) }, 0, 0, freerun.ErrCanceled},
	} {
		before := rt.Stats()
		var err error
		for range 10 {
			err = x.send()
		}
		after := rt.Stats()
		if !errors.Is(err, x.is) || after.Sent-before.Sent != x.sent || after.Failed-before.Failed != x.failed || after.Done-before.Done != x.failed {
			t.Errorf("%v: %d sent, %d done, %d failed", err, after.Sent-before.Sent, after.Done-before.Done, after.Failed-before.Failed)
		}
	}
	close(g.Opened)
	runtimetest.Must(t, busy)
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	s := rt.Stats()
	if err := addTo.Tell(c, u, 1); err != freerun.ErrClosed || rt.Stats().Sent != s.Sent || s.Sent != s.Done {
		t.Errorf("%v, %+v", err, s)
	}
}

var transferred = freerun.Op2("transferred", func(_ *freerun.Context, a, b *int, n int) (int, error) { return n, nil })

// TestRefusalsNameTheUnit: the errors of full mailboxes, and of units of other runtimes, name the
// unit.
func TestRefusalsNameTheUnit(t *testing.T) {
	rt, other := runtimetest.Quiet(t, freerun.Processors(1)), runtimetest.Quiet(t, freerun.Processors(1))
	named := freerun.NewUnit(rt, 0, freerun.MailboxLimit(1, freerun.Reject), freerun.UnitName("till"))
	unnamed := freerun.NewUnit(rt, 0, freerun.MailboxLimit(1, freerun.Reject))
	foreign, nameless := freerun.NewUnit(other, 0, freerun.UnitName("far")), freerun.NewUnit(other, 0)
	g := runtimetest.NewGate()
	busy := freerun.Do(rt.Context(), named, func(*freerun.Context, *int) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	c := rt.Context()
	full := func(u *freerun.Unit[int]) error { // the one processor is busy
		addTo.Tell(c, u, 1)
		return addTo.Tell(c, u, 1)
	}
	later, _ := addTo.SendAfter(c, time.Hour, foreign, 1)
	result := func(f freerun.Future[int]) error { _, err := f.Result(); return err }
	for want, err := range map[string]error{
		"mailbox is full: unit till, which has room for 1":                          full(named),
		"mailbox is full: a unit of int, which has room for 1":                      full(unnamed),
		"than the context: operation freerun_test.activities.add, unit far":         addTo.Tell(c, foreign, 1),
		"than the context: operation freerun_test.activities.add":                   result(addTo.Send(c, nameless, 1)),
		"than the context: unit far":                                                result(transferred.Send(c, named, foreign, 1)),
		"operation github.com/freerun-go/freerun_test.TestRefusalsNameTheUnit.func": result(freerun.Do(c, foreign, func(*freerun.Context, *int) (int, error) { return 0, nil })),
		"operation freerun_test.activities.add, unit far":                           result(later),
	} {
		if !errors.Is(err, freerun.ErrFull) && !errors.Is(err, freerun.ErrOtherRuntime) || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if first := full(named); first != full(named) { // made once, with the unit
		t.Error("each refusal makes an error of its own")
	}
	close(g.Opened)
	runtimetest.Must(t, busy)
}
