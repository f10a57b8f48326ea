package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// SwitchPoint is where a goroutine that takes part in switches is parked: a coroutine's goroutine,
// or one that has entered a coroutine.
//
// Go switches from one goroutine directly to another only between the two of an [iter.Pull], by
// its next and yield. Both do the same, in turns: the caller is parked in the iterator, and the
// goroutine that was parked there runs. Neither checks who calls. So a coroutine is two things: a
// goroutine, and a place in which exactly one goroutine is parked at any time, at first its own. A
// goroutine switches to any parked goroutine by taking its place (Transfer). So one coroutine
// transfers to another in one switch, where the way through the host would take two.
//
// The one goroutine that may run a parked goroutine next owns its switch point and its place. It
// gets them, through some queue, from the goroutine that ran after the parked one. The goroutine
// that a place was made with has no further claim on it until it ends (coroutine_end.go).
//
// Go promises none of this. Where it may have changed, switches go through the host
// (switch_host.go).
type SwitchPoint struct {
	place   *Coroutine             // where the goroutine is parked, or was last
	frame   atomics.RelaxedUintptr // about where its stack ends: a hint for Prefetch
	arrived *Coroutine             // the coroutine that went home as this goroutine woke
	// next is the coroutine that runs next in the place of a base, if switches go through the host.
	// nil means the base itself.
	next *Coroutine
}

// Transfer parks the running goroutine, whose switch point is me, in the place of other, whose
// goroutine runs. It returns when another goroutine transfers to me.
func (me *SwitchPoint) Transfer(other *SwitchPoint) {
	if throughHost {
		me.transferThroughHost(other)
		return
	}
	if next, yield := me.prepare(other); yield != nil {
		yield(struct{}{})
	} else {
		next()
	}
	if me.arrived != nil {
		me.reclaim()
	}
}

// PrepareTransfer is the first half of Transfer from the coroutine to other. The second half is a
// call of the one of the two functions that is not nil, and then of [Coroutine.Predecessor].
//
// A switch by iter.Pull spoils the core's return predictor, so each call that is open on either
// side of it costs some nanoseconds (package coroswitch does not), and its frame is part of what a
// suspended coroutine keeps. So callers that switch often have the second half in their own bodies.
// On the coroutine only.
func (co *Coroutine) PrepareTransfer(other *SwitchPoint) (next func() (struct{}, bool), yield func(struct{}) bool) {
	if throughHost {
		co.base.Load().next = other.place
		return nil, co.yield
	}
	return co.prepare(other)
}

// prepare does all of a transfer but the switch, which is next or yield, whichever is not nil.
func (me *SwitchPoint) prepare(other *SwitchPoint) (next func() (struct{}, bool), yield func(struct{}) bool) {
	at := other.place
	if at.ended.Load() != notEnded {
		at = at.recall(other)
	}
	me.place = at
	var frame byte
	me.frame.Store(uintptr(unsafe.Pointer(&frame)))
	if at.entered {
		at.entered = false
		return nil, at.yield
	}
	at.entered = true
	return at.next, nil
}

// base is the goroutine on which a coroutine runs: one that has called Enter. If the coroutine
// switches to another one, that runs on the same base. The base continues when the coroutine that
// runs on it suspends itself.
type base struct {
	SwitchPoint
	host *Host // whose goroutine it is; nil if it is no host's
	// running runs in the base's place; nil if none does. Base and coroutine never run both, so
	// the coroutine is the owner, too.
	running      diagnostic[Coroutine]
	previous     *Coroutine // has switched to running, which has not called Predecessor yet
	lockedThread uintptr    // the thread that a coroutine was unlocked from, or 0; see locked.go
}

// setRunning notes that co is about to run in the base's place.
func (b *base) setRunning(co *Coroutine) {
	co.base.Store(b)
	b.running.Store(co)
	if h := b.host; h != nil && h.processor != nil {
		if id := co.id.Load(); id != 0 {
			h.processor.home.Store(id)
		}
	}
}

// resume notes that the base itself continues. It returns the coroutine that ran last, the host's
// processor, and whether that coroutine can be entered again. A coroutine that only lets the
// driver choose continues first.
func (b *base) resume() (left *Coroutine, now *Processor, alive bool) {
	left = b.running.Load()
	for left.toDriver {
		left.toDriver = false
		b.host.driven.passToDriver()
		b.Transfer(&left.SwitchPoint)
	}
	b.running.Store(nil)
	left.base.Store(nil)
	b.becomeHome()
	if h := b.host; h != nil {
		now = h.processor
	}
	if left.over {
		left.end()
	}
	if b.lockedThread != 0 {
		b.lockToThread()
	}
	return left, now, !left.over
}

// becomeHome makes the host's own goroutine the home of its processor, if it is a host's and has
// one.
func (b *base) becomeHome() {
	if h := b.host; h != nil && h.processor != nil {
		h.processor.home.Store(h.id)
	}
}
