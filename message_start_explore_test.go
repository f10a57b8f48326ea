//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// startProgram is three goroutines and one message: a processor starts the message, a canceler
// cancels its scope, and an asker revokes the message if it finds the scope canceled. Without a
// future there is no asker. late is the planted bug: the processor looks at the scope before it
// sets inStart.
func startProgram(future, late bool) func(*explore.Run) {
	return func(r *explore.Run) {
		p := promises(1)[0]
		m := &p.promised
		m.lineage.Store(&lineage{revocable: true})
		m.lead(nil, true)
		if !future {
			m = nil
		}
		w := &worker{rt: p.unit.rt}
		var canceled, over atomics.Bool
		var started, dropped, refused, revoked bool
		var argument atomics.Plain[int]
		argument.Set(1)
		sent := newVtable(vtable{identity: identity{name: "test"}, dropArgument: func(*message) { argument.Set(0) }}, nil)
		r.Go("processor", func() {
			before := late && canceled.Load()
			if !w.startRevocable(m) {
				dropped = true
				if !failureOf(m.edge.Load()).dropped.Load() {
					r.Failf("the argument is left to the holder")
				}
				return
			}
			if late && before || !late && canceled.Load() {
				refused = true
				if m != nil {
					m.edge.Store(failing)
				}
				w.inStart.Store(0)
				if m != nil && !m.fillFailed(w, ErrCanceled) {
					r.Failf("sealed by another")
				}
				return
			}
			if over.Load() {
				r.Failf("started after Cancel has returned")
			}
			started = true
			if argument.Get() != 1 {
				r.Failf("started without its argument")
			}
			w.inStart.Store(0)
			if m != nil && !m.fill(w) {
				r.Failf("ran, and was sealed by another")
			}
		})
		r.Go("canceler", func() {
			canceled.Store(true)
			w.awaitStart()
			over.Store(true)
		})
		if future {
			r.Go("asker", func() {
				if canceled.Load() {
					revoked = m.revoke(sent, ErrCanceled)
				}
			})
		}
		r.After(func() {
			ends := 0
			for _, end := range []bool{started, refused, revoked} {
				if end {
					ends++
				}
			}
			if ends != 1 || dropped != revoked {
				r.Failf("started %v, refused %v, revoked %v, dropped %v", started, refused, revoked, dropped)
			}
			if m != nil && m.open() {
				r.Failf("it has no outcome")
			}
			if revoked != (argument.Get() == 0) {
				r.Failf("revoked %v, and the argument is %d", revoked, argument.Get())
			}
		})
	}
}

func TestExploreStart(t *testing.T) {
	explore.Exhaustive(t, 3, startProgram(true, false))
	explore.Exhaustive(t, explore.Unbounded, startProgram(false, false))
}

// TestExploreStartControl plants a processor that looks at the scope before it sets inStart. The
// explorer finds it.
func TestExploreStartControl(t *testing.T) {
	explore.MustFail(t, 3, startProgram(true, true))
	explore.MustFail(t, 3, startProgram(false, true))
}

// TestExploreRevokeWaiting has a message wait for one future and then for another, run, and wait
// for a future of its result, while its caller gives up. There is one outcome, and no message is
// revoked after it has begun.
func TestExploreRevokeWaiting(t *testing.T) {
	body := func(r *explore.Run) {
		all := promises(3)
		m, first, second := all[0], all[1], all[2]
		m.lineage.Store(&lineage{revocable: true})
		var ran, dropped, revoked bool
		step := 0
		m.then = func(w *worker, p *watched) {
			switch step++; step {
			case 1: // first is resolved: the message is ready
				if !p.lead(nil, false) || !p.claim(begun) {
					dropped = true
					return
				}
				ran = true
				p.edge.Store(newBridge(&second.promised))
				if p.follow(w, &second.promised, false) == waits {
					return
				}
				fallthrough
			default:
				if !p.open() {
					r.Failf("sealed after it has begun")
				}
				p.fill(w)
			}
		}
		if m.await(new(worker), &first.promised, true) != waits {
			r.Failf("it does not wait")
		}
		r.Go("first", func() { first.fill(new(worker)) })
		r.Go("second", func() { second.fill(new(worker)) })
		r.Go("caller", func() { revoked = m.revoke(nil, ErrCanceled) })
		r.After(func() {
			if m.open() || ran == revoked || dropped && !revoked {
				r.Failf("open %v, ran %v, dropped %v, revoked %v", m.open(), ran, dropped, revoked)
			}
			if closed, err := m.outcome(); !closed || (err != nil) != revoked {
				r.Failf("outcome %v, revoked %v", err, revoked)
			}
		})
	}
	explore.Exhaustive(t, 3, body)
}
