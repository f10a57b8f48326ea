package deque

import (
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/rolecheck"
)

// TestTwoOwners calls the owner's methods during another call of them. A debug build panics; other
// builds do not check.
func TestTwoOwners(t *testing.T) {
	growable, bounded, hybrid := NewGrowable[int](), NewBounded[int](1), NewHybrid[int]()
	for name, c := range map[string]struct {
		owner *rolecheck.Sole
		call  func()
	}{
		"deque: Push of a Growable":   {&growable.owner, func() { growable.Push(new(int)) }},
		"deque: Pop of a Growable":    {&growable.owner, func() { growable.Pop() }},
		"deque: TryPush of a Bounded": {&bounded.owner, func() { bounded.TryPush(new(int)) }},
		"deque: Pop of a Bounded":     {&bounded.owner, func() { bounded.Pop() }},
		"deque: Push of a Hybrid":     {&hybrid.owner, func() { hybrid.Push(1) }},
		"deque: TryPush of a Hybrid":  {&hybrid.owner, func() { hybrid.TryPush(1) }},
		"deque: Pop of a Hybrid":      {&hybrid.owner, func() { hybrid.Pop() }},
	} {
		c.owner.Enter("deque: the first call")
		if text, _ := panics(c.call).(string); strings.HasPrefix(text, name) != rolecheck.Checked {
			t.Errorf("%s during another call panics with %q, in a build that checks: %v", name, text, rolecheck.Checked)
		}
		c.owner.Leave()
		if p := panics(c.call); p != nil {
			t.Errorf("%s alone panics with %v", name, p)
		}
	}
}
