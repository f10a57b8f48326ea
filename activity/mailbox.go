package activity

import (
	"context"
	"errors"
	"fmt"
	"math"
	_ "sync/atomic" // see internal/atomics: what inlines its operations

	"github.com/freerun-go/freerun/queue"
)

// ErrMailboxClosed is what a [Mailbox] returns after Close: Send always, Receive once nothing is left.
var ErrMailboxClosed = errors.New("activity: the mailbox is closed")

// Source:     the bounded buffer of E. Dijkstra, Cooperating sequential processes, 1965: two semaphores and a ring. Ours: how it is closed, and that who makes room puts
//             the message in that waits for it, and who brings a message puts it into the hands of who waits for one
// Sketch:     Send:    take one of room; enqueue; give one of items
//             Receive: take one of items; dequeue; give one of room; was it the last that is held, and room has ended: end items
//             waiting: in the line of room, or items, with a parcel; who claims the waiter does the rest of Send, or of Receive, before it wakes it
//             Close:   end room; is nothing of it held: end items
// Invariants: I1 each message, from before it is enqueued until after it is dequeued, holds one of room; so enqueuing finds room in the ring. I2 there are at least
//             as many messages in the ring as are left of items, or were taken and not dequeued yet; so dequeuing finds one. I3 once room has ended nothing is added but by those who
//             hold room already, and when nothing of it is held the ring is empty for good: then, and not before, items ends.
// Progress:   TrySend and TryReceive are lock-free but for the lines, and for a call that stalls in the midst of the ring's slot (see [queue.MPMC]); Send and Receive
//             wait. A Receive after Close waits for the Sends that have room already.
// Linearize:  Send where it is enqueued, Receive where it is dequeued; Close where room ends; ErrMailboxClosed of Send there or later, of Receive where items ends
// Cost:       three CAS for each of the two; a call that waits allocates its parcel
// Checked by: TestMailbox…, TestExploreMailbox…

// Mailbox is a channel with a bound: first in, first out. Send waits while it is full, Receive while it is empty, and those who wait are admitted in the order in which
// they came. Each sender's messages are received in the order in which they were sent.
//
// Activities and ordinary goroutines may call its methods. It is made by [NewMailbox], and must not be copied. What was received is not retained.
type Mailbox[T any] struct {
	room  quota // of which the messages hold one each
	items quota // of which is left what can be received
	floor uint64
	ring  *queue.MPMC[T]
}

// NewMailbox returns an empty mailbox for at most capacity messages. It panics if capacity is less than 1.
func NewMailbox[T any](capacity int) *Mailbox[T] {
	if capacity < 1 {
		panic(fmt.Sprintf("activity: NewMailbox(%d), which must be 1 at least", capacity))
	}
	m := &Mailbox[T]{ring: queue.NewMPMC[T](capacity), floor: whole - uint64(capacity)}
	m.room.state.Store(m.floor * unit)
	m.items.state.Store(whole * unit)
	return m
}

// Send adds v, and waits while there is no room, or others wait for it. It returns nil exactly if it has added v: otherwise [ErrMailboxClosed], or why it did not
// wait any longer (see the package's documentation). A call that need not wait does not look at ctx.
func (m *Mailbox[T]) Send(ctx context.Context, v T) error {
	if m.TrySend(v) {
		return nil
	}
	p := sending[T]{m: m, v: v}
	return p.wait(ctx)
}

// TrySend adds v if there is room, nobody waits for it, and the mailbox is open, and reports whether it did. It never waits.
func (m *Mailbox[T]) TrySend(v T) bool {
	if !m.room.tryTake(1) {
		return false
	}
	m.add(v)
	return true
}

// Receive removes and returns the oldest message, and waits while there is none, or others wait for one. The error is [ErrMailboxClosed] if the mailbox is closed
// and nothing is left in it, or says why it did not wait any longer (see the package's documentation); then it has taken nothing. A call that need not wait does
// not look at ctx.
func (m *Mailbox[T]) Receive(ctx context.Context) (v T, err error) {
	if v, ok := m.TryReceive(); ok {
		return v, nil
	}
	p := receiving[T]{m: m}
	err = p.wait(ctx)
	return p.v, err
}

// TryReceive removes and returns the oldest message if there is one and nobody waits, and reports whether it did. It never waits.
func (m *Mailbox[T]) TryReceive() (v T, ok bool) {
	if !m.items.tryTake(1) {
		return v, false
	}
	return m.remove(), true
}

// Close closes the mailbox: nothing more is added, what is in it can be received, and then every Receive returns [ErrMailboxClosed]. Who waits in Send is
// told at once. To close it again does nothing. It does not wait.
func (m *Mailbox[T]) Close() {
	if m.room.end() == m.floor {
		m.items.end()
	}
}

// Len returns how many messages there are. It is a snapshot.
func (m *Mailbox[T]) Len() int { return m.ring.Len() }

// add adds v, for which room was taken.
func (m *Mailbox[T]) add(v T) {
	m.ring.TryEnqueue(v)
	m.items.tryGive(1, 0, whole)
}

// remove removes the oldest message, of which there was one taken.
func (m *Mailbox[T]) remove() T {
	v, _ := m.ring.TryDequeue()
	m.giveRoom()
	return v
}

func (m *Mailbox[T]) giveRoom() {
	if state, _ := m.room.tryGive(1, 0, math.MaxUint64); used(state) == m.floor && state&ended != 0 {
		m.items.end()
	}
}
