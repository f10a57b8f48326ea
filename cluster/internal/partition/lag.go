package partition

import (
	"sync/atomic"
	"time"
)

// lag is how far an owner is behind what it has read, for any goroutine. The turn of the owner
// writes it.
type lag struct {
	entries atomic.Int64
	since   atomic.Int64 // Unix time in nanoseconds when the first of them was read; 0 without one
}

// Lag returns how many entries the owner has read and not settled, and since when it has read the
// first of them; zero if there is none. Any goroutine may call it.
func (o *Owner) Lag() (entries int, since time.Time) {
	if at := o.lag.since.Load(); at != 0 {
		since = time.Unix(0, at)
	}
	return int(o.lag.entries.Load()), since
}

// noteLag notes how far the owner is behind.
func (o *Owner) noteLag() {
	since := int64(0)
	if len(o.queue) > 0 {
		since = o.queue[0].at.UnixNano()
	}
	o.lag.since.Store(since)
	o.lag.entries.Store(int64(len(o.queue)))
}
