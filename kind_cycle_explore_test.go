//go:build explore

package freerun

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

func succeedsOrCycle(_ note, err error) bool { return err == nil || errors.Is(err, ErrCycle) }

// cycles fails the execution if no message has come to ErrCycle.
func (x *theater) cycles() {
	for _, n := range x.sent {
		if _, err := n.result.promised.Outcome(); errors.Is(err, ErrCycle) {
			return
		}
	}
	x.r.Failf("no cycle was found")
}

// TestExploreKindCircle has the states of two units wait for each other: both fail, and nothing
// lies still.
func TestExploreKindCircle(t *testing.T) {
	body := func(r *explore.Run) {
		x := newTheater(r, staged, 2, 0)
		x.fresh = func(w *worker, key int) (error, *result[*seat]) {
			return nil, x.visit(w, []string{"p", "q"}[key], 1-key)
		}
		x.thread("one", func(w *worker) { x.visit(w, "a", 0) })
		x.thread("two", func(w *worker) { x.visit(w, "b", 1) })
		r.After(func() {
			x.check(succeedsOrCycle)
			x.cycles()
		})
	}
	explore.Exhaustive(t, 2, body)
	// A control: the graph of futures has no implied edges.
	while(&promise.Implied, nil, func() { explore.MustFail(t, 1, body) })
}

// TestExploreKindHeldCircle has the state of a unit wait for a message to another one, which is
// held by a message to both. The other one is plain, or of the kind too.
func TestExploreKindHeldCircle(t *testing.T) {
	body := func(keyed, plain int) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, staged, keyed, plain)
			asked := false
			x.fresh = func(w *worker, key int) (error, *result[*seat]) {
				if key < keyed-1 || asked { // the last one waits for the first, once
					return nil, nil
				}
				asked = true
				return nil, x.visit(w, "p", 0)
			}
			x.thread("both", func(w *worker) { x.all(w, "M", 1, 0) })
			x.thread("one", func(w *worker) { x.visit(w, "a", 0) }, func(w *worker) { x.visit(w, "b", 1) })
			r.After(func() {
				x.check(func(n note, err error) bool {
					var why *ActivationError
					return succeedsOrCycle(n, err) || errors.As(err, &why)
				})
			})
		}
	}
	explore.Exhaustive(t, 2, body(1, 1))
	explore.Exhaustive(t, 1, body(2, 0))
	while(&promise.Implied, nil, func() { explore.MustFail(t, 1, body(1, 1)) })
}

// TestExploreKindNear has a message to two plain units, which is sent when neither is near kinds,
// come behind one that is. The state for which that one waits waits for a message behind the first.
// It is found, whatever the first has seen when it was sent.
func TestExploreKindNear(t *testing.T) {
	body := func(before bool) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, staged, 1, 2)
			x.fresh = func(w *worker, _ int) (error, *result[*seat]) { return nil, x.visit(w, "p", 0) }
			if before { // an owner comes to the message, not its sender
				x.visit(x.rt.detachedWorker(), "q", 0)
			}
			x.thread("near", func(w *worker) { x.all(w, "M", 1, 2) })
			x.thread("plain", func(w *worker) { x.all(w, "N", 0, 1) })
			r.After(func() { x.check(succeedsOrCycle) })
		}
	}
	explore.Exhaustive(t, 2, body(false))
	explore.Exhaustive(t, 2, body(true))
	// Controls: nobody looks; a helper does not look; an owner does not wait until all have looked.
	while(&looksBehind, false, func() { explore.MustFail(t, 2, body(false)) })
	while(&helpersLook, false, func() { explore.MustFail(t, 2, body(false)) })
	while(&settlesFirst, false, func() { explore.MustFail(t, 3, body(true)) })
}

// TestExploreKindLateMessage has a message that has waited for a future come to a plain unit, which
// comes to lie still for a state that waits for the message.
func TestExploreKindLateMessage(t *testing.T) {
	body := func(wake func(w *worker, m *message)) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, staged, 1, 1)
			source := x.source()
			late := x.visitAfter(x.rt.detachedWorker(), "p", 0, source)
			if wake != nil {
				late.promised.become(newVtable(vtable{wake: wake, identity: afterOp.op.core.sent.identity}, nil))
			}
			x.fresh = func(*worker, int) (error, *result[*seat]) { return nil, late }
			x.thread("resolve", func(w *worker) { x.resolve(w, source) })
			x.thread("both", func(w *worker) { x.all(w, "M", 0, 1) })
			r.After(func() { x.check(succeedsOrCycle) })
		}
	}
	explore.Exhaustive(t, 2, body(nil))
	explore.Random(t, 10000, body(nil)) // with store buffers: the edge is stored without order
	// A control: it comes without a look.
	explore.MustFail(t, 3, body(func(w *worker, m *message) {
		m.become(afterOp.op.core.sent)
		(*promised)(unsafe.Pointer(m)).SetEdge(nil)
		m.unit.enqueue(w, m)
	}))
}

// TestExploreKindLooksAgain looks for what a message waits for, while the message runs, and its
// unit, or one that was held with it, becomes active anew. The message has never waited for that.
func TestExploreKindLooksAgain(t *testing.T) {
	body := func(held bool, look func(f *activations, p *result[*seat])) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, staged, 1, 1)
			w := x.rt.detachedWorker()
			x.visit(w, "a", 1)
			x.pump(w) // unit 1 is active
			to := 1
			if held {
				x.all(w, "M", 0, 1)
				x.pump(w) // unit 0 is near kinds
				x.visit(w, "b", 1)
				x.all(w, "N", 0, 1)
				to = 0
			}
			p := x.visit(w, "p", to)
			x.thread("look", func(*worker) {
				f := activations{}
				if look(&f, p); len(f.all) > 0 {
					r.Failf("the message waits for an activation that began later")
				}
			})
			x.thread("anew", func(*worker) {}, func(w *worker) { x.stop(w, 1) }, func(w *worker) { x.visit(w, "c", 1) })
			r.After(func() { x.check(succeeds) })
		}
	}
	explore.Exhaustive(t, 2, body(false, func(f *activations, p *result[*seat]) { f.behind(&p.promised.Cell) }))
	explore.Exhaustive(t, 2, body(true, func(f *activations, p *result[*seat]) { f.ofUnit(p.promised.unit) }))
	// A control: it does not look whether the message has run.
	explore.MustFail(t, 2, body(false, func(f *activations, p *result[*seat]) { f.ofUnit(p.promised.unit) }))
}
