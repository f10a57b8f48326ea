//go:build explore

package freerun

import (
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/vclock"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// strikeOp is what the keeper does when it looks for room, and sets no timer. With late, all that
// ask have done so for too long.
var strikeOp = Op("staged.strike", NoResult(func(c *Context, k *keeper, late bool) error {
	for i := range k.asking {
		if late {
			k.asking[i].since = time.Time{}
		}
	}
	for range portion {
		if !k.makeRoom(c) {
			break
		}
	}
	k.letIn(c)
	return nil
}))

func (x *theater) strike(w *worker, late bool) {
	m := &sendMessage[bool, struct{}]{arg: late}
	m.result.promised.start(&strikeOp.op.core, &x.home.keeper.unit)
	strikeOp.op.core.launch(w, &m.result.promised, anySender)
}

// TestExploreKindRoom has three units race for room where there is room for one, and for two at
// most: one that is in use stays, one that waits for room is let in or turned away, and none is
// forgotten.
func TestExploreKindRoom(t *testing.T) {
	body := func(faulty func(x *theater)) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, small2, 3, 0)
			// Time stands still, and no timer is set.
			x.rt.env.sim = &simulation{rt: x.rt, clock: vclock.New(nil)}
			x.rt.outside.env = x.rt.env
			keeper := &x.home.keeper.state
			keeper.looksForRoom = true
			small2.kind.passivate = func(_ *Context, u *unit, why stopReason) error {
				m := &sendMessage[stopReason, bool]{arg: why}
				m.result.promised.start(&small2.stopping.core, u)
				small2.stopping.core.launch(x.rt.detachedWorker(), &m.result.promised, anySender)
				return nil
			}
			x.fresh = func(*worker, int) (error, *result[*seat]) {
				if n := x.home.active.Load(); n > 2 {
					r.Failf("%d are active, where there is room for 2", n)
				}
				return nil, nil
			}
			if faulty != nil {
				faulty(x)
			}
			x.thread("one", func(w *worker) { x.visit(w, "a", 0) }, func(w *worker) { x.strike(w, true) })
			x.thread("two", func(w *worker) { x.visit(w, "b", 1) })
			x.thread("three", func(w *worker) { x.visit(w, "c", 2) })
			r.After(func() {
				w := x.rt.detachedWorker()
				for range 4 {
					x.strike(w, false)
					x.pump(w)
				}
				x.strike(w, true)
				x.pump(w)
				table := &homeOfKind[int, *seat](x.home).table
				for _, u := range x.keyed { // the table keeps them where time is virtual
					if u.keyed.is(passive) {
						table.Replace(&u.entry.Entry, &u.weakly.Entry)
					}
				}
				x.check(func(_ note, err error) bool { return err == nil || errors.Is(err, ErrFull) })
				if n := x.home.active.Load(); n > 1 {
					r.Failf("%d are active in the end", n)
				}
			})
		}
	}
	explore.Exhaustive(t, 1, body(nil))
	explore.Random(t, 3000, body(nil))
	// A control: the keeper drops the state of the unit that it has chosen.
	explore.MustFail(t, 2, body(func(x *theater) {
		small2.kind.passivate = func(_ *Context, u *unit, _ stopReason) error {
			if k := keyedUnitOf[int, *seat](u); k.state != nil {
				k.state.dropped = true
			}
			small2.forget(u)
			x.home.stats.passivations.Add(1)
			return nil
		}
	}))
}
