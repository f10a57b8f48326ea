package simulate_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/simulate"
)

var noteTime = freerun.Op("note.time", freerun.NoResult(func(_ *freerun.Context, _ *int, note func()) error {
	note()
	return nil
}))

// TestTimersFireWhileBusy holds that timers fire at their time while all processors are busy, too,
// late by a piece or two at most: a repetition, a message that is sent later, and the sleep of an
// activity.
func TestTimersFireWhileBusy(t *testing.T) {
	const period, late = 50 * time.Microsecond, 20 * piece
	for model := 1; model <= simulate.Models; model++ {
		for _, processors := range []int{1, 4} {
			var ticks []time.Duration
			var sent, woken time.Duration
			program := func(on *simulate.Host) (time.Duration, error) {
				rt := on.New()
				defer rt.Close()
				ticks, sent, woken = nil, 0, 0
				began := rt.Now()
				high := rt.Context().WithPriority(freerun.High)
				timer := freerun.Every(high, period, func(c *freerun.Context) error {
					ticks = append(ticks, c.Runtime().Now().Sub(began))
					return nil
				})
				defer timer.Stop()
				u := freerun.NewUnit(rt, 0, freerun.UnitPriority(freerun.High))
				noteTime.SendAfter(rt.Context(), 2*period, u, func() { sent = rt.Now().Sub(began) })
				activity.Go(rt, func(a *activity.Activity) {
					_ = a.Sleep(3 * period)
					woken = rt.Now().Sub(began)
				})
				_, err := freerun.Go(rt.Context(), grow(13)).Wait(context.Background())
				return rt.Now().Sub(began), err
			}
			c := costsOf(t, usual)
			c.Model = model
			r, err := c.Run(program, processors)
			if err != nil {
				t.Fatal(err)
			}
			if want := int(r.Elapsed / period); len(ticks) < want-1 || len(ticks) > want {
				t.Errorf("model %d, %d processors: %d ticks in %v", model, processors, len(ticks), r.Elapsed)
			}
			for i, at := range append(ticks, sent) {
				due := time.Duration(i+1) * period
				if i == len(ticks) {
					due = 2 * period
				}
				if at < due || at > due+late {
					t.Errorf("model %d, %d processors: the timer for %v fires at %v", model, processors, due, at)
				}
			}
			if woken < 3*period || woken > r.Elapsed {
				t.Errorf("model %d, %d processors: an activity that sleeps %v goes on at %v of %v", model, processors, 3*period, woken, r.Elapsed)
			}
		}
	}
}

// TestRepetitionWaitsForRoom holds that a repetition whose unit has a full mailbox has no turn
// until there is room, and that the program, with a goroutine outside, is simulated the same each
// time.
func TestRepetitionWaitsForRoom(t *testing.T) {
	const floods, calls = 3, 400
	ticks := 0
	program := func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		began := rt.Now()
		u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.WaitForRoom))
		n := 0
		timer := noteTime.Every(rt.Context(), piece, u, func() { n++ })
		var err error
		var waits [floods]func()
		for i := range waits {
			waits[i] = on.Go(func() {
				for range calls {
					if failed := noteTime.Tell(rt.Context(), u, func() {}); failed != nil {
						err = failed
					}
				}
			})
		}
		for _, wait := range waits {
			wait()
		}
		timer.Stop()
		if err == nil {
			err = rt.Quiesce(context.Background())
		}
		ticks = n
		return rt.Now().Sub(began), err
	}
	once := second(t, costsOf(t, usual), program, 2)
	if ticks == 0 || once.Stats.Done != uint64(floods*calls+ticks) {
		t.Errorf("%d ticks, %d messages", ticks, once.Stats.Done)
	}
	if again := second(t, costsOf(t, usual), program, 2); !reflect.DeepEqual(once, again) {
		t.Errorf("%+v and then %+v", once, again)
	}
}
