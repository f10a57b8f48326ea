//go:build explore

package michaelscott

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreMichaelScottFirstLen asks for the length beside the first Enqueue, which starts the
// list in steps: its head is set before its tail. An observer that finds no head must not look at
// the tail that is set by then.
func TestExploreMichaelScottFirstLen(t *testing.T) {
	beside := func(enqueue func(), length func() int) func(r *explore.Run) {
		return func(r *explore.Run) {
			r.Go("enqueue", enqueue)
			r.Go("Len", func() {
				if n := length(); n < 0 || n > 1 {
					r.Failf("Len() = %d beside the first Enqueue", n)
				}
			})
			r.After(func() {
				if n := length(); n != 1 {
					r.Failf("Len() = %d after the first Enqueue", n)
				}
			})
		}
	}
	t.Run("UnboundedMPMC", func(t *testing.T) {
		explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
			q := new(UnboundedMPMC[int])
			beside(func() { q.Enqueue(1) }, q.Len)(r)
		})
	})
	t.Run("IntrusiveMPMC", func(t *testing.T) {
		explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
			itemNodes = new(domain[any])
			q := new(IntrusiveMPMC[*token])
			beside(func() { q.Enqueue(new(token)) }, q.Len)(r)
		})
	})
}

// TestExploreLongVerbs calls every method of the queues whose calls take many steps beside others.
func TestExploreLongVerbs(t *testing.T) {
	unbounded, intrusive := unbounded, intrusive
	unbounded.Long, intrusive.Long = true, true
	intrusive.New = func(int) conformance.Total[int] {
		itemNodes = new(domain[any])
		return new(carried[int])
	}
	t.Run("UnboundedMPMC", func(t *testing.T) { conformance.ExploreVerbs(t, unbounded) })
	t.Run("IntrusiveMPMC", func(t *testing.T) { conformance.ExploreVerbs(t, intrusive) })
}
