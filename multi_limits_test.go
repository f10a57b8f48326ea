package freerun_test

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestHeldBackForMulti holds that a full mailbox does not mute a unit if the mailbox's own unit
// lies still for a message that waits for that unit.
func TestHeldBackForMulti(t *testing.T) {
	for round := range 200 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		c := rt.Context()
		x, y := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.WaitForRoom))
		g := runtimetest.NewGate()
		freerun.Do(c, x, func(c *freerun.Context, _ *int) (int, error) {
			g.Pass()
			for range 10 {
				runtimetest.AddOne.Tell(c, y, 1)
			}
			return 0, nil
		})
		<-g.Entered
		if round%2 == 0 {
			runtimetest.AddOne.Tell(c, y, 1)
		}
		both := freerun.When2(c, x, y, func(_ *freerun.Context, a, b *int) (int, error) { return *b, nil })
		close(g.Opened)
		if v := runtimetest.Must(t, both); v > 1 {
			t.Errorf("%d", v)
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		if s := y.Stats(); s.Waiting != 0 || s.HeldBack || x.Stats().HeldBack {
			t.Errorf("%+v, %+v", s, x.Stats())
		}
		rt.Close()
	}
}

// TestReadersAndLimits holds that readers take their place in a mailbox with a limit, and that a
// unit that is stopped has no readers.
func TestReadersAndLimits(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(3, freerun.Reject), freerun.StopOnPanic())
	g := runtimetest.NewGate()
	freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	var all []freerun.Future[int]
	for i := range 6 {
		if i%2 == 0 {
			all = append(all, lookAt.Send(c, u, 0))
		} else {
			all = append(all, runtimetest.AddOne.Send(c, u, 1))
		}
	}
	close(g.Opened)
	for i, f := range all {
		if _, err := f.Wait(runtimetest.Within(t)); i < 3 && err != nil || i >= 3 && !errors.Is(err, freerun.ErrFull) {
			t.Errorf("message %d: %v", i, err)
		}
	}
	if s := u.Stats(); s.Waiting != 0 || s.Peak != 3 {
		t.Errorf("%+v", s)
	}
	var crash *freerun.PanicError
	if _, err := freerun.Read(c, u, func(*freerun.Context, *int) (int, error) { panic("a reader") }).Wait(runtimetest.Within(t)); !errors.As(err, &crash) {
		t.Error(err)
	}
	runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1)) // a panic of a reader is no fault
	if _, err := freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { panic("a writer") }).Wait(runtimetest.Within(t)); !errors.As(err, &crash) {
		t.Error(err)
	}
	if _, err := lookAt.Send(c, u, 0).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStopped) {
		t.Error(err)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("%+v", s)
	}
}

// TestReadersAndBlocking holds that a reader, and an operation on several units, may block, with
// the processor handed on.
func TestReadersAndBlocking(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	c := rt.Context()
	u, v := freerun.NewUnit(rt, 1), freerun.NewUnit(rt, 2)
	release := make(chan struct{})
	wait := func(c *freerun.Context) error { c.Block(func() { <-release }); return nil }
	reader := freerun.Read(c, u, func(c *freerun.Context, n *int) (int, error) { return *n, wait(c) })
	other := lookAt.Send(c, u, 10)
	// This runs beside the reader that blocks, on the only processor.
	if n := runtimetest.Must(t, other); n != 11 {
		t.Error(n)
	}
	both := freerun.When2(c, u, v, func(c *freerun.Context, a, b *int) (int, error) {
		*a++
		return *a + *b, wait(c)
	})
	after := runtimetest.AddOne.Send(c, v, 1)
	close(release)
	if n := runtimetest.Must(t, reader); n != 1 {
		t.Error(n)
	}
	if n := runtimetest.Must(t, both); n != 4 {
		t.Error(n)
	}
	if n := runtimetest.Must(t, after); n != 3 {
		t.Error(n)
	}
}
