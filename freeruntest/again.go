package freeruntest

import (
	"fmt"
	"os"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/blockhook"
)

// again returns the command that repeats the run of a seed.
func again(t testing.TB, seed uint64) string {
	return fmt.Sprintf("%s=%d %s -run '^%s$'", Seed, seed, testCommand(), t.Name())
}

// testCommand returns the command that compiles this test as it was compiled. Where an activity
// blocks as a goroutine does, and where its code has checks, a schedule is that of such a program
// alone. With an overlay of `freerun overlay` there are no checks; and a program of `freerun test`
// in which no quantum was used up at one runs the same with that.
func testCommand() string {
	if !blockhook.Compiled {
		return "go test"
	}
	command := `go test -overlay "$(freerun overlay)"`
	if os.Getenv(blockhook.TestCommand) != "" || blockhook.Checked() {
		command = "freerun test"
	}
	if testing.CoverMode() != "" {
		command += " -cover" // packages whose coverage is measured have no checks
	}
	return command
}
