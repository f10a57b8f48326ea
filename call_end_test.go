package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// rounds is how often the tests run a race whose outcome must always be the same.
const rounds = 40

// waiter is a goroutine that waits in the way that name says. err is set when done is closed.
type waiter struct {
	name string
	err  error
	done chan struct{}
}

func waitIn(name string, wait func() error) *waiter {
	w := &waiter{name: name, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.err = wait()
	}()
	return w
}

// untilDone returns a unit that runs an operation until the runtime gives the operation up.
func untilDone(rt *freerun.Runtime, options ...freerun.UnitOption) *freerun.Unit[pile] {
	u := freerun.NewUnit(rt, pile{}, options...)
	began := make(chan struct{})
	freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *pile) (int, error) {
		close(began)
		<-c.Done()
		return 0, nil
	})
	<-began
	return u
}

// TestRoomEnds: a sender waits for room when its scope is canceled, or when the runtime ends. Its
// error says which of the two, whichever of the contexts that this ends the sender hears of first.
func TestRoomEnds(t *testing.T) {
	for range rounds {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		u := untilDone(rt, freerun.MailboxLimit(1, freerun.WaitForRoom))
		pileAdd.Send(rt.Context(), u, 1)
		s, other := rt.Scope(t.Context()), rt.Scope(rt.Context())
		derive := func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			t.Cleanup(cancel)
			return ctx
		}
		call := func(ctx context.Context) func() error {
			return func() error { return second(pileAdd.Call(ctx, u, 1)) }
		}
		send := func(c *freerun.Context) func() error {
			return func() error { return second(pileAdd.Send(c, u, 1).Wait(context.Background())) }
		}
		ofScope := []*waiter{
			waitIn("Call, scope", call(s.Context())),
			waitIn("Call, derived from scope", call(derive(s.Context()))),
			waitIn("Send, scope", send(s.Context())),
			waitIn("Tell, scope", func() error { return pileAdd.Tell(s.Context(), u, 1) }),
		}
		ofRuntime := []*waiter{
			waitIn("Call, runtime", call(rt.Context())),
			waitIn("Call, derived from runtime", call(derive(rt.Context()))),
			waitIn("Call, other scope", call(other.Context())),
			waitIn("Call, derived from other scope", call(derive(other.Context()))),
			waitIn("Call, background", call(context.Background())),
			waitIn("Send, runtime", send(rt.Context())),
			waitIn("Send, other scope", send(other.Context())),
			waitIn("Tell, other scope", func() error { return pileAdd.Tell(other.Context(), u, 1) }),
		}
		for freerun.WaitingForRoom(u) != len(ofScope)+len(ofRuntime) {
			runtime.Gosched() // a sender that is late may find the room that the end makes
		}
		s.Cancel(errCalled)
		for _, w := range ofScope {
			<-w.done
			if !errors.Is(w.err, freerun.ErrCanceled) || !errors.Is(w.err, errCalled) {
				t.Errorf("%s, canceled: %v", w.name, w.err)
			}
		}
		rt.Close()
		for _, w := range ofRuntime {
			<-w.done
			if !errors.Is(w.err, freerun.ErrClosed) || errors.Is(w.err, context.Canceled) {
				t.Errorf("%s, closed: %v", w.name, w.err)
			}
		}
		if st := rt.Stats(); st.Sent != st.Done {
			t.Errorf("%+v", st)
		}
	}
}

// TestOutcomeEnds: a wait with a context of a runtime, or one derived from it, returns ErrClosed
// when the runtime ends.
func TestOutcomeEnds(t *testing.T) {
	for range rounds {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		u := untilDone(rt)
		s := rt.Scope(context.Background())
		queued := pileAdd.Send(s.Context(), u, 1)
		ctx, cancel := context.WithCancel(rt.Context())
		all := []*waiter{
			waitIn("Wait", func() error { return second(queued.Wait(rt.Context())) }),
			waitIn("Wait, derived", func() error { return second(queued.Wait(ctx)) }),
			waitIn("Scope.Wait", func() error { return s.Wait(rt.Context()) }),
			waitIn("Scope.Wait, derived", func() error { return s.Wait(ctx) }),
			waitIn("Quiesce", func() error { return rt.Quiesce(rt.Context()) }),
			waitIn("Quiesce, derived", func() error { return rt.Quiesce(ctx) }),
			waitIn("Call", func() error { return second(pileAdd.Call(rt.Context(), u, 1)) }),
			waitIn("Call, derived", func() error { return second(pileAdd.Call(ctx, u, 1)) }),
		}
		for rt.Stats().Sent != 4 {
			runtime.Gosched()
		}
		rt.Close()
		all = append(all, waitIn("Call, begun late", func() error { return second(pileAdd.Call(ctx, u, 1)) }))
		for _, w := range all {
			<-w.done
			if !errors.Is(w.err, freerun.ErrClosed) || errors.Is(w.err, context.Canceled) {
				t.Errorf("%s: %v", w.name, w.err)
			}
		}
		cancel()
	}
}

// TestQuiesceGivenUp: a message waits when the runtime ends, so no Quiesce returns nil, however
// late in the end it comes.
func TestQuiesceGivenUp(t *testing.T) {
	for range 5 * rounds {
		rt := runtimetest.Quiet(t, freerun.Processors(2))
		pileAdd.Send(rt.Context(), untilDone(rt), 1)
		asked := make(chan struct{})
		w := waitIn("Quiesce", func() error {
			<-asked
			for {
				if err := rt.Quiesce(context.Background()); err != nil {
					return err
				}
				t.Error("Quiesce returned nil while a message was left")
			}
		})
		go rt.Close()
		<-rt.Draining()
		close(asked)
		if <-w.done; !errors.Is(w.err, freerun.ErrClosed) {
			t.Error(w.err)
		}
		rt.Close()
	}
}

// TestDeterministicCallStalls: when nothing is left to run, the message of a Call is revoked, and
// both Call and the message's scope return ErrStalled.
func TestDeterministicCallStalls(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Deterministic(1))
	u := freerun.NewUnit(rt, pile{})
	other := runtimetest.Quiet(t, freerun.Deterministic(2))
	// No goroutine drives the other runtime.
	never := pileAdd.Send(other.Context(), freerun.NewUnit(other, pile{}), 1)
	s := rt.Scope(context.Background())
	if _, err := pileTake.Call(s.Context(), u, never); !errors.Is(err, freerun.ErrStalled) {
		t.Errorf("Call: %v", err)
	}
	err := s.Wait(context.Background())
	if !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, freerun.ErrStalled) {
		t.Errorf("Wait: %v", err)
	}
}
