package activity

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
)

func waiterOf(n *mailbox.Node) *Waiter { return (*Waiter)(unsafe.Pointer(n)) }

// reversed turns a list that begins with the newest waiter into one that begins with the oldest.
func reversed(newest *mailbox.Node) (oldest *mailbox.Node) {
	for n := newest; n != nil; {
		next := n.Next()
		n.Link(oldest)
		oldest, n = n, next
	}
	return oldest
}

// grantAll grants all waiters of a list that was taken whole, in the order of arrival. newest
// begins the list. The activities among them run in that order, too.
func grantAll(newest *mailbox.Node) {
	for n := reversed(newest); n != nil; {
		next := n.Next() // a granted waiter may wait again, elsewhere
		n.Link(nil)
		if w := waiterOf(n); w.claim() {
			w.wakeTo(sched.Soon)
		}
		n = next
	}
}
