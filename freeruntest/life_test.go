package freeruntest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// TestLifeEnds has some senders send to units, alone and in pairs, stop them and watch them, in
// scopes and without, in virtual time. What a sender sends before its Stop runs, what it sends
// afterwards fails; each watch has an outcome, and nothing waits for one that has none.
func TestLifeEnds(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		ctx, c := t.Context(), rt.Context()
		random := freeruntest.Random(rt)
		ends := 0
		var units [3]*freerun.Unit[purse]
		for i := range units {
			units[i] = freerun.NewUnit(rt, purse{}, freerun.StopOnPanic(), freerun.OnEnd(func(c *freerun.Context, p *purse) { ends++ }))
		}
		s := rt.Scope(ctx)
		var watches []freerun.Future[freerun.Ended]
		told := freerun.NewUnit(rt, 0)
		for i := range units {
			watches = append(watches, freerun.Watch(c, units[i]))
			freerun.Then(c, watches[i], func(c *freerun.Context, _ freerun.Ended) (struct{}, error) {
				return struct{}{}, ask.Tell(c, told, struct{}{})
			})
		}
		over, broken := [3]bool{}, [3]bool{}
		var sent []freerun.Future[int]
		var runs []bool
		for range 16 {
			one := random.IntN(3)
			other := (one + 1 + random.IntN(2)) % 3
			switch random.IntN(8) {
			case 0:
				freerun.Stop(c, units[one])
				over[one] = true
			case 1:
				broken[one] = broken[one] || !over[one]
				freerun.Do(c, units[one], func(*freerun.Context, *purse) (int, error) { panic("broken") })
				over[one] = true
			case 2:
				sent = append(sent, give.Send(c, units[one], units[other], 1))
				runs = append(runs, !over[one] && !over[other])
			case 3:
				freerun.Watch(s.Context(), units[one])
			case 4:
				freerun.After(c, time.Millisecond).Wait(ctx)
			case 5:
				late, _ := earn.SendAfter(s.Context(), time.Hour, units[one], 1)
				freerun.Handle(c, late, func(_ *freerun.Context, _ int, err error) (struct{}, error) { return struct{}{}, nil })
			default:
				sent = append(sent, earn.Send(c, units[one], 1))
				runs = append(runs, !over[one])
			}
		}
		for i, f := range sent {
			if _, err := f.Wait(ctx); (err == nil) != runs[i] || err != nil && !errors.Is(err, freerun.ErrStopped) {
				t.Errorf("message %d: %v, and it is to run: %v", i, err, runs[i])
			}
		}
		s.Cancel(nil)
		want := 0
		for i := range units {
			if over[i] {
				e, err := watches[i].Wait(ctx)
				why, _ := errors.AsType[*freerun.StoppedError](e.Err)
				if err != nil || why == nil || (why.Err != nil) != broken[i] {
					t.Errorf("unit %d: %v, %v", i, e.Err, err)
				}
			} else if _, err := watches[i].Wait(ctx); !errors.Is(err, freerun.ErrStalled) {
				t.Errorf("unit %d, which goes on: %v", i, err)
			}
			if !broken[i] {
				want++
			}
		}
		if err := rt.Shutdown(ctx); err != nil || ends != want {
			t.Errorf("%d of %d ends, %v", ends, want, err)
		}
	})
}
