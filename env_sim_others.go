package freerun

import "time"

// In a program of `freerun build` an activity of a deterministic runtime may wait as a goroutine
// does: in a channel, or for a lock of package sync (activity/unaware.go). Mostly another activity
// has that, and if nothing is left to run it never comes. But an ordinary goroutine may bring it,
// or a timer of Go's: the workers of a library, a response of the network. No look can tell. So the
// driver has the activities try again for a while, in real time, before it says that they have
// come to a standstill.

// How long the driver has activities try again, and the pauses in between.
const (
	patienceWithOthers = 2 * time.Second
	leastPause         = 50 * time.Microsecond
	mostPause          = 10 * time.Millisecond
)

// othersPatience is how long the driver has waited for others. The zero value is ready for use.
type othersPatience struct {
	since time.Time // nothing but tries in vain has run; zero if it does not wait
	pause time.Duration
}

// await waits a moment, longer each time, and reports true, if activities wait as goroutines do
// (some), and others may still bring what they wait for. inVain is whether nothing but their tries
// has run since the last call.
func (x *othersPatience) await(some, inVain bool) bool {
	begun := inVain && !x.since.IsZero()
	switch {
	case !some, begun && time.Since(x.since) > patienceWithOthers:
		*x = othersPatience{}
		return false
	case !begun:
		*x = othersPatience{since: time.Now(), pause: leastPause}
	}
	time.Sleep(x.pause)
	x.pause = min(2*x.pause, mostPause)
	return true
}
