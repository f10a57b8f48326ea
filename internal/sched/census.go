package sched

import (
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// census counts processors and tasks in one word, so that all counts change at one instant: the
// processors in service (resize.go), those of them that are awake, those that search, and the
// tasks that are away, that is, run without a processor (leave.go, suspension.go). The scheduler
// is idle when no task is queued, no processor is awake and no task is away. There is room for 16
// million tasks that are away, whose stacks take 32 GiB at least.
//
// Each transition is a method; the labels are those of parking.go (S, P, W) and resize.go (X, Y,
// B).
type census struct {
	_    pad.Line
	word atomics.Uint64 // away<<40 | serving<<24 | awake<<8 | searching
	_    pad.Line
	// rousing is how many of those that search are still asleep: a waker has chosen them. The word
	// has no room for it, and no protocol depends on it, so the explorer spends no steps on it. It
	// may be late by some.
	rousing atomic.Int32
	_       pad.Line
}

// mostSearchers is the greatest number of searchers that the census can count.
const mostSearchers = 1<<8 - 1

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

// roomIn returns how many processors may search: half as many as work, and at least one.
func roomIn(w uint64) int {
	return min(max(leastSearchers, (awakeIn(w)-searchingIn(w))/2), mostSearchers)
}

// completeIn reports whether a goroutine that queues a task need not wake a processor: as many
// search as may, or all are awake.
func completeIn(w uint64) bool {
	return awakeIn(w) >= servingIn(w) || searchingIn(w) >= roomIn(w)
}

func (c *census) awake() int     { return awakeIn(c.word.Load()) }
func (c *census) searching() int { return searchingIn(c.word.Load()) }
func (c *census) serving() int   { return servingIn(c.word.Load()) }
func (c *census) complete() bool { return completeIn(c.word.Load()) }

// allAwake reports whether no processor is parked.
func (c *census) allAwake() bool {
	w := c.word.Load()
	return awakeIn(w) >= servingIn(w)
}

// idle reports whether no processor is awake and no task is away.
func (c *census) idle() bool { return idleIn(c.word.Load()) }

// parkedCount returns how many processors are in service and not awake.
func (c *census) parkedCount() int {
	w := c.word.Load()
	return servingIn(w) - awakeIn(w)
}

// summon counts one more processor as awake and as a searcher (W1); false if as many search as may,
// or all are awake.
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

// looking returns how many processors search and are not asleep any more.
func (c *census) looking(w uint64) int { return searchingIn(w) - int(c.rousing.Load()) }

// beginSearch makes an awake processor a searcher; false if as many search as may. Those that are
// being woken use no processor yet, so they take no place from one that is here.
func (c *census) beginSearch() bool {
	for {
		w := c.word.Load()
		if searchingIn(w) == mostSearchers || c.looking(w) >= roomIn(w) {
			return false
		}
		if c.word.CompareAndSwap(w, w+oneSearching) {
			return true
		}
	}
}

// endSearch ends the search of a processor that stays awake (F1), and reports whether none searches
// now.
func (c *census) endSearch() (last bool) { return searchingIn(c.word.Add(^uint64(0))) == 0 }

// leave removes a processor that parks from the awake (P2). It reports whether none searches now,
// and whether no processor is awake and no task away.
func (c *census) leave(searching bool) (noneSearching, idle bool) {
	delta := uint64(oneAwake)
	if searching {
		delta += oneSearching
	}
	w := c.word.Add(-delta)
	return searchingIn(w) == 0, idleIn(w)
}

// addAway counts a task that leaves its processor, which is awake and stays so.
func (c *census) addAway() { c.word.Add(oneAway) }

// removeAway counts a task that was away and has returned, or has a processor again. It reports
// whether no processor is awake and no task away now.
func (c *census) removeAway() (idle bool) {
	const minusOneAway = ^uint64(oneAway - 1)
	return idleIn(c.word.Add(minusOneAway))
}

// withdraw takes an awake processor out of service (Y2). It reports the same as leave.
func (c *census) withdraw(searching bool) (noneSearching, idle bool) {
	delta := uint64(oneServing + oneAwake)
	if searching {
		delta += oneSearching
	}
	w := c.word.Add(-delta)
	return searchingIn(w) == 0, idleIn(w)
}

// shrink takes a processor that is not awake out of service (X2); false if all are awake.
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

// unshrink undoes shrink (X4).
func (c *census) unshrink() { c.word.Add(oneServing) }

// enlist counts a processor in service and awake (B2).
func (c *census) enlist() { c.word.Add(oneServing + oneAwake) }
