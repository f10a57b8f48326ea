package activity_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/freerun-go/freerun/internal/sched"
)

// TestThroughHost runs the tests of this package once more, in a process whose coroutines switch
// through the host instead of directly to one another (see sched.SwitchStatus).
func TestThroughHost(t *testing.T) {
	if way, why := sched.SwitchStatus(); way == "host" {
		t.Skip("it is what this process does: ", why)
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes")
	}
	run := exec.Command(os.Args[0], "-test.short", "-test.timeout", "5m")
	run.Env = append(os.Environ(), "FREERUN_SWITCH=host")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
