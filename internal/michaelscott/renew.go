//go:build gc && !race && !freerun_portable && !go1.27 && !explore

package michaelscott

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// renew begins a new life of n, which the caller has acquired: it has no successor. Others that
// have come upon n in a former life may load next at any time; they make nothing of it. So a plain
// store does (an atomic one is an exchange on amd64): it is a store of a single word, and L1 makes
// it visible to those that come upon n in its new life.
func (n *node[T]) renew() { n.next = atomics.Pointer[node[T]]{} }

// cut makes n, which the caller has just retired, lead to itself, so that a goroutine that keeps n
// does not keep the list. Others may still rely upon n as a node that is retired, which any
// successor but nil makes it.
func (n *node[T]) cut() { *(*unsafe.Pointer)(unsafe.Pointer(&n.next)) = unsafe.Pointer(n) }
