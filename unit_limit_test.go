package freerun_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// doorway is the state of a unit whose operation waits, as only a test's may: it keeps its
// processor until the test opens the doorway.
type doorway struct {
	open  chan struct{}
	count int
}

var pass = freerun.Op("Pass", func(_ *freerun.Context, g *doorway, _ int) (int, error) {
	<-g.open
	g.count++
	return g.count, nil
})

func TestMailboxRefuses(t *testing.T) {
	const most = 3
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	open := make(chan struct{})
	u := freerun.NewUnit(rt, doorway{open: open}, freerun.MailboxLimit(most, freerun.Reject))
	first := pass.Send(rt.Context(), u, 0)
	for u.Stats().Operations == 0 { // the first message is out of the mailbox once it runs
		runtimetest.AddOne.Send(rt.Context(), freerun.NewUnit(rt, 0), 1).Wait(runtimetest.Within(t))
	}
	for range most {
		if err := pass.Tell(rt.Context(), u, 0); err != nil {
			t.Fatalf("Tell with room: %v", err)
		}
	}
	if err := pass.Tell(rt.Context(), u, 0); !errors.Is(err, freerun.ErrFull) {
		t.Errorf("Tell without room: %v", err)
	}
	if _, err := pass.Send(rt.Context(), u, 0).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrFull) {
		t.Errorf("Send without room: %v", err)
	}
	inside := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return 0, pass.Tell(c, u, 0) })
	if _, err := inside.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrFull) {
		t.Errorf("Tell inside without room: %v", err)
	}
	if s := u.Stats(); s.Waiting != most || s.Peak != most {
		t.Errorf("stats %+v", s)
	}
	close(open)
	runtimetest.Must(t, first)
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if n := runtimetest.Must(t, pass.Send(rt.Context(), u, 0)); n != most+2 {
		t.Errorf("%d operations were run, want %d", n, most+2)
	}
	if s := rt.Stats(); s.Sent != s.Done || s.Failed != 3 || s.Lost != 0 {
		t.Errorf("stats %+v", s)
	}
}

// TestMailboxRefusesLate has two messages wait for a future while the mailbox fills up and all
// processors are taken. When the messages are ready, there is no room.
func TestMailboxRefusesLate(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	open, last := make(chan struct{}), make(chan struct{})
	u := freerun.NewUnit(rt, doorway{open: open}, freerun.MailboxLimit(1, freerun.Reject))
	other := freerun.NewUnit(rt, doorway{open: last})
	awaited := pass.Send(rt.Context(), other, 0)
	late := passAfter.Send(rt.Context(), u, awaited)
	if err := passAfter.Tell(rt.Context(), u, awaited); err != nil {
		t.Fatal(err)
	}
	for u.Stats().Operations == 0 || u.Stats().Waiting == 0 { // one at the gate, one in the mailbox
		pass.Tell(rt.Context(), u, 0)
		runtime.Gosched()
	}
	close(last)
	if _, err := late.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrFull) {
		t.Errorf("the late message ended with %v", err)
	}
	close(open)
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done || s.Lost != 1 {
		t.Errorf("stats %+v", s)
	}
}

var passAfter = freerun.Op("passAfter", func(_ *freerun.Context, g *doorway, f freerun.Future[int]) (int, error) {
	g.count++
	return f.Value(), nil
})

// TestMailboxMakesGoroutinesWait has goroutines send far more messages than there is room for.
func TestMailboxMakesGoroutinesWait(t *testing.T) {
	const most, senders, each = 4, 3, 2000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(most, freerun.WaitForRoom))
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for i := range each {
				if i%2 == 0 {
					runtimetest.AddOne.Tell(rt.Context(), u, 1)
				} else {
					runtimetest.AddOne.Send(rt.Context(), u, 1)
				}
			}
		})
	}
	all.Wait()
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != senders*each {
		t.Errorf("%d of %d messages were run", n, senders*each)
	}
	if s := u.Stats(); s.Peak > most {
		t.Errorf("a mailbox for %d held %d", most, s.Peak)
	}
}

// TestMailboxWaitEndsWithTheRuntime closes the runtime while a goroutine waits for room.
func TestMailboxWaitEndsWithTheRuntime(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	open := make(chan struct{})
	u := freerun.NewUnit(rt, doorway{open: open}, freerun.MailboxLimit(1, freerun.WaitForRoom))
	refused := make(chan error)
	go func() {
		for {
			if err := pass.Tell(rt.Context(), u, 0); err != nil {
				refused <- err
				return
			}
		}
	}()
	for u.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	go rt.Close()
	if err := <-refused; !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("a waiter was told %v", err)
	}
	close(open)
}

// relay is the state of a unit that passes each message on, as many times as the message says.
type relay struct {
	to  []*freerun.Unit[relay]
	got int
}

var passOn = freerun.Op[relay, int, int]("passOn", nil)

var _ = freerun.Define(passOn, func(c *freerun.Context, r *relay, times int) (int, error) {
	r.got++
	if times > 0 {
		for _, to := range r.to {
			if err := passOn.Tell(c, to, times-1); err != nil {
				return r.got, err
			}
		}
	}
	return r.got, nil
})

// TestMailboxHoldsUnitsBack has units send to one unit with a small mailbox: each of them gets
// ahead by no more than the message for which it was muted.
func TestMailboxHoldsUnitsBack(t *testing.T) {
	const most, senders, each = 4, 5, 3000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	sink := freerun.NewUnit(rt, relay{}, freerun.MailboxLimit(most, freerun.WaitForRoom))
	units := []*freerun.Unit[relay]{}
	for range senders {
		units = append(units, freerun.NewUnit(rt, relay{to: []*freerun.Unit[relay]{sink}}))
	}
	for range each {
		for _, u := range units {
			passOn.Tell(rt.Context(), u, 1)
		}
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if n := runtimetest.Must(t, passOn.Send(rt.Context(), sink, 0)); n != senders*each+1 {
		t.Errorf("%d of %d messages were run", n-1, senders*each)
	}
	if s := sink.Stats(); s.Peak > most+senders || s.Waiting != 0 {
		t.Errorf("a mailbox for %d with %d senders: %+v", most, senders, s)
	}
	for _, u := range units {
		if u.Stats().HeldBack {
			t.Error("a unit is held back by an empty mailbox")
		}
	}
}

// sprinkler is the state of a unit that sends to two others.
type sprinkler struct {
	slow *freerun.Unit[doorway]
	fast *freerun.Unit[relay]
}

var sprinkle = freerun.Op("sprinkle", func(c *freerun.Context, s *sprinkler, _ int) (int, error) {
	return 0, errors.Join(pass.Tell(c, s.slow, 0), passOn.Tell(c, s.fast, 0), passOn.Tell(c, s.fast, 0))
})

// TestMailboxHoldsBackForEach has a unit fill two mailboxes, one of which is soon empty again: the
// unit stays muted for the other one.
func TestMailboxHoldsBackForEach(t *testing.T) {
	const times = 1000
	rt, _ := runtimetest.Start(t, freerun.Processors(3))
	open := make(chan struct{})
	slow := freerun.NewUnit(rt, doorway{open: open}, freerun.MailboxLimit(4, freerun.WaitForRoom))
	fast := freerun.NewUnit(rt, relay{}, freerun.MailboxLimit(1, freerun.WaitForRoom))
	both := freerun.NewUnit(rt, sprinkler{slow, fast})
	// slow is at its gate before the others begin: otherwise it may take a message out of its full
	// mailbox later, and what it still has keeps both muted as well.
	pass.Tell(rt.Context(), slow, 0)
	for slow.Stats().Operations == 0 {
		runtime.Gosched()
	}
	for range times {
		sprinkle.Tell(rt.Context(), both, 0)
	}
	for slow.Stats().Waiting <= 4 || !both.Stats().HeldBack || fast.Stats().Waiting > 0 {
		runtime.Gosched()
	}
	close(open)
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := slow.Stats(); s.Operations != 1+times || s.Peak > 4+1 {
		t.Errorf("a mailbox for 4, with one sender of one message at a time: %+v", s)
	}
	if s := fast.Stats(); s.Operations != 2*times || s.Peak > 1+2 {
		t.Errorf("a mailbox for 1, with one sender of two messages at a time: %+v", s)
	}
}

// TestMailboxRings sends more messages round a ring of units, which send to themselves and to each
// other, than all their mailboxes have room for: nothing comes to a standstill.
func TestMailboxRings(t *testing.T) {
	for _, members := range []int{1, 2, 3, 7} {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		ring := []*freerun.Unit[relay]{}
		for i := range members {
			ring = append(ring, freerun.NewUnit(rt, relay{}, freerun.MailboxLimit(1+i%2, freerun.WaitForRoom)))
		}
		for i, u := range ring {
			runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, r *relay) (int, error) {
				r.to = []*freerun.Unit[relay]{ring[(i+1)%members]}
				if i == 0 {
					r.to = append(r.to, ring[0])
				}
				return 0, nil
			}))
		}
		for i := range 20 * members {
			passOn.Tell(rt.Context(), ring[i%members], 10)
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatalf("%d members: %v", members, err)
		}
		if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 {
			t.Errorf("%d members: %+v", members, s)
		}
	}
}
