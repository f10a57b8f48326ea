//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// borderProgram has an operation without a processor and an ordinary goroutine send, while a
// shutdown drains and ends the runtime when it finds nothing left. outsiders is the last phase that
// the goroutine is admitted in; early has the operation count as done before it sends.
func borderProgram(outsiders uint32, early bool) func(*explore.Run) {
	return func(r *explore.Run) {
		rt := &Runtime{draining: make(chan struct{})} // no stripes: the explorer takes no steps at their words
		b := &rt.ingress
		b.sent.Add(1) // the operation's own message
		var refused, over bool
		var atEnd uint64
		r.Go("operation", func() {
			if early {
				b.ran.Add(1)
			}
			admitted := rt.countSent(running) || rt.countSent(drains)
			if !early {
				b.ran.Add(1)
			}
			if admitted {
				b.ran.Add(1) // what it has sent is run
			}
			refused = !admitted
		})
		r.Go("goroutine", func() {
			if rt.countSent(outsiders) {
				b.ran.Add(1)
			}
		})
		r.Go("shutdown", func() {
			rt.advance(drains)
			done := b.ran.Load()
			if atEnd = b.totalSent(); atEnd != done {
				return // it would look again
			}
			rt.advance(aborting)
			over = true
		})
		r.After(func() {
			if over && b.totalSent() != atEnd {
				r.Failf("a message was admitted when nothing was left")
			}
			if refused {
				r.Failf("what follows from an operation was refused in a drain")
			}
			if sent, ran := b.totalSent(), b.ran.Load(); sent != ran {
				r.Failf("%d sent, %d have run", sent, ran)
			}
		})
	}
}

func TestExploreBorder(t *testing.T) { explore.Exhaustive(t, 3, borderProgram(running, false)) }

// TestExploreBorderControl: an outsider that a drain takes is found out, and so is an insider that
// counts as done already.
func TestExploreBorderControl(t *testing.T) {
	explore.MustFail(t, 3, borderProgram(drains, false))
	explore.MustFail(t, 3, borderProgram(running, true))
}
