package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// message is the part that all messages have in common: the links of the one list that the message
// is in at a time (a mailbox, a scheduler's queue, or the list of a future's waiters), its vtable,
// and its addressee. Every message type has it first, so that a pointer to this part is a pointer
// to the whole.
//
// The holder of a message is the goroutine that may write to it: the sender, then the processor
// that wakes or runs it. Through a list it passes from one holder to the next.
type message struct {
	sched.Task
	unit *unit // the addressee; a runtime's free unit for a free operation
	// lineage is scope, priority and senders; nil: the runtime's own, and none. The holder alone
	// stores it. Others may load it in a message with a future, to learn whether its scope was
	// canceled.
	lineage atomics.RelaxedPointer[lineage]
}

// vtable is what all messages of one operation have in common in one stage of their life: the
// functions that go on with such a message. It is made once, when the operation is declared: a
// generic function value that is made for each message would be an allocation for each message.
type vtable struct {
	sched.Kind
	// name is the operation's; empty for a closure.
	name string
	// take deals with such a message in place of a run. The unit's owner calls it. Nil for messages
	// that the owner runs.
	take func(s *worker, u *unit, l *message) taken
	// looks: such a message need not have the unit to itself.
	looks bool
	// place deals with a message that is ready, in place of queueing it for its one unit, or for
	// none. Nil for most.
	place func(s *worker, l *message)
	// wake goes on with a message after the future that it waited for was resolved.
	wake func(s *worker, l *message)
	// fail ends a message that will not run, or whose operation did not return.
	fail func(s *worker, l *message, err error)
	// late sends the message of a timer that is due. unsent ends that of a timer that was stopped
	// before. Both are nil for what no timer sends.
	late   func(s *worker, l *message)
	unsent func(l *message, why *failure)
	// dropArgument drops the argument of a message that was revoked while it waited only for its
	// turn. Nil if such a message is never revoked.
	dropArgument func(l *message)
	// describe names the operation in an error. newVtable makes it, if it is not given.
	describe func(l *message) string
	// code returns the function that a closure's message runs; nil for operations with a name.
	code func(l *message) uintptr
	// number is the operation's in recordings; 0 for closures.
	number uint16
	// recycle takes back a message that has run. Nil if another goroutine may still look at it.
	recycle func(s *worker, l *message)
}

// newVtable completes k with what the scheduler needs. run is nil for a stage in which no message
// is queued.
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

// free reports whether the message is for a free operation.
func (l *message) free() bool { return l.unit == &l.unit.rt.free }
