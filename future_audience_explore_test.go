//go:build explore

package freerun

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// watched is a promised message with a value that the explorer watches.
type watched struct {
	promised
	value atomics.Plain[int]
}

// promises makes n promised messages of one runtime.
func promises(n int) []*watched {
	u := &unit{rt: new(Runtime)}
	all := make([]*watched, n)
	for i := range all {
		all[i] = new(watched)
		all[i].unit = u
	}
	return all
}

// awaitAs waits with w for the cell, as an activity does. It reports whether the wait was
// granted, and whether w may be used again.
func (w *awaiter) awaitAs(ctx context.Context, cell *promised) (granted, again bool) {
	w.future, w.within = cell, nil
	if granted = activity.Wait(ctx, 0, w.suspend) == nil; !granted {
		again = w.giveUp()
	}
	return granted, granted || again
}

// TestExploreAudience has two goroutines wait for a cell. One is patient. The other may give up,
// and then uses its awaiter for a second cell, if it may. Each wait that is not given up ends
// once, with the value, and no audience is left.
func TestExploreAudience(t *testing.T) {
	body := func(r *explore.Run) {
		all := promises(2)
		cell, other := all[0], all[1]
		var ctx memory.Context
		r.Go("patient", func() {
			w := newAwaiter(cell.unit)
			if granted, _ := w.awaitAs(context.Background(), &cell.promised); !granted || cell.value.Get() != 7 {
				r.Failf("granted: %v", granted)
			}
		})
		r.Go("impatient", func() {
			w := newAwaiter(cell.unit)
			granted, again := w.awaitAs(&ctx, &cell.promised)
			if granted && cell.value.Get() != 7 {
				r.Failf("granted before")
			}
			if again {
				if granted, _ := w.awaitAs(context.Background(), &other.promised); !granted || other.value.Get() != 8 {
					r.Failf("the other one: %v", granted)
				}
			}
		})
		r.Go("ender", ctx.Cancel)
		r.Go("filler", func() {
			other.value.Set(8)
			other.fill(&worker{rt: other.unit.rt})
			cell.value.Set(7)
			cell.fill(&worker{rt: cell.unit.rt})
		})
		r.After(func() {
			for i := range cell.unit.rt.audiences.shares {
				if s := &cell.unit.rt.audiences.shares[i]; len(s.of) != 0 || s.taken.Load() {
					r.Failf("an audience is left")
				}
			}
		})
	}
	explore.Exhaustive(t, 2, body)
	explore.Random(t, 20_000, body)
}

// finalized makes an awaiter for the cell and declares the thread of its finalizer, which enters
// it at any time. The caller declares the thread of the activity, which gives up.
func finalized(r *explore.Run, cell *watched, enter func(w *awaiter, waiter *activity.Waiter)) *awaiter {
	w := newAwaiter(cell.unit)
	w.future = &cell.promised
	var waiter activity.Waiter // for a wait that was interrupted
	r.Go("finalizer", func() { enter(w, &waiter) })
	return w
}

// TestExploreAudienceGivenUpEarly has an activity give up beside its finalizer, while others
// wait. The activity is no member of the audience afterwards.
func TestExploreAudienceGivenUpEarly(t *testing.T) {
	explore.Exhaustive(t, 3, givenUpEarly((*awaiter).enter))
}

// TestExploreAudienceEnteredCarelessly is a control: a finalizer that does not look under the
// lock whether the activity has given up leaves it in the audience.
func TestExploreAudienceEnteredCarelessly(t *testing.T) {
	explore.MustFail(t, 3, givenUpEarly(func(w *awaiter, waiter *activity.Waiter) {
		if !w.waiter.CompareAndSwap(nil, waiter) {
			return
		}
		m := w.future
		s := m.unit.rt.audiences.lock(m)
		a := s.of[m]
		if a == nil {
			w.become(audienceVtable)
			if a = &w.audience; !s.enter(a) {
				s.unlock()
				return
			}
		}
		a.add(w)
		s.unlock()
	}))
}

func givenUpEarly(enter func(w *awaiter, waiter *activity.Waiter)) func(r *explore.Run) {
	return func(r *explore.Run) {
		cell := promises(1)[0]
		var first activity.Waiter
		one := newAwaiter(cell.unit) // takes the place in the list
		one.future = &cell.promised
		one.enter(&first)
		two := newAwaiter(cell.unit) // makes an audience
		two.future = &cell.promised
		two.enter(&first)
		w := finalized(r, cell, enter)
		gaveUpEntered := false
		r.Go("activity", func() { gaveUpEntered = w.giveUp() })
		r.After(func() {
			s := cell.unit.rt.audiences.lock(&cell.promised)
			defer s.unlock()
			for member := s.of[&cell.promised].first; member != nil; member = member.next {
				if member == w {
					r.Failf("in the audience still; to be used again: %v", gaveUpEntered)
				}
			}
		})
	}
}

// TestExploreAudienceDone has two goroutines ask for the channel of a cell while it is filled.
// Both get the same channel, and it is closed.
func TestExploreAudienceDone(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		cell := promises(1)[0]
		var channels [2]<-chan struct{}
		for i, name := range []string{"one", "other"} {
			r.Go(name, func() { channels[i] = cell.doneChannel() })
		}
		r.Go("filler", func() { cell.fill(&worker{rt: cell.unit.rt}) })
		r.After(func() {
			for _, c := range channels {
				select {
				case <-c:
				default:
					r.Failf("not closed")
				}
				if c != channels[0] && c != always && channels[0] != always {
					r.Failf("two channels")
				}
			}
		})
	})
}
