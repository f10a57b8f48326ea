package queue

import "github.com/freerun-go/freerun/internal/sync/rolecheck"

// side marks the side of a container that belongs to one goroutine at a time, for the check of a
// debug build. In other builds it has no size, and its methods disappear even where another package
// instantiates the generic code: Go inlines calls within this package there, and not calls into
// packages that the other one does not import.
type side struct{ sole rolecheck.Sole }

// enter begins a call on this side; see [rolecheck.Sole].
func (s *side) enter(call string) {
	if rolecheck.Checked {
		s.sole.Enter(call)
	}
}

// leave ends it.
func (s *side) leave() {
	if rolecheck.Checked {
		s.sole.Leave()
	}
}
