package complaints_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// More complaints of users of actor libraries. complaints_test.go lists all complaints.

// parcel is the object whose collection is watched: large enough to be allocated by itself.
type parcel struct{ _ [256]byte }

var (
	handIn   = freerun.Op("handIn", func(*freerun.Context, **parcel, *parcel) (int, error) { return 0, nil })
	handBack = freerun.Op("handBack", func(_ *freerun.Context, _ **parcel, p *parcel) (*parcel, error) { return p, nil })
	dropIt   = freerun.Op("dropIt", func(_ *freerun.Context, _ **parcel, p *parcel) (int, error) { panic(p) })
)

// TestComplaintWhatEndedIsCollected, hollywood#43: units that are no longer referred to are
// collected, whether they were left alone, restarted, or stopped by a panic. So are their state,
// the content of their mailboxes, futures and their values, scopes, and timers that fired or were
// stopped.
func TestComplaintWhatEndedIsCollected(t *testing.T) {
	// The usual logger keeps what it is told of panics.
	rt, _ := runtimetest.Start(t, freerun.Processors(2), freerun.Logger(slog.New(slog.DiscardHandler)))
	r := &runtimetest.Remains{}
	for i := range 60 {
		liveAndEnd(t, rt, r, i)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	// A processor keeps the context of the last operation that it ran, so it must run another.
	meet(t, rt, 2)
	r.Check(t)
}

func liveAndEnd(t *testing.T, rt *freerun.Runtime, r *runtimetest.Remains, i int) {
	options := [][]freerun.UnitOption{
		nil,
		{freerun.MailboxLimit(4, freerun.WaitForRoom)},
		{freerun.RestartOnPanic(func() *parcel { return runtimetest.Watch(r, "states after a restart", new(parcel)) }, 9, time.Hour)},
		{freerun.StopOnPanic()},
	}[i%4]
	u := runtimetest.Watch(r, fmt.Sprint("units of kind ", i%4), freerun.NewUnit(rt, runtimetest.Watch(r, "states", new(parcel)), options...))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := runtimetest.Watch(r, "scopes", rt.Scope(ctx))
	c := s.Context()
	if err := handIn.Tell(c, u, runtimetest.Watch(r, "arguments", new(parcel))); err != nil {
		t.Error(err)
	}
	runtimetest.Must(t, handBack.Send(c, u, runtimetest.Watch(r, "results", new(parcel))))
	late, fires := handBack.SendAfter(c, time.Microsecond, u, runtimetest.Watch(r, "results of timers", new(parcel)))
	runtimetest.Watch(r, "timers that fired", fires)
	runtimetest.Must(t, late)
	stopped, never := handBack.SendAfter(c, time.Hour, u, runtimetest.Watch(r, "arguments of stopped timers", new(parcel)))
	if !runtimetest.Watch(r, "stopped timers", never).Stop() {
		t.Error("a timer fired an hour early")
	}
	again := handIn.Every(c, time.Hour, u, runtimetest.Watch(r, "arguments of repetitions", new(parcel)))
	runtimetest.Watch(r, "repetitions", again).Stop()
	then := freerun.Then(c, stopped, func(_ *freerun.Context, p *parcel) (int, error) { return 0, nil })
	if _, err := then.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("the continuation of a stopped timer: %v", err)
	}
	if i%4 > 1 { // a panic, and messages behind it
		dropIt.Tell(c, u, runtimetest.Watch(r, "values of panics", new(parcel)))
		for range 3 {
			handIn.Tell(c, u, runtimetest.Watch(r, "arguments", new(parcel)))
			handBack.Send(c, u, runtimetest.Watch(r, "arguments", new(parcel)))
		}
	}
	if err := s.Wait(runtimetest.Within(t)); err == nil {
		t.Error("the scope has not seen the stopped timer")
	}
	s.Cancel(nil)
}

// halves has two numbers, left and right, that each operation leaves equal.
type halves struct{ life, left, right int }

// TestComplaintRestartIsWhole, hollywood#159: a handler was swapped while a message was in it. Here
// a unit is restarted with messages queued. Each message sees the whole state of one life. Those
// before a panic see the life before it.
func TestComplaintRestartIsWhole(t *testing.T) {
	const lives, each = 50, 20
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		life := 0
		u := freerun.NewUnit(rt, halves{}, freerun.RestartOnPanic(func() halves { life++; return halves{life: life} }, lives, time.Hour))
		g := runtimetest.NewGate()
		freerun.Do(rt.Context(), u, func(*freerun.Context, *halves) (int, error) { g.Pass(); return 0, nil })
		<-g.Entered
		var seen []freerun.Future[halves]
		for i := range lives * each {
			breaks := i%each == each-1
			seen = append(seen, freerun.Do(rt.Context(), u, func(_ *freerun.Context, h *halves) (halves, error) {
				if h.left++; breaks {
					panic("between the two")
				}
				h.right++
				return *h, nil
			}))
			if i == lives*each/2 {
				close(g.Opened) // the remaining messages arrive while the unit works
			}
		}
		for i, f := range seen {
			h, err := f.Wait(runtimetest.Within(t))
			var p *freerun.PanicError
			switch want := (halves{i / each, i%each + 1, i%each + 1}); {
			case i%each == each-1:
				if !errors.As(err, &p) {
					t.Fatalf("message %d: %v", i, err)
				}
			case err != nil || h != want:
				t.Fatalf("message %d saw %+v, %v; want %+v", i, h, err, want)
			}
		}
	})
}

// TestComplaintNothingIsDroppedSilently, ergo#94 and #96: many senders send to a small mailbox, in
// all forms. Each message is either run or refused, and its sender learns which.
func TestComplaintNothingIsDroppedSilently(t *testing.T) {
	const senders, each = 4, 3000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.Reject))
	var told, refused atomic.Int64
	count := func(err error) {
		switch {
		case err == nil:
			told.Add(1)
		case errors.Is(err, freerun.ErrFull):
			refused.Add(1)
		default:
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for i := range each {
				switch i % 4 {
				case 0:
					_, err := runtimetest.AddOne.Send(rt.Context(), u, 1).Wait(runtimetest.Within(t))
					count(err)
				case 1:
					_, err := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return 0, runtimetest.AddOne.Tell(c, u, 1) }).Wait(runtimetest.Within(t))
					count(err)
				default:
					count(runtimetest.AddOne.Tell(rt.Context(), u, 1))
				}
			}
		})
	}
	all.Wait()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	ran := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0))
	if int64(ran) != told.Load() || told.Load()+refused.Load() != senders*each || refused.Load() == 0 {
		t.Errorf("%d messages: %d were run, %d taken, %d refused", senders*each, ran, told.Load(), refused.Load())
	}
}

// TestComplaintCallsIntoFullMailboxes, ergo#21: a call and a full mailbox froze the link. Here
// units with mailboxes for one message call each other many times. Each call is answered, or
// refused where the mailbox refuses.
func TestComplaintCallsIntoFullMailboxes(t *testing.T) {
	const senders, each, deep = 4, 50, 20
	for _, full := range []freerun.FullPolicy{freerun.WaitForRoom, freerun.Reject} {
		runtimetest.OnSome(t, func(t *testing.T, processors int) {
			rt, _ := runtimetest.Start(t, freerun.Processors(processors))
			a, b := newParties(t, rt, freerun.MailboxLimit(1, full))
			var all sync.WaitGroup
			for s := range senders {
				all.Go(func() {
					var answers [each]freerun.Future[int]
					for i := range answers {
						answers[i] = callOther.Send(rt.Context(), []*freerun.Unit[party]{a, b}[(s+i)%2], deep)
					}
					for _, f := range answers {
						n, err := f.Wait(runtimetest.Within(t))
						if n != deep && (full == freerun.WaitForRoom || !errors.Is(err, freerun.ErrFull)) {
							t.Errorf("a call was answered with %d, %v", n, err)
						}
					}
				})
			}
			all.Wait()
			// With room, both units still answer.
			runtimetest.Must(t, callOther.Send(rt.Context(), a, 1))
		})
	}
}

// TestComplaintAskBlocksNoProcessor, goakt: an operation that asks for the outcome of an open
// future is refused at once, however many operations ask and however few processors there are. All
// processors stay free.
func TestComplaintAskBlocksNoProcessor(t *testing.T) {
	const asking = 200
	runtimetest.OnSome(t, func(t *testing.T, processors int) {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		g := runtimetest.NewGate()
		open := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { c.Block(g.Pass); return 7, nil })
		<-g.Entered
		asked := make(chan struct{}, asking)
		var answers []freerun.Future[int]
		for range asking {
			answers = append(answers, freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(c *freerun.Context, _ *int) (int, error) {
				_, err := open.Wait(context.Background())
				asked <- struct{}{}
				if !errors.Is(err, freerun.ErrWouldBlock) {
					return 0, fmt.Errorf("asked, and was told %v", err)
				}
				return freerun.Forward(c, open) // passes the outcome on without a wait
			}))
		}
		patience := runtimetest.Within(t)
		for n := range asking {
			select {
			case <-asked:
			case <-patience.Done():
				close(g.Opened)
				t.Fatalf("%d of %d have asked", n, asking)
			}
		}
		meet(t, rt, processors)
		close(g.Opened)
		for _, f := range answers {
			if n := runtimetest.Must(t, f); n != 7 {
				t.Errorf("the answer is %d", n)
			}
		}
	})
}

// meet runs as many operations at the same time as there are processors, which shows that all
// processors are free.
func meet(t *testing.T, rt *freerun.Runtime, processors int) {
	t.Helper()
	var here sync.WaitGroup
	here.Add(processors)
	for _, f := range func() (all []freerun.Future[int]) {
		for range processors {
			all = append(all, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { here.Done(); here.Wait(); return 0, nil }))
		}
		return all
	}() {
		runtimetest.Must(t, f)
	}
}

// TestComplaintStoppedUnitKeepsNoMail, goakt#895: a unit was stopped, and the program still refers
// to it. The unit keeps none of the messages that were in its mailbox, nor of those that arrive
// later.
func TestComplaintStoppedUnitKeepsNoMail(t *testing.T) {
	for _, limit := range [][]freerun.UnitOption{nil, {freerun.MailboxLimit(1000, freerun.Reject)}} {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		u := freerun.NewUnit(rt, new(parcel), append(limit, freerun.StopOnPanic())...)
		r := &runtimetest.Remains{}
		g := runtimetest.NewGate()
		freerun.Do(rt.Context(), u, func(*freerun.Context, **parcel) (int, error) { g.Pass(); panic("stop") })
		<-g.Entered
		var kept []freerun.Future[*parcel]
		mail := func(what string) {
			for i := range 200 {
				handIn.Tell(rt.Context().WithPriority(runtimetest.Priorities[i%4]), u, runtimetest.Watch(r, what, new(parcel)))
				kept = append(kept, handBack.Send(rt.Context(), u, runtimetest.Watch(r, what+", future kept", new(parcel))))
			}
		}
		mail("queued mail")
		close(g.Opened)
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		mail("later mail")
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		r.Check(t)
		for _, f := range kept {
			if _, err := f.Result(); !errors.Is(err, freerun.ErrStopped) {
				t.Fatalf("a message to a stopped unit: %v", err)
			}
		}
		runtime.KeepAlive(u)
	}
}
