package activity

import (
	"unsafe"

	"github.com/freerun-go/freerun/queue"
)

func waiterOf(n *queue.Node) *Waiter { return (*Waiter)(unsafe.Pointer(n)) }

// grantAll grants all waiters of a list that was taken whole, newest first, in the order in which they came into it.
func grantAll(newest *queue.Node) {
	var oldest *queue.Node
	for n := newest; n != nil; {
		next := n.Next()
		n.Link(oldest)
		oldest, n = n, next
	}
	for n := oldest; n != nil; {
		next := n.Next() // granted, it may wait again, elsewhere
		n.Link(nil)
		waiterOf(n).Grant()
		n = next
	}
}
