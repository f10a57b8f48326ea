package freeruntest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/freeruntest"
)

// TestExploreSpins holds that an activity which yields until another one has done something does
// not keep that from it, under any schedule.
func TestExploreSpins(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		ready := 0
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				for ready < 2 {
					a.Yield()
				}
			})
		}
		for range 2 {
			activity.Go(rt, func(a *activity.Activity) {
				a.Yield()
				ready++
			})
		}
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// hurriedT is a test with a deadline.
type hurriedT struct {
	*fakeT
	deadline time.Time
}

func (h hurriedT) Deadline() (time.Time, bool) { return h.deadline, true }

// TestExploreDeadline holds that a run which comes to no end fails before the deadline of its test,
// and that it says its seed and where the activities are.
func TestExploreDeadline(t *testing.T) {
	t.Setenv(freeruntest.Seed, "")
	os.Unsetenv(freeruntest.Seed)
	for name, ends := range map[string]func(f testing.TB, err error){
		"reports":  func(f testing.TB, err error) { f.Fatalf("%v", err) },
		"overlook": func(testing.TB, error) {},
	} {
		f := hurriedT{&fakeT{TB: t}, time.Now().Add(2 * time.Second)}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			freeruntest.Explore(f, func(rt *freerun.Runtime) {
				never := false
				activity.Go(rt, func(a *activity.Activity) {
					for !never {
						a.Yield() // it spins
					}
				}, activity.Named("spins"))
				var lock activity.Mutex
				for range 2 {
					activity.Go(rt, func(a *activity.Activity) {
						lock.Lock(a) // it waits
						activity.Wait(a, 0, func(*activity.Waiter) {})
					}, activity.Named("waits"))
				}
				ends(f, rt.Quiesce(t.Context()))
			}, freeruntest.Processors(2))
		}()
		<-ended
		said := f.text.String()
		if !f.failed || !strings.Contains(said, "freeruntest: the run has not come to its end, and the deadline of the test is near") ||
			!regexp.MustCompile(`failed under the schedule of seed 0, random, 2 processors, number 1 of the \d+ to be tried; to run it again: FREERUN_SEED=0 go test -run '\^TestExploreDeadline\$'\n$`).MatchString(said) {
			t.Errorf("%s: %s", name, said)
		}
		if name == "overlook" {
			continue
		}
		for _, line := range []string{
			"freerun.(*Runtime).Quiesce, called at deadline_test.go:",
			"activity spins is ready in activity.(*Activity).Yield, called at " + placeOf(t, "deadline_test.go", "// it spins"),
			"activity waits waits in activity.(*Mutex).Lock, called at " + placeOf(t, "deadline_test.go", "// it waits"),
		} {
			if !strings.Contains(said, "\n\t"+line) {
				t.Errorf("it does not say %q:\n%s", line, said)
			}
		}
	}
}
