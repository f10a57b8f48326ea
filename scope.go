package freerun

import (
	"context"
	"sync"
)

// scope is the immutable part of a context that libraries keep: what is cancelled together.
type scope struct {
	done chan struct{}

	// Border code: called by libraries that derive contexts, never by sends.
	mu     sync.Mutex
	after  map[*func()]struct{}
	closed bool
}

func (s *scope) err() error {
	select {
	case <-s.done:
		return context.Canceled
	default:
		return nil
	}
}

// cancel closes done and starts the functions that wait for it. Any number of times.
func (s *scope) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.done)
	for f := range s.after {
		go (*f)()
	}
	s.after = nil
}

func (s *scope) afterFunc(f func()) (stop func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		go f()
		return func() bool { return false }
	}
	if s.after == nil {
		s.after = make(map[*func()]struct{})
	}
	s.after[&f] = struct{}{}
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, waiting := s.after[&f]
		delete(s.after, &f)
		return waiting
	}
}
