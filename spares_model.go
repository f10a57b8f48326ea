//go:build explore

package freerun

// spares keeps nothing in the explorer: what passes through a sync.Pool from one model thread to
// another would seem to be ordered by nothing.
type spares struct{}

func (*spares) get() any { return nil }

func (*spares) put(any) {}
