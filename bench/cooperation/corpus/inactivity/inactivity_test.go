package inactivity_test

import (
	"runtime"
	"testing"

	"github.com/freerun-go/freerun/bench/cooperation/corpus/inactivity"
)

// TestRun: the body runs in an activity, a function that gets the same t in the same one, and a
// subtest in another one; one that is skipped is skipped.
func TestRun(t *testing.T) {
	inactivity.Run(t, func(a *inactivity.Activity) {
		if !a.Here() {
			t.Error("the body does not run in its activity")
		}
		inactivity.Run(t, func(b *inactivity.Activity) {
			if b != a || !b.Here() {
				t.Error("a function that the test calls is not in the test's activity")
			}
		})
	})
	after := false
	t.Run("skipped", func(t *testing.T) {
		t.Cleanup(func() { after = t.Skipped() })
		inactivity.Run(t, func(a *inactivity.Activity) { t.SkipNow() })
		t.Error("what follows a skip runs")
	})
	if !after {
		t.Error("a test that is skipped in an activity is not")
	}
}

// TestRunEnds: a body that panics or calls Goexit ends the caller in the same way.
func TestRunEnds(t *testing.T) {
	var panicked any
	inOther(func() {
		defer func() { panicked = recover() }()
		inactivity.Run(t, func(a *inactivity.Activity) { panic("so") })
	})
	if panicked != "so" {
		t.Errorf("a panic of the body is %v in the test", panicked)
	}
	went := false
	inOther(func() {
		inactivity.Run(t, func(a *inactivity.Activity) { runtime.Goexit() })
		went = true
	})
	if went {
		t.Error("the test goes on after a Goexit of the body")
	}
}

// inOther runs f in another goroutine and waits for its end.
func inOther(f func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
}
