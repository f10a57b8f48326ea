//go:build !gc || race || freerun_portable || go1.27 || explore

package michaelscott

// renew begins a new life of n, which the caller has acquired: it has no successor.
// (renew.go has a plain store here, which the race detector would report; the
// explorer is to see what becomes of calls that load next meanwhile.)
func (n *node[T]) renew() { n.next.Store(nil) }

// cut makes n, which the caller has just retired, lead to itself, so that a goroutine that keeps n
// does not keep the list. Others may still rely upon n as a node that is retired, which any
// successor but nil makes it.
func (n *node[T]) cut() { n.next.Store(n) }
