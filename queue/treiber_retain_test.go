package queue

import (
	"slices"
	"testing"
)

// TestStackStoppedCall stops a call that has looked at the top. It keeps the node from being
// collected, but not the value, which another call takes in one of several ways; and it fails to
// pop.
func TestStackStoppedCall(t *testing.T) {
	for name, take := range map[string]func(s *Stack[*int]) *int{
		"TryPop": func(s *Stack[*int]) *int {
			v, _ := s.TryPop()
			return v
		},
		"TakeAll": func(s *Stack[*int]) *int { return slices.Collect(s.TakeAll())[0] },
	} {
		var s Stack[*int]
		s.Push(new(int))
		top := new(int)
		s.Push(top)
		stopped := s.top.Load()
		if got := take(&s); got != top {
			t.Errorf("%s: got %p, want %p", name, got, top)
		}
		if kept := stopped.value.Get(); kept != nil {
			t.Errorf("%s: a value that was taken is kept in its node", name)
		}
		if s.top.CompareAndSwap(stopped, stopped.next.Get()) {
			t.Errorf("%s: a node was popped twice", name)
		}
	}
}
