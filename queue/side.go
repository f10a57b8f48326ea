package queue

import "github.com/freerun-go/freerun/internal/sync/rolecheck"

// side is the side of a container that belongs to one goroutine at a time. In a normal build it has no size, and its methods are
// removed even where generic code of this package is instantiated in another one: there Go inlines what is in this package, and
// calls what is in packages that the other one does not import.
type side struct{ sole rolecheck.Sole }

// enter says that a call on this side begins; see [rolecheck.Sole].
func (s *side) enter(call string) {
	if rolecheck.Checked {
		s.sole.Enter(call)
	}
}

// leave says that the call is over.
func (s *side) leave() {
	if rolecheck.Checked {
		s.sole.Leave()
	}
}
