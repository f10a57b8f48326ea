//go:build !explore

package freerun

import "sync"

// spares keeps objects that are used again. The zero value keeps none.
type spares struct{ pool sync.Pool }

// get returns an object that was put there, or nil. Any goroutine.
func (s *spares) get() any { return s.pool.Get() }

// put keeps an object for a while. Any goroutine.
func (s *spares) put(v any) { s.pool.Put(v) }
