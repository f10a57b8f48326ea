package sched

import (
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// census counts in one word, so that they change at one instant, the processors that are in service (resize.go), those of them that are
// awake, those that search, and the tasks that are away: that have left their processor and have not returned. The scheduler is
// idle while nothing is queued, none is awake, and none is away. There is room for 16 million tasks that are away, whose stacks take 32 GiB
// at least.
type census struct {
	_    pad.Line
	word atomics.Uint64 // away<<40 | serving<<24 | awake<<8 | searching
	_    pad.Line
}

const (
	oneSearching = 1
	oneAwake     = 1 << 8
	oneServing   = 1 << 24
	oneAway      = 1 << 40
)

func searchingIn(w uint64) int { return int(uint8(w)) }
func awakeIn(w uint64) int     { return int(uint16(w / oneAwake)) }
func servingIn(w uint64) int   { return int(uint16(w / oneServing)) }
func idleIn(w uint64) bool     { return awakeIn(w) == 0 && w/oneAway == 0 }

// completeIn reports whether whoever queues a task need wake nobody: one searches, or all are awake.
func completeIn(w uint64) bool { return searchingIn(w) != 0 || awakeIn(w) >= servingIn(w) }

func (c *census) awake() int     { return awakeIn(c.word.Load()) }
func (c *census) searching() int { return searchingIn(c.word.Load()) }
func (c *census) serving() int   { return servingIn(c.word.Load()) }
func (c *census) complete() bool { return completeIn(c.word.Load()) }

// allAwake reports whether no processor is parked.
func (c *census) allAwake() bool {
	w := c.word.Load()
	return awakeIn(w) >= servingIn(w)
}

// idle reports whether no processor is awake and no task away.
func (c *census) idle() bool { return idleIn(c.word.Load()) }

// summon makes room for one more processor, as the only searcher, unless somebody searches or all are awake (W1).
func (c *census) summon() bool {
	for {
		w := c.word.Load()
		if completeIn(w) {
			return false
		}
		if c.word.CompareAndSwap(w, w+oneAwake+oneSearching) {
			return true
		}
	}
}

// beginSearch makes a processor that is awake a searcher, unless there is one.
func (c *census) beginSearch() bool {
	for {
		w := c.word.Load()
		if searchingIn(w) != 0 {
			return false
		}
		if c.word.CompareAndSwap(w, w+oneSearching) {
			return true
		}
	}
}

// endSearch makes a searcher an ordinary processor and reports whether nobody searches now.
func (c *census) endSearch() (last bool) { return searchingIn(c.word.Add(^uint64(0))) == 0 }

// leave takes a processor out of the census, and reports whether nobody searches, and whether none is awake and no task away now (P2).
func (c *census) leave(searching bool) (noneSearching, idle bool) {
	delta := uint64(oneAwake)
	if searching {
		delta += oneSearching
	}
	w := c.word.Add(-delta)
	return searchingIn(w) == 0, idleIn(w)
}

// depart counts a task that leaves its processor, which is awake and stays so.
func (c *census) addAway() { c.word.Add(oneAway) }

// comeBack counts a task that was away and has returned, or has a processor again, and reports whether none is awake and no task away now.
func (c *census) removeAway() (idle bool) {
	const minusOneAway = ^uint64(oneAway - 1)
	return idleIn(c.word.Add(minusOneAway))
}

// withdraw takes a processor that is awake out of service (Y2).
func (c *census) withdraw(searching bool) (noneSearching, idle bool) {
	delta := uint64(oneServing + oneAwake)
	if searching {
		delta += oneSearching
	}
	w := c.word.Add(-delta)
	return searchingIn(w) == 0, idleIn(w)
}

// shrink takes one that is not awake out of service (X2), unless all are.
func (c *census) shrink() bool {
	for {
		w := c.word.Load()
		if awakeIn(w) >= servingIn(w) {
			return false
		}
		if c.word.CompareAndSwap(w, w-oneServing) {
			return true
		}
	}
}

// unshrink undoes shrink.
func (c *census) unshrink() { c.word.Add(oneServing) }

// enlist takes a processor into service, awake (B2).
func (c *census) enlist() { c.word.Add(oneServing + oneAwake) }
