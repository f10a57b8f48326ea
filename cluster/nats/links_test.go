package nats_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLinksNoServer holds that a program with servers elsewhere links none, and that one with a
// server in its process does: so the list is one of what is linked.
func TestLinksNoServer(t *testing.T) {
	const ours = "github.com/freerun-go/freerun/cluster/nats"
	for name, want := range map[string]bool{ours: false, ours + "/embedded": true} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		if links := strings.Contains(string(out), "github.com/nats-io/nats-server/"); links != want {
			t.Errorf("%s links the server: %v", name, links)
		}
	}
}
