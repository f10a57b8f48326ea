package main

import (
	"strings"
	"testing"
)

// tracedWork is a program with activities that yield, and are preempted, in an execution trace.
const tracedWork = `package main

import (
	"context"
	"os"
	"runtime/trace"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

func main() {
	f, err := os.Create("trace")
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	rt := freerun.New(freerun.Processors(1))
	var all []*activity.Activity
	for range 3 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			for range 3 {
				for begin := time.Now(); time.Since(begin) < 5*time.Millisecond; {
				}
				a.Yield()
			}
		}))
	}
	for _, a := range all {
		if err := a.Wait(context.Background()); err != nil {
			panic(err)
		}
	}
	rt.Close()
	trace.Stop()
	if err := f.Close(); err != nil {
		panic(err)
	}
}
`

// TestRegionsOfActivities: each region of an activity in an execution trace begins and ends on one
// goroutine, although another one stands in for that while it is preempted.
func TestRegionsOfActivities(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": tracedWork})
	for _, command := range []string{"go", binary} {
		must(t, dir, command, "run", ".")
		events := must(t, dir, "go", "tool", "trace", "-d=parsed", "trace")
		begun := map[string]int{}
		for line := range strings.Lines(events) {
			fields := strings.Fields(line)
			if len(fields) < 4 || !strings.HasPrefix(fields[2], "G=") {
				continue
			}
			switch fields[3] {
			case "RegionBegin":
				begun[fields[2]]++
			case "RegionEnd":
				if begun[fields[2]]--; begun[fields[2]] < 0 {
					t.Fatalf("%s: a region ends that has not begun: %s", command, line)
				}
			}
		}
		if len(begun) == 0 {
			t.Errorf("%s: there are no regions", command)
		}
		for g, open := range begun {
			if open != 0 {
				t.Errorf("%s: %d regions of %s do not end", command, open, g)
			}
		}
	}
}
