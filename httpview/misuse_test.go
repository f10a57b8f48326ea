package httpview

import (
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
)

// TestMisuseIsTold uses zero values, and arguments that are missing. Each panic or error must say
// what would be right.
func TestMisuseIsTold(t *testing.T) {
	rt := freerun.New()
	defer rt.Close()
	misuse.Check(t, misuse.Calls{
		"Handler of no runtime": {
			"httpview: Handler needs a runtime",
			func() { Handler(nil) },
		},
		"Handler of a zero Runtime": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { Handler(new(freerun.Runtime)) },
		},
		"Handler with a zero Option": {
			"httpview: a zero Option, the one with index 0",
			func() { Handler(rt, Option{}) },
		},
		"NewCollector of a zero Runtime": {
			"freerun: a nil or zero Runtime; make runtimes with New",
			func() { NewCollector(new(freerun.Runtime)) },
		},
	})
}
