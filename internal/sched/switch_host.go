package sched

import "os"

// The switch through the host, in place of [Parking.Trade]'s: next of a coroutine's iter.Pull is called by whoever has entered it, and yield by the coroutine itself, as those who made
// iter.Pull had in mind. A coroutine that would go over to another one returns to its host, which is told which one that is, and resumes it:
//
//	directly            A ── yield of B's place ──► B
//	through the host    A ── yield of A ──► host ── next of B ──► B
//
// So each coroutine stays in its own place, where it ends, and nothing need be brought home. It costs a second switch of Go's: 1.3 to 1.7 times
// as much.
//
// Which of the two is used is decided once, when the process begins: a coroutine is made for one of them.

// throughHost says that switches go through the host.
var throughHost, throughHostWhy = chooseSwitch(os.Getenv(switchVariable))

// switchVariable is the environment variable that has switches go through the host, if it is "host". Nothing else is a way to try whether Go has come to check who calls next
// and yield: it would end the program.
const switchVariable = "FREERUN_SWITCH"

func chooseSwitch(wanted string) (throughHost bool, why string) {
	switch {
	case throughHostBuilt != "":
		return true, throughHostBuilt
	case wanted == "host":
		return true, "the environment says " + switchVariable + "=host"
	}
	return false, "this version of Go is known not to ask who calls next and yield of an iter.Pull"
}

// SwitchStatus returns the way in which coroutines are switched, and why it is that one: "direct", from one to another, or "host", by way of the host, which costs a second switch. For
// reports.
func SwitchStatus() (way, why string) {
	if throughHost {
		return "host", throughHostWhy
	}
	return "direct", throughHostWhy
}

// tradeThroughHost is Trade through the host. What other is has been noted by whoever calls it: a coroutine (visit), or the ground that me, a coroutine, runs on.
func (me *SwitchPoint) transferThroughHost(other *SwitchPoint) {
	if co := me.place; co != nil {
		co.base.Load().next = other.place
		co.yield(struct{}{})
		return
	}
	for co := other.place; co != nil; co = me.next {
		me.next = nil
		co.next()
	}
}
