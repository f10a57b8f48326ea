package freeruntest_test

import (
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
)

// TestMisuseIsTold passes arguments that cannot be right, and holds that each panic says what would
// be.
func TestMisuseIsTold(t *testing.T) {
	misuse.Check(t, misuse.Calls{
		"Explore without a body": {
			"freeruntest: Explore with a nil body",
			func() { freeruntest.Explore(t, nil) },
		},
		"Explore with a zero Option": {
			"freeruntest: Explore with a zero Option, the one with index 0",
			func() { freeruntest.Explore(t, func(*freerun.Runtime) {}, freeruntest.Option{}) },
		},
	})
}
