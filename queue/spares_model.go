//go:build explore

package queue

// spares keeps nothing in the explorer: what passes through a sync.Pool from one model thread to
// another would seem to be ordered by nothing.
type spares[T any] struct{}

func (*spares[T]) get() *T { return nil }

func (*spares[T]) put(*T) {}
