package rolecheck_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/rolecheck"
)

// enter returns what Enter panics with, or "".
func enter(s *rolecheck.Sole, call string) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = p.(string)
		}
	}()
	s.Enter(call)
	return ""
}

// TestSole tests the promise of both builds: a checking build refuses the second call and lets the
// first go on; the other build checks nothing.
func TestSole(t *testing.T) {
	var s rolecheck.Sole
	if size := unsafe.Sizeof(s); !rolecheck.Checked && size != 0 {
		t.Errorf("an unchecked Sole takes %d bytes", size)
	}
	for range 3 {
		if text := enter(&s, "queue: first"); text != "" {
			t.Fatalf("a call that is alone was refused: %s", text)
		}
		for range 2 {
			text := enter(&s, "queue: second")
			if refused := text != ""; refused != rolecheck.Checked {
				t.Fatalf("the second call was refused: %v, in a build that checks: %v", refused, rolecheck.Checked)
			}
			if rolecheck.Checked && (!strings.HasPrefix(text, "queue: second ") || !strings.Contains(text, "(queue: first)")) {
				t.Errorf("the panic does not name both calls: %s", text)
			}
		}
		s.Leave()
	}
}

// TestSoleAllocates holds that a normal build allocates nothing for a Sole.
func TestSoleAllocates(t *testing.T) {
	var s rolecheck.Sole
	allocated := testing.AllocsPerRun(100, func() {
		s.Enter("queue: call")
		s.Leave()
	})
	if !rolecheck.Checked && allocated != 0 {
		t.Errorf("%v allocations in a call", allocated)
	}
}
