package sched

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// TestThroughHost runs the tests of coroutines and deterministic schedulers once more, in a
// process that switches through the host.
func TestThroughHost(t *testing.T) {
	if way, why := SwitchStatus(); way == "host" || why == "" {
		t.Skip("it is what this process does: ", why)
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes")
	}
	run := exec.Command(os.Args[0], "-test.run", "Coroutine|Driven|Suspension|Leave|Locked|SwitchStatus", "-test.short", "-test.timeout", "5m")
	run.Env = append(os.Environ(), switchVariable+"=host")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSwitchStatus(t *testing.T) {
	if _, why := SwitchStatus(); why == "" {
		t.Error("no reason is given")
	}
	for wanted, through := range map[string]bool{"": throughHostBuilt != "", "host": true, "direct": throughHostBuilt != ""} {
		if got, why := chooseSwitch(wanted); got != through || why == "" {
			t.Errorf("%q: through the host is %v (%q), want %v", wanted, got, why, through)
		}
	}
	if want := os.Getenv(switchVariable) == "host" || throughHostBuilt != ""; want != throughHost {
		t.Errorf("through the host is %v, want %v", throughHost, want)
	}
}
