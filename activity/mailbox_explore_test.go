//go:build explore

package activity

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// receiveAll receives until the mailbox is closed.
func receiveAll(r *explore.Run, m *Mailbox[int]) (got []int) {
	for {
		v, err := m.Receive(context.Background())
		switch {
		case err == nil:
			got = append(got, v)
		case errors.Is(err, ErrMailboxClosed):
			return got
		default:
			r.Failf("Receive: %v", err)
		}
	}
}

// TestExploreMailboxHandsOver has one thread send more than there is room for, and another receive
// it.
func TestExploreMailboxHandsOver(t *testing.T) {
	body := func(r *explore.Run) {
		m := NewMailbox[int](1)
		r.Go("sender", func() {
			for v := range 2 {
				if err := m.Send(context.Background(), v); err != nil {
					r.Failf("Send: %v", err)
				}
			}
			m.Close()
		})
		r.Go("receiver", func() {
			if got := receiveAll(r, m); !slices.Equal(got, []int{0, 1}) {
				r.Failf("received %v", got)
			}
		})
	}
	explore.Exhaustive(t, 1, body)
	explore.Random(t, 5000, body)
}

// TestExploreMailboxCloses closes a mailbox beside senders and a receiver that goes on until it is
// closed: what was accepted comes, and nothing else.
func TestExploreMailboxCloses(t *testing.T) {
	body := func(full bool) func(r *explore.Run) {
		return func(r *explore.Run) {
			m := NewMailbox[int](1)
			var accepted, got []int
			if full {
				m.TrySend(9)
				accepted = append(accepted, 9)
			}
			var sent [2]bool
			for i, name := range []string{"one", "other"} {
				r.Go(name, func() {
					err := m.Send(context.Background(), i)
					if sent[i] = err == nil; !sent[i] && !errors.Is(err, ErrMailboxClosed) {
						r.Failf("Send: %v", err)
					}
				})
			}
			r.Go("closer", m.Close)
			r.Go("receiver", func() { got = receiveAll(r, m) })
			r.After(func() {
				for i := range sent {
					if sent[i] {
						accepted = append(accepted, i)
					}
				}
				slices.Sort(accepted)
				slices.Sort(got)
				if !slices.Equal(got, accepted) {
					r.Failf("accepted %v, received %v", accepted, got)
				}
			})
		}
	}
	for name, full := range map[string]bool{"empty": false, "full": true} {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 1, body(full))
			explore.Random(t, 20_000, body(full))
		})
	}
}

// TestExploreMailboxCancel has a waiter give up while what it waits for comes: if it has not got
// it, another one does.
func TestExploreMailboxCancel(t *testing.T) {
	for name, body := range map[string]func(r *explore.Run){
		"for a message": func(r *explore.Run) {
			m := NewMailbox[int](2)
			var ctx memory.Context
			r.Go("impatient", func() {
				if v, err := m.Receive(&ctx); err == nil {
					m.TrySend(v)
				} else if !errors.Is(err, context.Canceled) {
					r.Failf("Receive: %v", err)
				}
			})
			r.Go("patient", func() {
				if v, err := m.Receive(context.Background()); v != 7 || err != nil {
					r.Failf("received %d, %v", v, err)
				}
			})
			r.Go("sender", func() { m.TrySend(7) })
			r.Go("ender", ctx.Cancel)
		},
		"for room, and then it is closed": func(r *explore.Run) {
			m := NewMailbox[int](1)
			m.TrySend(9)
			var ctx memory.Context
			impatient := false
			r.Go("impatient", func() { impatient = m.Send(&ctx, 1) == nil })
			var got []int
			r.Go("receiver", func() { got = receiveAll(r, m) })
			r.Go("closer", m.Close)
			r.Go("ender", ctx.Cancel)
			r.After(func() {
				if want := []int{9, 1}; len(got) == 0 || !slices.Equal(got, want[:len(got)]) || impatient != (len(got) == 2) {
					r.Failf("received %v; the impatient one has sent: %v", got, impatient)
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 1, body)
			explore.Random(t, 20_000, body)
		})
	}
}

// TestExploreMailboxLooksTooEarly is a control: if a sender looks for waiters before it adds its
// message, a receiver that enters in between may wait for ever.
func TestExploreMailboxLooksTooEarly(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		m := NewMailbox[int](1)
		r.Go("sender", func() {
			stood := m.head.word.Load()&queued != 0
			m.tail.word.Add(step)
			m.fill(0, 1)
			if stood {
				m.callReceivers()
			}
		})
		r.Go("receiver", func() { _, _ = m.Receive(context.Background()) })
	})
}

// TestExploreMailboxFrozen stops a thread for good that fills or empties a slot: threads that try
// the other end of the mailbox, and find it full or empty, end.
func TestExploreMailboxFrozen(t *testing.T) {
	explore.MustBlock(t, func(r *explore.Run) {
		m := NewMailbox[int](1)
		r.Go("sender", func() { m.TrySend(1) })
		r.Go("receiver", func() { m.TryReceive() })
	})
	explore.Freeze(t, func(r *explore.Run) {
		m := NewMailbox[int](4)
		for _, name := range []string{"a", "b", "c"} {
			r.Go(name, func() { m.TrySend(1) })
		}
		r.Go("closer", m.Close)
	})
}
