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

func messageOf(n *mailbox.Node) *message { return (*message)(unsafe.Pointer(n)) }

// free reports whether the message is for a free operation.
func (m *message) free() bool { return m.unit == &m.unit.rt.free }
