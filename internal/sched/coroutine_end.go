package sched

import "sync"

// How coroutines end. Each Coroutine is a place, in which exactly one goroutine is parked
// (switch.go). A goroutine of [iter.Pull] can end only in its own place, its home, and the
// goroutine that is parked there then runs. That goroutine must be waiting for this. But coroutines
// switch to one another, so any goroutine may be parked there, which is to run at quite another
// time. So a coroutine that is over is parked elsewhere until it can go home:
//
//	E1  It parks like a suspended coroutine. The goroutine that runs next finds it over.
//	E2  If it is parked at home, that goroutine stops it, and all is done.
//	E3  Otherwise its end is pending: it enters pendingEnds, by the place where it is parked, and
//	    ended becomes endPending.
//	E4  If it closes a cycle of pending coroutines, each parked in the place of the next, one
//	    of the goroutines that find the cycle claims it, and has all of them go home.
//
// A goroutine that is about to wake another one, which is parked in the place of a coroutine that
// is over:
//
//	W1  sees ended, takes the coroutine out of pendingEnds, and transfers to the coroutine in
//	    place of the goroutine to be woken
//	W2  the coroutine goes into its own place; the goroutine that was parked there runs, and
//	    stops it
//
// If W1 does not see ended, another goroutine is in the place afterwards, and the one that wakes
// that goroutine sees it. So an end is pending only while a goroutine that is not over is parked
// in the coroutine's place. Each such goroutine that runs brings one coroutine home, and may leave
// another one pending. So while suspended coroutines are kept, there may be more pending ends than
// coroutines that are not over: up to the greatest number of coroutines at a time. In the end all
// are over, and so in cycles.
//
// Why W1 and E4 never recall the same coroutine:
//
//	W1 owns the switch point that is parked in the coroutine's place. It is of a
//	goroutine that is not over.
//	In a cycle of E4 only goroutines that are over are parked in the members' places.
//
// Why E4 finds each cycle, and only cycles:
//
//	The last member that joins at E3 sees all the others in pendingEnds.
//	A search that comes back to its start has seen a cycle, though it reads one entry after
//	another: a member leaves only by W1, when a goroutine that is not over is in its place,
//	and there the search would have ended; or later, when it is at home, and no entry leads there.
//
// Checked by: TestCoroutinesEndInAnyOrder, and TestMayhem of package freeruntest
var pendingEnds sync.Map // place → the pending *Coroutine parked there

// The states of Coroutine.ended.
const (
	notEnded   = iota
	endPending // over, and parked in another's place
	endClaimed // the oldest of a cycle that was claimed: all its members go home and are stopped
)

// parkToEnd parks a coroutine that is over (E1). It returns when the coroutine may end, at home.
func (co *Coroutine) parkToEnd(b *base) {
	co.Transfer(&b.SwitchPoint)
	if co.recalled {
		co.place = co
		co.exchange()
	}
}

// exchange parks the running goroutine in the place, and runs the goroutine that was parked there.
func (co *Coroutine) exchange() {
	if co.entered {
		co.entered = false
		co.yield(struct{}{})
	} else {
		co.entered = true
		co.next()
	}
}

// end ensures that the goroutine of a coroutine that is over, and parked, ends eventually. By the
// goroutine that runs in its stead.
func (co *Coroutine) end() {
	switch {
	case co.gone:
	case co.place == co: // E2
		go co.stop() // which ends as the coroutine does, maybe by Goexit
	default: // E3
		pendingEnds.Store(co.place, co)
		co.ended.Store(endPending)
		co.endCycle()
	}
}

// recall makes the coroutine, in whose place other is parked, go home once the caller has
// transferred to the place that recall returns (W1).
func (co *Coroutine) recall(other *SwitchPoint) (at *Coroutine) {
	at = co.place
	pendingEnds.Delete(at)
	co.ended.Store(notEnded)
	co.recalled = true
	other.arrived = co
	return at
}

// reclaim stops the coroutine that came home as the calling goroutine was woken (W2).
func (me *SwitchPoint) reclaim() {
	co := me.arrived
	me.arrived = nil
	go co.stop()
}

// endCycle ends a cycle of pending coroutines that co belongs to, if there is one (E4).
func (co *Coroutine) endCycle() {
	circle := []*Coroutine{co}
	for {
		v, some := pendingEnds.Load(circle[len(circle)-1])
		if !some {
			return
		}
		next := v.(*Coroutine)
		if next == co {
			break
		}
		circle = append(circle, next)
	}
	oldest := co
	for _, c := range circle {
		if c.number < oldest.number {
			oldest = c
		}
	}
	if !oldest.ended.CompareAndSwap(endPending, endClaimed) {
		return
	}
	at := co.place
	for _, c := range circle {
		pendingEnds.Delete(c.place)
		c.recalled = true
	}
	go func() {
		// The first one goes home and wakes the one parked there, and so on, until one finds this
		// goroutine in its place.
		at.exchange()
		for _, c := range circle {
			go c.stop()
		}
	}()
}
