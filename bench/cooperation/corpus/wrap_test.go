package main

import (
	"strings"
	"testing"
)

// TestWrap: the bodies of tests and of subtests run in activities, and all stays on its line.
func TestWrap(t *testing.T) {
	const text = `package some // of others
import (
	"testing"
	bubble "testing/synctest"
)
func TestOne(t *testing.T) {
	t.Run("sub", func(t *testing.T) { help(t, 1) })
	bubble.Test(t, func(t *testing.T) {})
}
func help(t *testing.T, n int) {}
func answer(t *testing.T) int { return 1 }
func TestNone(*testing.T) {}
func BenchmarkOne(b *testing.B) {}
`
	const want = `package some; import freerun_in "example.org/in" // of others
import (
	"testing"
	bubble "testing/synctest"
)
func TestOne(t *testing.T) { freerun_in.Run(t, func(_ *freerun_in.Activity) {
	t.Run("sub", func(t *testing.T) { freerun_in.Run(t, func(_ *freerun_in.Activity) { help(t, 1) })})
	bubble.Test(t, func(t *testing.T) {})
})}
func help(t *testing.T, n int) {}
func answer(t *testing.T) int { return 1 }
func TestNone(*testing.T) {}
func BenchmarkOne(b *testing.B) {}
`
	got, err := wrap("some_test.go", []byte(text), "example.org/in")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("wrapped it is\n%s\nin place of\n%s", got, want)
	}
	const none = "package some\n\nfunc help() {}\n"
	if got, err := wrap("help_test.go", []byte(none), "example.org/in"); err != nil || string(got) != none {
		t.Errorf("a file without tests becomes %q, %v", got, err)
	}
	if _, err := wrap("wrong_test.go", []byte("package"), "example.org/in"); err == nil || !strings.Contains(err.Error(), "wrong_test.go") {
		t.Errorf("a file that is none is %v", err)
	}
}

// TestReason: what is known of a test holds for its subtests.
func TestReason(t *testing.T) {
	s := subject{known: map[string]string{"TestA": "a", "TestB/two": "b"}}
	for test, want := range map[string]string{"TestA": "a", "TestA/x/y": "a", "TestB": "", "TestB/two/x": "b", "TestB/three": ""} {
		if got := s.reason(test); got != want {
			t.Errorf("what is known of %s is %q, want %q", test, got, want)
		}
	}
}
