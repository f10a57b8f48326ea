// Package blind has tests that see one half of it.
package blind

import "sync/atomic"

// Gate is open after Open. It counts how often it was opened.
type Gate struct {
	open   atomic.Bool
	opened atomic.Int64
}

// Open opens the gate.
func (g *Gate) Open() {
	g.open.Store(true)
	g.opened.Add(1)
}

// IsOpen reports whether the gate is open.
func (g *Gate) IsOpen() bool { return g.open.Load() }

// Opened returns how often the gate was opened.
func (g *Gate) Opened() int64 { return g.opened.Load() }

// Wait spins until the gate is open.
func (g *Gate) Wait() {
	for !g.IsOpen() {
	}
}

// Shut shuts the gate. No test calls it.
func (g *Gate) Shut() { g.open.Store(false) }
