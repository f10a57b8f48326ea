package queue_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that no exported method of a container stays out of the explorer.
func TestEveryVerbIsExplored(t *testing.T) {
	verbs, long := []string{"TestExploreVerbs"}, []string{"TestExploreLongVerbs"}
	conformance.Explored(t, map[string][]string{
		"SPSC": verbs, "MPSC": verbs, "SPMC": verbs, "MPMC": verbs, "SegmentedMPMC": verbs, "Stack": verbs,
		"FanIn": verbs, "FanInProducer": append(verbs, "TestExploreFanInLeaves"),
		"FanOut": verbs, "FanOutConsumer": append(verbs, "TestExploreFanOutLeaves"),
		"UnboundedMPMC": long, "StrictMPMC": long,
		"Owner":       {"TestExploreOwner"},
		"Synchronous": {"TestExploreSynchronousMeets", "TestExploreSynchronousEnds"},
		"Blocking":    {"TestExploreWaitingSeveral", "TestExploreWaitingCloses", "TestExploreWaitingCancel"},
	})
}
