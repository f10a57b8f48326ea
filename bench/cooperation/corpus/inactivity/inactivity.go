// Package inactivity runs tests in activities. Command corpus puts it into modules of other people,
// whose tests it has call Run.
package inactivity

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// Activity is what a test's body gets, so that it has checks.
type Activity = activity.Activity

// processor is the only one that all tests of a program run on.
var processor = sync.OnceValue(func() *freerun.Runtime { return freerun.New(freerun.Processors(1)) })

// inside has the activities of the tests that run, by their *testing.T.
var inside sync.Map

// Run runs the body of a test in an activity and waits for its end. If the body does not return, as
// by FailNow, SkipNow or a panic, neither does Run. A function that a test calls with its own t
// runs as it is.
func Run(t *testing.T, body func(a *Activity)) {
	if a, already := inside.Load(t); already {
		body(a.(*Activity))
		return
	}
	defer disturb()()
	ended, returned := make(chan struct{}), false
	var panicked any
	activity.Go(processor(), func(a *Activity) {
		defer close(ended)
		inside.Store(t, a)
		defer inside.Delete(t)
		defer func() {
			if panicked = recover(); panicked != nil {
				fmt.Fprintf(os.Stderr, "panic in the activity of %s: %v\n%s\n", t.Name(), panicked, debug.Stack())
			}
		}()
		body(a)
		returned = true
	})
	<-ended
	if panicked != nil {
		panic(panicked)
	}
	if !returned {
		runtime.Goexit()
	}
}

// disturbance has the other activities of the processor, which run while tests do.
var disturbance struct {
	sync.Mutex
	tests int
	over  *atomic.Bool
}

// disturb has the others run until the function that it returns is called, for each call.
func disturb() (end func()) {
	disturbance.Lock()
	defer disturbance.Unlock()
	if disturbance.tests++; disturbance.tests == 1 {
		over := new(atomic.Bool)
		disturbance.over = over
		activity.Go(processor(), func(a *Activity) {
			for !over.Load() {
				a.Yield()
			}
		})
		// A pause after each turn: without, every wait of a test would take a millisecond.
		activity.Go(processor(), func(a *Activity) {
			for !over.Load() {
				spin(over, 3*time.Millisecond)
				_ = a.Sleep(5 * time.Millisecond)
			}
		})
	}
	return func() {
		disturbance.Lock()
		defer disturbance.Unlock()
		if disturbance.tests--; disturbance.tests == 0 {
			disturbance.over.Store(true)
		}
	}
}

// spin knows nothing of activities, and so is preempted.
func spin(over *atomic.Bool, d time.Duration) {
	for begin := time.Now(); !over.Load() && time.Since(begin) < d; {
	}
}
