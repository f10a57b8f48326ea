//go:build explore

package freerun

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExplorePromise has two goroutines resolve a promise that a canceler revokes, and the end of
// the runtime abandons: one of the four decides, those that wait hear of that once, and the message
// is counted as done once.
func TestExplorePromise(t *testing.T) {
	failed, canceled := errors.New("failed"), errors.New("canceled")
	body := func(revocable bool, resolve func(p *Promise[int], v int, err error) bool) func(*explore.Run) {
		return func(r *explore.Run) {
			rt := new(Runtime)
			rt.outside.rt, rt.free.rt = rt, rt
			p := &Promise[int]{}
			m := &p.message.result.promised
			m.start(&promiseOperation[int]().core, &rt.free)
			if revocable {
				m.lineage.Store(&lineage{revocable: true})
			}
			m.lead(nil, true)
			woken := 0
			listener := &message{unit: &rt.free}
			listener.become(waiterVtable("listener", func(*worker, *message) { woken++ }))
			if !m.notify(listener) {
				r.Failf("closed from the beginning")
			}
			var first, second, revoked bool
			r.Go("first", func() { first = resolve(p, 1, nil) })
			r.Go("second", func() { second = resolve(p, 0, failed) })
			if revocable {
				r.Go("canceler", func() { revoked = m.revoke(nil, canceled) })
			}
			r.Go("end", func() { m.abandon() })
			r.After(func() {
				closed, err := m.Outcome()
				want := ErrClosed
				switch {
				case first && second || revoked && (first || second):
					r.Failf("two have decided: %v, %v, %v", first, second, revoked)
				case first:
					want = nil
				case second:
					want = failed
				case revoked:
					want = canceled
				}
				done := rt.ingress.ran.Load() + rt.ingress.failed.Load()
				if !closed || err != want || err == nil && resultOf[int](m).value != 1 || woken != 1 || done != 1 {
					r.Failf("closed %v with %v and %d, want %v; woken %d times, counted %d times", closed, err, resultOf[int](m).value, want, woken, done)
				}
			})
		}
	}
	explore.Exhaustive(t, 2, body(false, (*Promise[int]).Resolve))
	explore.Exhaustive(t, 2, body(true, (*Promise[int]).Resolve))
	explore.Freeze(t, body(false, (*Promise[int]).Resolve))
	// A control: the promise is taken without a compare-and-swap.
	explore.MustFail(t, 2, body(false, func(p *Promise[int], v int, err error) bool {
		if p.resolved.Load() {
			return false
		}
		p.resolved.Store(true)
		return resolve(promiseOperation[int](), &p.message.result.promised, v, err)
	}))
}
