package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// letter is the part of a message that is common to all: what links it into a mailbox, a scheduler's queue, or the list of
// those who wait for a future, one at a time; what it is; and whom it is for. Every message type has it first, so that a
// pointer to the letter is a pointer to the message.
type message struct {
	sched.Task
	unit *unit // the addressee; a runtime's free unit for a free operation
	// origin is scope, priority and senders; nil: the runtime's own, and none. The holder alone stores it; others may read it
	// in a message with a future, to learn whether its scope was canceled.
	lineage atomics.RelaxedPointer[lineage]
}

// kind is what messages of one sort have in common: one sort for each operation and stage of a message's life. Its
// functions are made once, when the operation is declared: a generic function value made for each message would be an
// allocation for each message.
type vtable struct {
	sched.Kind
	// name is the operation's; empty for closures.
	name string
	// take is what the owner of a unit does with such a letter instead of running it; nil for letters that it runs.
	take func(s *worker, u *unit, l *message) taken
	// looks says that such a letter need not have the unit to itself.
	looks bool
	// place is what is done with a letter that is ready, instead of queueing it for its one unit, or none; nil for most.
	place func(s *worker, l *message)
	// wake goes on with a letter that waited for a future, which is resolved now.
	wake func(s *worker, l *message)
	// fail ends a letter that will not be run.
	fail func(s *worker, l *message, err error)
	// late sends what a timer was made for, when it is due; unsent ends it, if the timer was stopped before. Nil for what no timer sends.
	late   func(s *worker, l *message)
	unsent func(l *message, why *failure)
	// dropArgument drops the argument of a message that waits for nothing but its turn, and was revoked; nil if none can be.
	dropArgument func(l *message)
	// describe names the operation in an error, for a letter that crashed; made by newKind, if it is not given.
	describe func(l *message) string
	// code tells which function a closure is; nil for operations with a name.
	code func(l *message) uintptr
	// number is the operation's in recordings; 0 for closures.
	number uint16
	// recycle takes back a letter that was run; nil if somebody may still look at it.
	recycle func(s *worker, l *message)
}

// newKind completes k with what the scheduler needs of it. run is nil for a stage in which the letter is never queued.
func newVtable(k vtable, run func(p *sched.Processor, t *sched.Task)) *vtable {
	done := &k
	if k.describe == nil {
		done.describe = k.nameOf
	}
	done.Run = run
	done.Discard = discardMessage
	return done
}

func (k *vtable) nameOf(l *message) string {
	if k.code != nil {
		return functionName(k.code(l))
	}
	return k.name
}

func messageOf(n *mailbox.Node) *message { return (*message)(unsafe.Pointer(n)) }

func (l *message) vtable() *vtable { return (*vtable)(unsafe.Pointer(l.Kind)) }

func (l *message) become(k *vtable) { l.Kind = &k.Kind }

// free reports whether the letter is for a free operation.
func (l *message) free() bool { return l.unit == &l.unit.rt.free }
