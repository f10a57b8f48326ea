//go:build explore

package promise

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

var errCanceled = errors.New("canceled")

// startProgram is three goroutines and one message: a processor starts the message, a canceler
// cancels its scope, and an asker revokes the message if it finds the scope canceled. Without a
// future there is no asker. late is the planted bug: the processor looks at the scope before it
// sets its Start.
func startProgram(future, late bool) func(*explore.Run) {
	return func(r *explore.Run) {
		m := waiters(1)[0]
		m.Lead(nil, true)
		if !future {
			m = nil
		}
		var s Start
		begin := func() bool {
			if m == nil {
				s.Begin()
				return true
			}
			return s.BeginClaim(&m.Cell)
		}
		var canceled, over atomics.Bool
		var started, dropped, refused, revoked bool
		var argument atomics.Plain[int]
		argument.Set(1)
		r.Go("processor", func() {
			before := late && canceled.Load()
			if !begin() {
				dropped = true
				if !m.Revocation().Dropped() {
					r.Failf("the argument is left to the holder")
				}
				return
			}
			if late && before || !late && canceled.Load() {
				refused = true
				if m != nil {
					m.Refuse()
				}
				s.End()
				if m != nil && !m.fillFailed(errCanceled) {
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
			s.End()
			if m != nil && !m.fill() {
				r.Failf("ran, and was sealed by another")
			}
		})
		r.Go("canceler", func() {
			canceled.Store(true)
			s.Await()
			over.Store(true)
		})
		if future {
			r.Go("asker", func() {
				if canceled.Load() {
					revoked = m.revoke(errCanceled, func() { argument.Set(0) })
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
			if m != nil && m.Open() {
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

// TestExploreStartControl plants a processor that looks at the scope before it sets its Start. The
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
		all := waiters(3)
		m, first, second := all[0], all[1], all[2]
		var ran, dropped, revoked bool
		step := 0
		m.then = func(p *waiter) {
			switch step++; step {
			case 1: // first is resolved: the message is ready
				if !p.Lead(nil, false) || !p.Claim() {
					dropped = true
					return
				}
				ran = true
				p.SetEdge(Bridge(&second.Cell))
				if p.follow(second, false) == Waits {
					return
				}
				fallthrough
			default:
				if !p.Open() {
					r.Failf("sealed after it has begun")
				}
				p.fill()
			}
		}
		if m.awaitRevocable(first, true) != Waits {
			r.Failf("it does not wait")
		}
		r.Go("first", func() { first.fill() })
		r.Go("second", func() { second.fill() })
		r.Go("caller", func() { revoked = m.revoke(errCanceled, nil) })
		r.After(func() {
			if m.Open() || ran == revoked || dropped && !revoked {
				r.Failf("open %v, ran %v, dropped %v, revoked %v", m.Open(), ran, dropped, revoked)
			}
			if closed, err := m.Outcome(); !closed || (err != nil) != revoked {
				r.Failf("outcome %v, revoked %v", err, revoked)
			}
		})
	}
	explore.Exhaustive(t, 3, body)
}
