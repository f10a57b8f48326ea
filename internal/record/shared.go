package record

import (
	"sync"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Shared is a tape with many writers, the goroutines that run no processor: a mutex has them write
// one at a time. Before the events of a goroutine, the tape says which it is.
type Shared struct {
	mutex sync.Mutex
	tape  *Tape
	last  uintptr // the goroutine that wrote last
}

// Begin locks the tape for the calling goroutine, and returns it. [Shared.End] follows.
func (s *Shared) Begin() *Tape {
	id := goid.ID()
	s.mutex.Lock()
	if s.last != id {
		s.last = id
		s.tape.Note(Goroutine, 0, false, uint64(id), 0)
	}
	return s.tape
}

// End lets the reader see the events since Begin, and unlocks the tape.
func (s *Shared) End() {
	s.tape.Publish()
	s.mutex.Unlock()
}

// Note records one event.
func (s *Shared) Note(k Kind, operation uint16, a, b uint64) {
	s.Begin().Note(k, operation, false, a, b)
	s.End()
}
