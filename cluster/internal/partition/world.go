package partition

import "time"

// World is where a [Session] or an [Owner] stands: its turn, and time.
type World interface {
	// Run has fn called in the turn of the session or the owner, behind what was given to Run
	// before: in the call, or later.
	Run(fn func())
	// After has fn called in the turn after a while.
	After(d time.Duration, fn func())
	// Now returns the time of this machine, of which nothing but pauses depends.
	Now() time.Time
}

// The pauses between two tries.
const (
	leastPause = 10 * time.Millisecond
	mostPause  = 2 * time.Second
)

// pause is the time until the next try: it doubles.
type pause time.Duration

func (p *pause) next() time.Duration {
	d := max(time.Duration(*p), leastPause)
	*p = pause(min(2*d, mostPause))
	return d
}

func (p *pause) reset() { *p = 0 }
