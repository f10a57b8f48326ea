package ddb

import (
	"testing"

	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
)

// TestMisuseIsTold uses zero values, and arguments that are missing. Each panic or error must say
// what would be right.
func TestMisuseIsTold(t *testing.T) {
	misuse.Check(t, misuse.Calls{
		"Listen of a zero Server": {
			"ddb: a nil or zero Server; make servers with New",
			func() { _, _ = new(Server).Listen("127.0.0.1:0") },
		},
		"Stats of a zero Server": {
			"ddb: a nil or zero Server; make servers with New",
			func() { new(Server).Stats() },
		},
	})
}
