package lock

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
)

// door is where those wait who cannot wait in the line of a lock, as it is full. They enter the line one after another, in the order in
// which they came to the door, and ahead of those who come later. The zero value has nobody waiting.
//
// No wake-up is lost: who comes to the door has counted before it looks for a place, and who makes a place looks at the
// count afterwards.
type overflowQueue struct {
	count  atomics.Int32 // how many are here
	first  park.Mutex    // the one who holds it looks for a place
	parker atomics.Pointer[park.Parker]
}

// crowded reports whether somebody waits at the door: then nobody else should enter the line.
func (d *overflowQueue) occupied() bool { return d.count.Load() != 0 }

// enter waits until try, which looks for a place in the line and takes it, reports that it has.
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

// signal is called by whoever has made a place.
func (d *overflowQueue) signal() {
	if d.occupied() {
		if p := d.parker.Load(); p != nil {
			p.Unpark()
		}
	}
}
