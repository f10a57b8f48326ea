//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// borderProgram has three threads: an operation without a processor and an ordinary goroutine send
// one message each; a shutdown begins to drain, and ends the runtime if it finds no message left.
// outsiders is the last phase in which the goroutine is admitted. If early is true, the operation
// counts as done before it sends.
func ingressProgram(outsiders uint32, early bool) func(*explore.Run) {
	return func(r *explore.Run) {
		// Without stripes: the explorer takes no steps at their words.
		rt := &Runtime{draining: make(chan struct{})}
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
				b.ran.Add(1) // the message that the operation has sent is run
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
				return // a real drain would go on and look again
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

func TestExploreBorder(t *testing.T) { explore.Exhaustive(t, 3, ingressProgram(running, false)) }

// TestExploreBorderControl plants two bugs, which the exploration must find: a drain that admits an
// outsider, and an insider that counts as done before it sends.
func TestExploreBorderControl(t *testing.T) {
	explore.MustFail(t, 3, ingressProgram(drains, false))
	explore.MustFail(t, 3, ingressProgram(running, true))
}
