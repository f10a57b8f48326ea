package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Parking is where a goroutine is parked that takes part in switches: a coroutine's, or one that has entered one.
//
// Go has no other switch from one goroutine to another than between the two of an [iter.Pull], by its next and its yield. But these do the same, in turns: whoever
// calls one is parked in the iterator, and the goroutine that was parked there runs. Neither asks who calls. So a coroutine is two things: a goroutine, and
// a place in which exactly one goroutine is parked at any time, its own to begin with. To switch to any goroutine that is parked, one takes its place (Trade): so
// a coroutine goes over to another in one switch, where the way through the host would take two.
//
// Whoever may run a parked goroutine next owns its parking, and the place: it has that, through some queue, from whoever ran after the goroutine was parked. The goroutine that
// the place was made with has nothing to do with it any more, until it ends: coroutine_end.go.
//
// Go promises none of this. Where it may have changed, switches go through the host: through_host.go.
type SwitchPoint struct {
	place   *Coroutine             // where the goroutine is parked, or was last
	frame   atomics.RelaxedUintptr // about where its stack ends, as a hint
	arrived *Coroutine             // what has come home when the goroutine was woken; nil otherwise
	next    *Coroutine             // of a ground, if switches go through the host: what is to run in its place next; nil: the ground itself
}

// Trade parks the running goroutine, whose parking is me, where other is parked, whose goroutine runs. It returns when somebody trades with me.
//
// A switch spoils the core's memory of where calls return to, so each call that is open on either side of it costs some nanoseconds. Hence the way from here to
// next and yield is written out.
func (me *SwitchPoint) Transfer(other *SwitchPoint) {
	if throughHost {
		me.transferThroughHost(other)
		return
	}
	at := other.place
	if at.ended.Load() != notEnded {
		at = at.recall(other)
	}
	me.place = at
	var frame byte
	me.frame.Store(uintptr(unsafe.Pointer(&frame)))
	if at.entered {
		at.entered = false
		at.yield(struct{}{})
	} else {
		at.entered = true
		at.next()
	}
	if me.arrived != nil {
		me.reclaim()
	}
}

// ground is what a coroutine runs on: the goroutine that has entered it, or another that it was switched to from. It goes on when the coroutine that runs
// suspends itself.
type base struct {
	SwitchPoint
	host         *Host                 // whose goroutine it is; nil if it is no host's
	running      diagnostic[Coroutine] // that runs in its place; nil if none does. The two never run both, so that is the owner, too.
	previous     *Coroutine            // that has switched to the visitor, which has not taken note yet
	lockedThread uintptr               // the thread that a coroutine was unlocked from; 0: none. See locked.go
}

// visit notes that co is about to run in the ground's place.
func (b *base) setRunning(co *Coroutine) {
	co.base.Store(b)
	b.running.Store(co)
	if h := b.host; h != nil && h.processor != nil && co.id != 0 {
		h.processor.home.Store(co.id)
	}
}

// back notes that the ground goes on itself, and returns what was left for that.
func (b *base) resume() (left *Coroutine, now *Processor, alive bool) {
	left = b.running.Load()
	for left.toDriver {
		left.toDriver = false
		b.host.driven.passToDriver()
		b.Transfer(&left.SwitchPoint)
	}
	b.running.Store(nil)
	left.base.Store(nil)
	if h := b.host; h != nil {
		if now = h.processor; now != nil {
			now.home.Store(h.id)
		}
	}
	if left.over {
		left.end()
	}
	if b.lockedThread != 0 {
		b.lockToThread()
	}
	return left, now, !left.over
}
