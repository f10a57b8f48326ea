//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreLostMessages has three goroutines lose messages that have one place in the ring, while
// one looks: what is found there only gets later, and in the end it is the last one.
func TestExploreLostMessages(t *testing.T) {
	body := func(put func(l *lostMessages, m *lostMessage)) func(*explore.Run) {
		return func(r *explore.Run) {
			l := &lostMessages{}
			for i, name := range []string{"first", "second", "third"} {
				r.Go(name, func() { put(l, &lostMessage{LostMessage{Operation: name}, uint64(i) * MostLostMessages}) })
			}
			r.Go("looks", func() {
				was := uint64(0)
				for range 2 {
					m := l.places[0].Load()
					if m == nil {
						continue
					}
					if m.nth < was {
						r.Failf("%d after %d", m.nth, was)
					}
					was = m.nth
				}
			})
			r.After(func() {
				if all := l.last(); len(all) != 1 || all[0].Operation != "third" {
					r.Failf("%+v is left", all)
				}
			})
		}
	}
	explore.Exhaustive(t, explore.Unbounded, body((*lostMessages).put))
	// A control: the place is looked at, and then written without a compare-and-swap.
	explore.MustFail(t, 3, body(func(l *lostMessages, m *lostMessage) {
		if was := l.places[0].Load(); was == nil || was.nth < m.nth {
			l.places[0].Store(m)
		}
	}))
}
