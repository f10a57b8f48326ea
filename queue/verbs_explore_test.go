//go:build explore

package queue_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/queue"
)

// TestExploreVerbs calls every method of the queues that the conformance tests know beside others.
func TestExploreVerbs(t *testing.T) {
	tiny := tinySegmented
	tiny.New = func(int) conformance.Total[int] { return queue.NewSegmented[int](1, 2, 0) }
	tiny.Long = true
	for name, spec := range map[string]conformance.QueueSpec{
		"SPSC": spsc, "MPSC": mpsc, "SPMC": spmc, "MPMC": mpmc, "SegmentedMPMC": tiny, "FanIn": fanInSpec, "FanOut": fanOutSpec,
	} {
		t.Run(name, func(t *testing.T) { conformance.ExploreVerbs(t, spec) })
	}
	t.Run("Stack", func(t *testing.T) { conformance.ExploreStackVerbs(t, stack) })
}
