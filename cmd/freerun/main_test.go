package main

import (
	"os"
	"testing"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"
)

// binary is the command, built once for all tests, so that the tests run what users run.
var binary string

func TestMain(m *testing.M) { os.Exit(commandtest.Main(m, "freerun", &binary)) }

// freerun runs the command to its end and returns its output and its exit status.
func freerun(t *testing.T, args ...string) (out, errs string, status int) {
	t.Helper()
	return commandtest.Run(t, binary, args...)
}
