package activity

import (
	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/backoff"
	"github.com/freerun-go/freerun/queue"
)

// Source:     the OwnerQueue of L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008; D. Hendler, I. Incze, N. Shavit and M. Tzafrir, Flat combining,
//             SPAA 2010 (whoever is at it does what the others have asked for)
// Sketch:     sit:     CAS(word: nobody→seated)
//             request: CAS(word: nobody→seated), or CAS(word: list→request, list)
//             rise:    CAS(word: seated→nobody); else take the list, oldest first, to be done
// Invariants: I1 from sit, or a request that returned true, until rise returns nil the caller is the only one at the desk. I2 a request is in the word, or has been
//             returned by rise, once.
// Progress:   sit and rise are wait-free but for the reversal; request is lock-free. A request is done when the one at the desk comes to it, who waits for nothing.
//             sitDown spins while another is at the desk.
// Linearize:  where the caller comes to sit, or its request is done
// Publish:    what is on the desk is written before the CAS of rise, and read after that of sit
// ABA/memory: the list is only pushed to and taken whole
// Cost:       one CAS to sit, one to rise
// Checked by: TestExploreMailbox…

// desk is where one at a time does what is to be done, and the others leave requests for. The zero value is free.
type desk struct{ word atomics.Pointer[queue.Node] }

// seated is the end of the list of requests while somebody is at a desk.
var seated queue.Node

// sit comes to the desk if nobody is there.
func (d *desk) sit() bool { return d.word.CompareAndSwap(nil, &seated) }

// sitDown comes to the desk, and spins while another is there: for what has nothing to leave a request with.
func (d *desk) sitDown() {
	for b := (backoff.Backoff{}); !d.sit(); b.Wait() {
	}
}

// request comes to the desk, or leaves n for whoever is there.
func (d *desk) request(n *queue.Node) (sits bool) {
	for {
		newest := d.word.Load()
		if newest == nil {
			if d.sit() {
				return true
			}
			continue
		}
		n.Link(newest)
		if d.word.CompareAndSwap(newest, n) {
			return false
		}
	}
}

// rise leaves the desk if nothing was left there, and returns nil; otherwise it returns that, oldest first, to be done before rise is called again.
func (d *desk) rise() *queue.Node {
	if d.word.CompareAndSwap(&seated, nil) {
		return nil
	}
	var oldest *queue.Node
	for n := d.word.Swap(&seated); n != &seated; {
		next := n.Next()
		n.Link(oldest)
		oldest, n = n, next
	}
	return oldest
}
