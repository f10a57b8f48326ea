package timerwheel

import (
	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Entry is the wheel's part of a timer: its state, its instant, and its links. It is the first
// field of the timer, so that a pointer to the entry, or to its node, is a pointer to the timer. It
// must not be copied.
type Entry struct {
	Node    mailbox.Node   // in the inbox of the wheel's owner
	State   atomics.Uint32 // New to Stopped
	Repeats bool           // it is armed again after it has fired; never changes

	// Used by the owner of the slots.
	slot           uint16
	When           int64 // when it is due; written before the state becomes Set or Sent
	next, previous *Entry

	below atomics.Pointer[Entry] // the next timer in the scope's list
}

// The states of a timer. Each step is a compare-and-swap, so a timer either fires or is stopped,
// never both:
//
//	T1 new, fired → sent → set   arming: sent while the timer lies in the wheel's inbox, set once
//	                             the wheel's owner has taken it in
//	T2 new, fired → set          arming by a goroutine that owns the wheel
//	T3 set → fired               by the wheel's owner when the timer is due: then it fires
//	T4 sent, set → stopped       by the stopper: then the timer fails
//	T5 new → stopped             by the maker that finds the runtime ending: then the timer fails
//
// A timer that repeats is armed again when its operation has ended. It may be stopped in state
// fired too, and is not armed again then.
const (
	New uint32 = iota
	Sent
	Set
	Fired
	Stopped
)

// Over reports whether the timer has ended.
func (e *Entry) Over() bool {
	now := e.State.Load()
	return now == Stopped || now == Fired && !e.Repeats
}

// Linked reports whether the entry leads to others: it is in a slot, or in an inbox.
func (e *Entry) Linked() bool { return e.next != nil || e.previous != nil || e.Node.Next() != nil }
