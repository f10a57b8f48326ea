package freerun

import (
	"context"
	"errors"
	"testing"
)

var deterministicRoom = Op("deterministicRoom", func(_ *Context, n *int, _ int) (int, error) { return *n, nil })

// TestDeterministicRoomEnds: a sender that waits in a deterministic runtime for room that never
// comes gets an error. The error says that its scope was canceled, if it was, and otherwise that
// nothing is left to run.
func TestDeterministicRoomEnds(t *testing.T) {
	rt := New(Deterministic(1))
	defer rt.Close()
	u := NewUnit(rt, 0, MailboxLimit(1, WaitForRoom))
	b := u.unit.ext.Load().limit
	b.exceed() // a place that no message ever gives back
	why := errors.New("why")
	for name, send := range map[string]func(s *Scope) error{
		"Send": func(s *Scope) error { return outcomeOf(deterministicRoom.Send(s.Context(), u, 1)) },
		"Tell": func(s *Scope) error { return deterministicRoom.Tell(s.Context(), u, 1) },
		"Call": func(s *Scope) error { _, err := deterministicRoom.Call(s.Context(), u, 1); return err },
		"Call, without cancel": func(s *Scope) error {
			_, err := deterministicRoom.Call(context.WithoutCancel(s.Context()), u, 1)
			return err
		},
	} {
		s := rt.Scope(context.Background())
		Go(rt.Context(), func(*Context) (int, error) { s.Cancel(why); return 0, nil })
		if err := send(s); !errors.Is(err, ErrCanceled) || !errors.Is(err, why) {
			t.Errorf("%s, canceled: %v", name, err)
		}
		s = rt.Scope(context.Background())
		if err := send(s); !errors.Is(err, ErrStalled) {
			t.Errorf("%s, nothing left to run: %v", name, err)
		}
	}
	b.takeOut()
}
