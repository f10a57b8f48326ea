package main

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"
)

// binary is the command, built once for all tests, so that the tests run what users run.
var binary string

func TestMain(m *testing.M) { os.Exit(commandtest.Main(m, "freerun-bench", &binary)) }

// freerun runs the command to its end and returns its output and its exit status.
func freerun(t *testing.T, args ...string) (out, errs string, status int) {
	t.Helper()
	return commandtest.Run(t, binary, args...)
}

// watchdog kills a command that does not end by itself.
func watchdog(t *testing.T, c *exec.Cmd) {
	dog := time.AfterFunc(2*time.Minute, func() { _ = c.Process.Kill() })
	t.Cleanup(func() { dog.Stop() })
}
