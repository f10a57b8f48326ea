package sched

import "sync"

// A goroutine of [iter.Pull] ends in its own place, and whoever is parked there runs then. That should be nobody but one who waits for just that; but since coroutines switch to one
// another, its place may have anybody in it, who is to run at quite another time. So a coroutine that is over is parked elsewhere until it can come home:
//
//	E1  it parks itself like one that is suspended. Whoever runs then, finds it over
//	E2  if it happens to be at home, it is stopped, and all is done
//	E3  otherwise it is put among the homeless, by the place where it is parked, and ended becomes homeless
//	E4  if now all that are parked in one another's places in a circle with it are homeless, one of those who find that takes the circle, and has all of them go home
//
// Whoever is about to wake a goroutine in the place of a coroutine that is over:
//
//	W1  sees ended, takes it off the homeless, and trades with it in place of the one to be woken
//	W2  it goes into its own place; who was there runs, and stops it
//
// If W1 does not see it, the place has another guest then, and the one who wakes that will see it. So what is over is held up no longer than somebody is parked in its place
// who is not over. Each such one that runs brings one home, and may leave another behind it. So while coroutines are kept that do not run, there may be more homeless
// than coroutines that are not over: up to as many as there were at a time. In the end all are over: a circle.
//
// W1 has the parking in its hands that is in the coroutine's place, and that is of none who is over; the circle of E4 has only such. So no coroutine is called home
// by both. The last who joins a circle at E3 sees all others there; who follows places from one homeless to the next at E4, and comes back to where it began, has seen a circle,
// though it looks at one after another: a member leaves only by W1, when somebody who is not over is in its place, where the search would have ended, or, later, when
// it is at home, where nothing leads on to.
//
// Checked by: TestCoroutinesEndInAnyOrder, TestMayhem
var pendingEnds sync.Map // *Coroutine, as a place → *Coroutine, which is parked there

// What becomes of a coroutine that is over.
const (
	notEnded   = iota
	endPending // parked in another's place
	endClaimed // home, by one who makes sure that it is stopped there
)

// awaitEnd parks a coroutine that is over (E1), and returns when it may end: at home.
func (co *Coroutine) parkToEnd(b *base) {
	co.Transfer(&b.SwitchPoint)
	if co.recalled {
		co.place = co
		co.swap()
	}
}

// swap parks the running goroutine in the place, whosever is parked there.
func (co *Coroutine) swap() {
	if co.entered {
		co.entered = false
		co.yield(struct{}{})
	} else {
		co.entered = true
		co.next()
	}
}

// end sees to it that the goroutine of a coroutine that is over, and parked, ends some time. By the one who runs in its stead.
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

// bringHome has the coroutine, whose place the goroutine of other is in, go there once the caller trades with it, in the place that is returned (W1).
func (co *Coroutine) recall(other *SwitchPoint) (at *Coroutine) {
	at = co.place
	pendingEnds.Delete(at)
	co.ended.Store(notEnded)
	co.recalled = true
	other.arrived = co
	return at
}

// bury stops the coroutine that came home as the calling goroutine was woken (W2).
func (me *SwitchPoint) reclaim() {
	co := me.arrived
	me.arrived = nil
	go co.stop()
}

// endCircle ends all those who are parked in one another's places, if none of them is not over (E4).
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
		at.swap() // the first goes home, which wakes the one that was there, and so on, until one finds this goroutine in its place
		for _, c := range circle {
			go c.stop()
		}
	}()
}
