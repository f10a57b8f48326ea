//go:build !explore

package queue

import "sync"

// spares keeps the objects that one queue uses again and again. The zero value keeps nothing. Each
// queue has its own, because an object with a channel that was made in a testing/synctest bubble
// must not be used outside of it.
type spares[T any] struct{ pool sync.Pool }

// get returns an object that was put there, or nil. Any goroutine.
func (s *spares[T]) get() *T {
	v, _ := s.pool.Get().(*T)
	return v
}

// put keeps an object for a while. Any goroutine.
func (s *spares[T]) put(v *T) { s.pool.Put(v) }
