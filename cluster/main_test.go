package cluster_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if child := os.Getenv("FREERUN_CHILD"); child != "" {
		children[child]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// children are what the test binary does when a test starts it anew.
var children = map[string]func(){}
