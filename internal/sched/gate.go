package sched

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// The parking protocol. A processor is awake or parked; of those awake at most one searches, that is, looks through the
// queues of the others. Two halves make sure that no task is left lying while a processor is parked:
//
// Whoever queues a task:
//
//	S1  makes the task visible in a queue                              (ring, deque, slot or inbox, of any priority: an atomic store)
//	S2  reads the census; if nobody searches and somebody is parked, wakes one processor, as a searcher
//
// A processor that found nothing:
//
//	P1  raises its flag in parked
//	P2  leaves the census (awake−1, and searching−1 if it searched)
//	P3  if nobody searches now, looks at all queues, of all priorities, once more; if there is something, it wakes a processor as in S2,
//	    if it can itself
//	P4  otherwise sleeps until somebody who took its flag down sends it a token
//
// S1 comes before S2 and P2 before P3, and all four are sequentially consistent. So either S2 sees the census without
// the parker, and wakes one, or P3 sees the task. If S2 sees another searcher, then that one is before its P2, and its own P3
// comes after S1. A searcher that finds work leaves the search, and if it was the only one looks at all queues as in P3, to
// wake the next: more tasks may have come while S2 saw it searching.
//
// A waker raises the census first (W1, one CAS, which also makes it the only one that wakes) and takes a flag down
// then (W2). Flags are raised before the census falls and fall after it rose, so there is a flag for each waker. The token
// is sent to the processor whose flag fell; if that one is between P1 and P4, it finds the token at P4.
//
// Rejected: waking a processor at each push (thundering herd: each finds nothing and parks again); a lock around the list
// of parked processors (a waker that is preempted in it stops all the others).

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
func (c *census) depart() { c.word.Add(oneAway) }

// comeBack counts a task that was away and has returned, or has a processor again, and reports whether none is awake and no task away now.
func (c *census) comeBack() (idle bool) {
	const minusOneAway = ^uint64(oneAway - 1)
	return idleIn(c.word.Add(minusOneAway))
}

// flags has a bit for each processor, up while it is parked or about to be. There are never fewer of them, and none moves.
type flags struct {
	_     pad.Line
	words atomics.Pointer[[]*atomics.Uint64]
}

func newFlags(n int) *flags {
	f := new(flags)
	f.words.Store(new([]*atomics.Uint64))
	f.grow(n)
	return f
}

// grow makes flags for n processors. One goroutine at a time.
func (f *flags) grow(n int) {
	words := *f.words.Load()
	for words = words[:len(words):len(words)]; len(words)*64 < n; {
		words = append(words, new(atomics.Uint64))
	}
	f.words.Store(&words)
}

func (f *flags) word(i int) *atomics.Uint64 { return (*f.words.Load())[i/64] }

// raise puts up the flag of processor i (P1).
func (f *flags) raise(i int) {
	w := f.word(i)
	for {
		old := w.Load()
		if w.CompareAndSwap(old, old|1<<(i%64)) {
			return
		}
	}
}

// lower takes the flag of processor i down and reports whether it was up.
func (f *flags) lower(i int) bool {
	w := f.word(i)
	for {
		old := w.Load()
		if old&(1<<(i%64)) == 0 {
			return false
		}
		if w.CompareAndSwap(old, old&^(1<<(i%64))) {
			return true
		}
	}
}

// isUp reports whether the flag of processor i is up.
func (f *flags) isUp(i int) bool { return f.word(i).Load()&(1<<(i%64)) != 0 }

// lowerAny takes some flag down and returns whose it was (W2). The caller has raised the census, so there is one.
func (f *flags) lowerAny() int {
	for {
		for k, word := range *f.words.Load() {
			if w := word.Load(); w != 0 {
				if i := k*64 + bits.TrailingZeros64(w); f.lower(i) {
					return i
				}
			}
		}
	}
}
