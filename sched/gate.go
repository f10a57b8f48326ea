package sched

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/pad"
)

// The parking protocol. A processor is awake or parked; of those awake at most one searches, that is, looks through the
// queues of the others. Two halves make sure that no task is left lying while a processor is parked:
//
// Whoever queues a task:
//
//	S1  makes the task visible in a queue                              (ring, deque, slot or inbox: an atomic store)
//	S2  reads the census; if nobody searches and somebody is parked, wakes one processor, as a searcher
//
// A processor that found nothing:
//
//	P1  raises its flag in parked
//	P2  leaves the census (awake−1, and searching−1 if it searched)
//	P3  if nobody searches now, looks at all queues once more; if there is something, it wakes a processor as in S2,
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

// census counts awake and searching processors in one word, so that both change at one instant.
type census struct {
	_    pad.Line
	word atomics.Uint32 // awake<<16 | searching
	_    pad.Line
}

const oneAwake = 1 << 16

func (c *census) awake() int     { return int(c.word.Load() >> 16) }
func (c *census) searching() int { return int(c.word.Load() & (oneAwake - 1)) }

// summon makes room for one more processor, as the only searcher, unless somebody searches or all are awake (W1).
func (c *census) summon(processors int) bool {
	for {
		w := c.word.Load()
		if w&(oneAwake-1) != 0 || int(w>>16) >= processors {
			return false
		}
		if c.word.CompareAndSwap(w, w+oneAwake+1) {
			return true
		}
	}
}

// beginSearch makes a processor that is awake a searcher, unless there is one.
func (c *census) beginSearch() bool {
	for {
		w := c.word.Load()
		if w&(oneAwake-1) != 0 {
			return false
		}
		if c.word.CompareAndSwap(w, w+1) {
			return true
		}
	}
}

// endSearch makes a searcher an ordinary processor and reports whether nobody searches now.
func (c *census) endSearch() (last bool) { return c.word.Add(^uint32(0))&(oneAwake-1) == 0 }

// leave takes a processor out of the census, and reports whether nobody searches and whether nobody is awake now (P2).
func (c *census) leave(searching bool) (noneSearching, noneAwake bool) {
	delta := uint32(oneAwake)
	if searching {
		delta++
	}
	w := c.word.Add(-delta)
	return w&(oneAwake-1) == 0, w>>16 == 0
}

// flags has a bit for each processor, up while it is parked or about to be.
type flags struct {
	_     pad.Line
	words []atomics.Uint64
}

func newFlags(n int) *flags { return &flags{words: make([]atomics.Uint64, (n+63)/64)} }

// raise puts up the flag of processor i (P1).
func (f *flags) raise(i int) {
	w := &f.words[i/64]
	for {
		old := w.Load()
		if w.CompareAndSwap(old, old|1<<(i%64)) {
			return
		}
	}
}

// lower takes the flag of processor i down and reports whether it was up.
func (f *flags) lower(i int) bool {
	w := &f.words[i/64]
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

// lowerAny takes some flag down and returns whose it was (W2). The caller has raised the census, so there is one.
func (f *flags) lowerAny() int {
	for {
		for k := range f.words {
			if w := f.words[k].Load(); w != 0 {
				if i := k*64 + bits.TrailingZeros64(w); f.lower(i) {
					return i
				}
			}
		}
	}
}
