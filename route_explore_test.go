//go:build explore

package freerun

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

var exploreRoute = Op("exploreRoute", func(*Context, *int, *int) (int, error) { return 0, nil })

type nowhere struct{}

func (nowhere) Decide(route.Message) (route.Verdict, error) { return route.Elsewhere, nil }

// exploredRoute returns a runtime without processors, a unit whose mailbox is in use, and a message
// to it that is elsewhere. woken counts how often those that wait for its outcome are told.
func exploredRoute(revocable bool, mark *promise.Cell) (rt *Runtime, r *routedMessage, m *promised, woken *int) {
	rt, woken = new(Runtime), new(int)
	rt.outside.rt, rt.free.rt = rt, rt
	u := &unit{rt: rt}
	u.Kind = unitVtable
	withRoute(nowhere{}).apply(u.extend(), nil)
	first := &message{unit: u}
	first.become(exploreRoute.op.core.sent)
	u.mailbox.EnqueueUnmarked(&first.Node)
	m = &(&sendMessage[*int, int]{arg: new(int)}).result.promised
	m.start(&exploreRoute.op.core, u)
	if revocable {
		m.lineage.Store(&lineage{revocable: true})
	}
	m.lead(nil, true)
	r = &routedMessage{message: &m.message, unit: u, of: &exploreRoute.op.core}
	r.lead(mark, false)
	listener := &message{unit: &rt.free}
	listener.become(waiterVtable("listener", func(*worker, *message) { *woken++ }))
	m.notify(listener)
	return rt, r, m, woken
}

// passed reports whether the message lies in its unit's mailbox, behind the one that was there.
func passed(m *promised) bool { return m.unit.mailbox.IsNewest(&m.Node) }

// TestExploreRoute has a route resolve a message twice, or resolve it and pass it on, while its
// scope revokes it and the runtime ends: one of them decides, the message is counted once, and
// no revoker drops the argument that the route reads.
func TestExploreRoute(t *testing.T) {
	failed, canceled := errors.New("failed"), errors.New("canceled")
	one := 1
	body := func(revocable, passes bool, mark *promise.Cell, take func(r *routedMessage) bool) func(*explore.Run) {
		return func(r *explore.Run) {
			rt, routed, m, woken := exploredRoute(revocable, mark)
			var first, second, revoked bool
			r.Go("first", func() {
				m.Open() // the explorer does not see the argument, but this
				if *routed.Arg().(**int) == nil && !routed.taken.Load() {
					r.Failf("the argument was dropped while the route reads it")
				}
				first = take(routed) && routed.of.resolveRouted(routed.message, false, &one, nil)
			})
			r.Go("second", func() {
				switch {
				case !take(routed):
				case passes:
					second = true
					if routed.lead(nil, false) {
						_ = m.unit.deliver(rt.detachedWorker(), &m.message, passedSender)
					}
				default:
					second = routed.of.resolveRouted(routed.message, false, nil, failed)
				}
			})
			if revocable {
				r.Go("canceler", func() { revoked = m.revoke(exploreRoute.op.core.sent, canceled) })
			}
			if !passes {
				r.Go("end", func() { m.abandon() })
			}
			r.After(func() {
				closed, err := m.Outcome()
				open := passes && second && !revoked
				want := ErrClosed
				switch {
				case first && second && !passes || revoked && first || passes && first && second:
					r.Failf("two have decided: %v, %v, %v", first, second, revoked)
				case first:
					want = nil
				case revoked:
					want = canceled
				case second:
					want = failed
				}
				done := rt.ingress.ran.Load() + rt.ingress.failed.Load()
				switch {
				case open:
					if closed || !passed(m) || done != 0 || *woken != 0 {
						r.Failf("passed on: closed %v, in the mailbox %v, counted %d, woken %d", closed, passed(m), done, *woken)
					}
				case !closed || err != want || err == nil && resultOf[int](m).value != 1 || *woken != 1 || done != 1 || passes && first && passed(m):
					r.Failf("closed %v with %v and %d, want %v; woken %d times, counted %d times, passed %v", closed, err, resultOf[int](m).value, want, *woken, done, passed(m))
				}
			})
		}
	}
	take := (*routedMessage).take
	for _, passes := range []bool{false, true} {
		explore.Exhaustive(t, 2, body(false, passes, promise.Elsewhere(), take))
		explore.Exhaustive(t, 2, body(true, passes, promise.Elsewhere(), take))
		// A control: the message is taken without a compare-and-swap.
		explore.MustFail(t, 2, body(false, passes, promise.Elsewhere(), func(r *routedMessage) bool {
			if r.taken.Load() {
				return false
			}
			r.taken.Store(true)
			return true
		}))
	}
	explore.Freeze(t, body(false, false, promise.Elsewhere(), take))
	// A control: the edge does not say that the message is elsewhere.
	explore.MustFail(t, 2, body(true, true, nil, take))
}

var exploreRouteBoth = Op2("exploreRouteBoth", func(*Context, *int, *int, int) (int, error) { return 0, nil })

// TestExploreRouteSeveral has a route decide that a message to several units stays, or is resolved,
// while its scope revokes it: it stays, or has one outcome, and is counted once.
func TestExploreRouteSeveral(t *testing.T) {
	canceled, one := errors.New("canceled"), 1
	body := func(resolves bool, ask func(r *routedMessage, by route.Route) (bool, error)) func(*explore.Run) {
		return func(r *explore.Run) {
			rt := new(Runtime)
			rt.outside.rt, rt.free.rt = rt, rt
			o := &exploreRouteBoth.op.core
			u := &unit{rt: rt}
			u.Kind = unitVtable
			m, to, _ := o.newSeveral([]*unit{u, {rt: rt}}, func(any) error { return nil })
			to.offset = uint32(o.placed.multiAt)
			m.start(o, &rt.free)
			m.lineage.Store(&lineage{revocable: true})
			m.lead(o.gate, true)
			var here, revoked, resolved bool
			by := decideFunc(func(m route.Message) (route.Verdict, error) {
				if !resolves {
					return route.Here, nil
				}
				resolved = m.Resolve(&one, nil)
				return route.Elsewhere, nil
			})
			r.Go("send", func() { here, _ = ask(u.newRouted(&m.message), by) })
			r.Go("canceler", func() { revoked = m.revoke(o.sent, canceled) })
			r.After(func() {
				closed, err := m.Outcome()
				done := rt.ingress.ran.Load() + rt.ingress.failed.Load()
				switch {
				case here && (resolves || m.lineage.Load() == nil), resolved && revoked, !here && !resolved && !revoked:
					r.Failf("it stays %v, is resolved %v, revoked %v", here, resolved, revoked)
				case closed == (here && !revoked), closed && done != 1, !closed && done != 0, revoked && err != canceled, resolved && err != nil:
					r.Failf("closed %v with %v, counted %d times; it stays %v, is resolved %v, revoked %v", closed, err, done, here, resolved, revoked)
				}
			})
		}
	}
	ask := func(r *routedMessage, by route.Route) (bool, error) { return r.asked(&r.unit.rt.outside, by, false) }
	for _, resolves := range []bool{false, true} {
		explore.Exhaustive(t, 2, body(resolves, ask))
	}
	// A control: that the message was revoked meanwhile is not looked at.
	explore.MustFail(t, 2, body(false, func(r *routedMessage, by route.Route) (bool, error) {
		r.lead(promise.Elsewhere(), false)
		v, err := r.decide(&r.unit.rt.outside, by)
		return v == route.Here, err
	}))
}

type decideFunc func(m route.Message) (route.Verdict, error)

func (f decideFunc) Decide(m route.Message) (route.Verdict, error) { return f(m) }

// TestExploreHeld has two Release the outcome of an operation that returns at that moment, while
// the runtime ends: it is known once both the return and a Release have come, and counted once.
func TestExploreHeld(t *testing.T) {
	failed := errors.New("failed")
	body := func(ends bool, release func(h *held, err error) bool, back func(i *Invocation, w *worker)) func(*explore.Run) {
		return func(r *explore.Run) {
			rt, _, m, woken := exploredRoute(false, nil)
			i := exploreRoute.op.invocation(nil, exploreRoute.op.core.argOf(&m.message), false)
			*(*int)(i.outcome) = 1
			h := &held{of: i, rt: rt}
			i.message, i.held = &m.message, h
			var first, second bool
			r.Go("run", func() { back(i, &rt.outside) })
			r.Go("first", func() { first = release(h, nil) })
			r.Go("second", func() { second = release(h, failed) })
			if ends {
				r.Go("end", func() { m.abandon() })
			}
			r.After(func() {
				closed, err := m.Outcome()
				done := rt.ingress.ran.Load() + rt.ingress.failed.Load()
				if !closed || *woken != 1 || done != 1 || h.step.Load() != heldOver {
					r.Failf("closed %v, woken %d times, counted %d times, step %d", closed, *woken, done, h.step.Load())
				}
				switch {
				case first && second:
					r.Failf("two have decided")
				case err == nil && (second || resultOf[int](m).value != 1), err == failed && first, err == ErrClosed && !ends:
					r.Failf("%v and %d; first %v, second %v", err, resultOf[int](m).value, first, second)
				}
			})
		}
	}
	back := func(i *Invocation, w *worker) { i.keepBack(w, exploreRoute.op.core.sent, nil, nil) }
	explore.Exhaustive(t, 2, body(false, (*held).Release, back))
	explore.Exhaustive(t, 2, body(true, (*held).Release, back))
	explore.Freeze(t, body(true, (*held).Release, back))
	// Controls: the run looks at the step, and then stores; Release is taken without a
	// compare-and-swap.
	explore.MustFail(t, 2, body(false, (*held).Release, func(i *Invocation, _ *worker) {
		if i.held.step.Load() == heldRuns {
			i.held.step.Store(heldReturned)
			return
		}
		i.held.step.Store(heldOver)
		i.free(nil, i.held)
	}))
	explore.MustFail(t, 2, body(false, func(h *held, err error) bool {
		if h.released.Load() {
			return false
		}
		h.released.Store(true)
		h.why = err
		if h.step.CompareAndSwap(heldRuns, heldReleased) {
			return true
		}
		return h.step.CompareAndSwap(heldReturned, heldOver) && h.of.free(nil, h)
	}, back))
}
