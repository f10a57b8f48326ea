package lock

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
)

// overflowQueue is where callers of Lock wait while the queue of a lock is full. They enter that
// queue one after another, in the order of arrival, and ahead of later callers. The zero value has
// no waiters.
//
// No wake-up is lost: a caller counts itself before it looks for a place, and a goroutine that
// makes a place looks at the count afterwards.
type overflowQueue struct {
	count  atomics.Int32 // how many callers wait
	first  park.Mutex    // its holder looks for a place
	parker atomics.Pointer[park.Parker]
}

// occupied reports whether a caller waits: then no other caller may enter the lock's queue.
func (d *overflowQueue) occupied() bool { return d.count.Load() != 0 }

// enter waits until try, which looks for a place in the lock's queue and takes it, reports true.
func (d *overflowQueue) enter(try func() bool) {
	d.count.Add(1)
	d.first.Lock()
	if d.parker.Load() == nil {
		d.parker.Store(park.New())
	}
	for !try() {
		d.parker.Load().Park()
	}
	d.first.Unlock()
	d.count.Add(-1)
}

// signal is called after a place was made.
func (d *overflowQueue) signal() {
	if d.occupied() {
		if p := d.parker.Load(); p != nil {
			p.Unpark()
		}
	}
}
