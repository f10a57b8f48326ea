package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestMailboxGivenUp: a message that a Call has given up, or whose scope was canceled, keeps its
// place in a limited mailbox until the unit comes to it, and is not run then.
func TestMailboxGivenUp(t *testing.T) {
	const most = 4
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u, g := freerun.NewUnit(rt, pile{}, freerun.MailboxLimit(most, freerun.Reject)), runtimetest.NewGate()
	busy := freerun.Do(rt.Context(), u, func(*freerun.Context, *pile) (int, error) { g.Pass(); return 1, nil })
	<-g.Entered
	ctx, cancel := context.WithCancel(t.Context())
	s := rt.Scope(t.Context())
	pileAdd.Send(s.Context(), u, 1)
	var callers []*waiter
	for range most - 1 {
		callers = append(callers, waitIn("Call", func() error { return second(pileAdd.Call(ctx, u, 1)) }))
	}
	for u.Stats().Waiting != most {
		runtime.Gosched()
	}
	s.Cancel(nil)
	cancel()
	for _, w := range callers {
		if <-w.done; w.err != context.Canceled {
			t.Error(w.err)
		}
	}
	if _, err := pileAdd.Call(t.Context(), u, 1); !errors.Is(err, freerun.ErrFull) || u.Stats().Waiting != most {
		t.Errorf("%v, %+v", err, u.Stats())
	}
	close(g.Opened)
	runtimetest.Must(t, busy)
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	if ran := runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, p *pile) (int, error) { return p.ran, nil })); ran != 0 {
		t.Errorf("%d of what was given up ran", ran)
	}
	if st := u.Stats(); st.Waiting != 0 || st.Peak != most {
		t.Errorf("%+v", st)
	}
}
