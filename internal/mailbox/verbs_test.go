package mailbox_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// TestEveryVerbIsExplored holds that no exported method of a list stays out of the explorer.
func TestEveryVerbIsExplored(t *testing.T) {
	conformance.Explored(t, map[string][]string{
		"Queue":  {"TestExploreMailbox", "TestExploreMailboxReuse", "TestExploreMailboxVerbs"},
		"Newest": {"TestExploreMailboxVerbs"},
		"Inbox":  {"TestExploreInbox"},
		"Node":   {"TestExploreInbox"},
		"Chain":  {"TestExploreInbox", "TestExploreChain"},
	})
}
