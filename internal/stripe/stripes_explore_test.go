//go:build explore

package stripe

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// The phases of a runtime, in the model.
const (
	running uint32 = iota
	drains
	aborting
)

// stripesProgram has three threads: an operation without a processor and an ordinary goroutine send
// one message each; a shutdown begins to drain, and ends the runtime if it finds no message left.
// outsiders is the last phase in which the goroutine is admitted. If early is true, the operation
// counts as done before it sends.
func stripesProgram(outsiders uint32, early bool) func(*explore.Run) {
	return func(r *explore.Run) {
		// Without stripes: the explorer takes no steps at their words.
		var b Stripes[int]
		var phase atomics.Uint32
		var ran atomics.Uint64
		b.Admit(&phase, running) // the operation's own message
		var refused, over bool
		var atEnd uint64
		r.Go("operation", func() {
			if early {
				ran.Add(1)
			}
			admitted := b.Admit(&phase, running) || b.Admit(&phase, drains)
			if !early {
				ran.Add(1)
			}
			if admitted {
				ran.Add(1) // the message that the operation has sent is run
			}
			refused = !admitted
		})
		r.Go("goroutine", func() {
			if b.Admit(&phase, outsiders) {
				ran.Add(1)
			}
		})
		r.Go("shutdown", func() {
			phase.Store(drains)
			done := ran.Load()
			if atEnd = b.Total(); atEnd != done {
				return // a real drain would go on and look again
			}
			phase.Store(aborting)
			over = true
		})
		r.After(func() {
			if over && b.Total() != atEnd {
				r.Failf("a message was admitted when nothing was left")
			}
			if refused {
				r.Failf("the message of a running operation was refused in a drain")
			}
			if sent, done := b.Total(), ran.Load(); sent != done {
				r.Failf("%d sent, %d have run", sent, done)
			}
		})
	}
}

func TestExploreStripes(t *testing.T) { explore.Exhaustive(t, 3, stripesProgram(running, false)) }

// TestExploreStripesControl plants two bugs, which the exploration must find: a drain that admits
// an outsider, and an insider that counts as done before it sends.
func TestExploreStripesControl(t *testing.T) {
	explore.MustFail(t, 3, stripesProgram(drains, false))
	explore.MustFail(t, 3, stripesProgram(running, true))
}
