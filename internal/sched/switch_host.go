package sched

import (
	"os"

	"github.com/freerun-go/freerun/internal/sys/coroswitch"
)

// The switch through the host, in place of that of [SwitchPoint.Transfer]. Here each iter.Pull is
// used as intended: the goroutine that has entered the coroutine calls next, and the coroutine
// itself calls yield. A coroutine that transfers to another one returns to its host and tells it
// which one to run next:
//
//	directly            A ── yield of B's place ──► B
//	through the host    A ── yield of A ──► host ── next of B ──► B
//
// So each coroutine stays in its own place, where it ends, and none has to go home. It costs a
// second switch, and both are Go's, not those of package coroswitch: a yield takes 1.9 times as
// long.
//
// Which way is used is decided once, when the process begins: a coroutine is made for one of them.

// throughHost says that switches go through the host.
var throughHost, throughHostWhy = chooseSwitch(os.Getenv(switchVariable))

// switchVariable is the environment variable that makes switches go through the host, if it is
// "host". A program cannot try whether Go checks which goroutine calls next and yield: such a
// check, where it fails, ends the program.
const switchVariable = "FREERUN_SWITCH"

// chooseSwitch decides by the build, and then by the environment variable's value.
func chooseSwitch(wanted string) (throughHost bool, why string) {
	switch {
	case throughHostBuilt != "":
		return true, throughHostBuilt
	case wanted == "host":
		return true, "the environment says " + switchVariable + "=host"
	}
	return false, "this version of Go is known not to ask who calls next and yield of an iter.Pull"
}

// SwitchStatus returns how coroutines are switched, and why: "swap", from one to another by package
// coroswitch; "pull", from one to another by the functions of iter.Pull, with which a yield takes
// 1.5 times as long; or "host", through the host, with which it takes 1.9 times as long. It is for
// reports. Any goroutine.
func SwitchStatus() (way, why string) {
	if throughHost {
		return "host", throughHostWhy
	}
	used, why := coroswitch.Status()
	if used {
		return "swap", throughHostWhy + ", and " + why
	}
	return "pull", throughHostWhy + "; " + why
}

// transferThroughHost is Transfer through the host. The caller has noted other before: it is a
// coroutine (setRunning), or the base that me, a coroutine, runs on.
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
