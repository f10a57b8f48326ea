package freerun

import (
	"context"
	"testing"
)

// TestRoomOfAnEnd: a sender that finds the room that an end has made gets the error of the end,
// and the place is free again.
func TestRoomOfAnEnd(t *testing.T) {
	for name, end := range map[string]func(*Runtime, *Scope){
		"closed":   func(rt *Runtime, _ *Scope) { rt.Close() },
		"canceled": func(_ *Runtime, s *Scope) { s.Cancel(nil) },
	} {
		rt := New(Processors(1))
		defer rt.Close()
		s := rt.Scope(context.Background())
		u := NewUnit(rt, 0, MailboxLimit(1, WaitForRoom))
		b := u.unit.ext.Load().limit
		m := &message{}
		m.unit = &u.unit
		m.lineage.Store(&s.Context().key.root)
		if err := b.await(m, anySender); err != nil || b.filling() != oneMore {
			t.Fatalf("%s: before the end: %v, filling %d", name, err, b.filling())
		}
		b.takeOut()
		end(rt, s)
		if err := b.await(m, anySender); err == nil || b.filling() != 0 {
			t.Errorf("%s: after the end: %v, filling %d", name, err, b.filling())
		}
	}
}
