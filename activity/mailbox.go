package activity

import (
	"context"
	"errors"
	"fmt"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/room"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// ErrMailboxClosed is the error of a closed [Mailbox]: of Send always, of Receive once nothing is
// left.
var ErrMailboxClosed = errors.New("activity: the mailbox is closed")

// Source:     the ring is D. Vyukov's bounded MPMC queue, 2010 (see package queue). Ours: the word
//             of a position also says whether its side has waiters, and that of tail whether the
//             mailbox is closed. So one CAS decides all. A call that makes room puts the message of
//             a waiting sender in; a call that brings a message hands it to a waiting receiver.
// Sketch:     tail, head: position, queued (the side's queue is not empty), and, of tail, shut
//             Send:    tail queued or shut, or tail-head is the capacity: wait
//                      else CAS(tail: +1); fill the slot; head queued? serve its queue
//             Receive: head queued, or tail is head: wait
//                      else CAS(head: +1); empty the slot; tail queued? serve its queue
//             admit:   set queued by the head of the queue; room? pop, claim, tail += 1,
//                      fill the slot with what it brings, wake; the other side queued? serve it
//             Close:   tail |= shut; serve both queues; from then on senders are refused,
//                      and receivers once tail is head
// Invariants: I1 head ≤ tail ≤ head+capacity.
//             I2 while a side is queued, its position is moved by the server of its queue only: no
//             waiter is overtaken, and what was found there stays.
//             I3 while a side is not queued, a waiter that has entered its queue is about to serve
//             it.
//             I4 the slot of a position belongs to the caller that has moved tail, or head, past
//             the position, until that caller writes turn.
//             I5 a tail that is shut does not move: so shut and tail = head is final.
// Progress:   no call waits for another one, except for one in the midst of the same slot, as in
//             [queue.MPMC], and, to be admitted, for the server of its queue
// Linearize:  Send at L1, or at L2 by the server that admits it; Receive at L3 or L4; full and
//             empty where the second of the two words is read; Close at L5
// Publish:    a slot's value is written before turn is stored, and read after it is loaded. A
//             caller that moves a position then looks whether the other side is queued. A server
//             that sets queued then looks at the other position. So one of the two sees the other.
// Cost:       a CAS and a release for each of the two; a call that waits allocates 1 or 2 objects
// Checked by: TestMailbox…, TestExploreMailbox…

// Mailbox is a bounded channel: first in, first out. Send waits while it is full, Receive while it
// is empty. Waiters are admitted in the order of arrival and are never overtaken.
//
// Activities and ordinary goroutines may call its methods. [NewMailbox] makes it; it must not be
// copied. The methods of the zero value panic, except for Len, which returns 0. It does not retain
// messages that were received.
type Mailbox[T any] struct {
	capacity int64
	slots    []slot[T] // a power of two, 2 at least

	_    pad.Line
	tail side // for senders
	_    pad.Line
	head side // for receivers
	_    pad.Line
}

// side is one end of a mailbox.
type side struct {
	word  atomics.Uint64
	queue waitQueue
}

const (
	queued uint64 = 1 << iota // the queue is not empty
	shut                      // of tail: the mailbox is closed
	step                      // the unit of the position
)

// slot is where a message lies.
type slot[T any] struct {
	turn  atomics.Release[uint64] // the position that may fill the slot; filled: one more
	value atomics.Plain[T]
}

// NewMailbox returns an empty mailbox for at most capacity messages. It panics if capacity is less
// than 1, or if its slots, a power of two of them, would take more than a terabyte (on 32 bits: a
// gigabyte).
func NewMailbox[T any](capacity int) *Mailbox[T] {
	if capacity < 1 {
		panic(fmt.Sprintf("activity: NewMailbox(%d), which must be 1 at least", capacity))
	}
	slots, fits := room.For[slot[T]](max(capacity, 2))
	if !fits {
		panic(fmt.Sprintf("activity: NewMailbox(%d), for which there is no room", capacity))
	}
	m := &Mailbox[T]{capacity: int64(capacity), slots: slots}
	for i := range m.slots {
		m.slots[i].turn.Store(uint64(i))
	}
	return m
}

// Send adds v. It waits while the mailbox is full, behind earlier senders. It returns nil if and
// only if it has added v; otherwise [ErrMailboxClosed], or why it stopped waiting (see the
// package's documentation). A call that need not wait does not look at ctx.
func (m *Mailbox[T]) Send(ctx context.Context, v T) error {
	if m.TrySend(v) {
		return nil
	}
	if m.tail.word.Load()&shut != 0 {
		return ErrMailboxClosed
	}
	return m.send(ctx, v)
}

// TrySend adds v if the mailbox is open, has room and has no waiting senders, and reports whether
// it did. It never waits.
func (m *Mailbox[T]) TrySend(v T) bool {
	for b := (backoff.Backoff{}); ; b.Retry() {
		t := m.tail.word.Load()
		if t&(queued|shut) != 0 || length(t, m.head.word.Load()) >= m.capacity {
			m.mustBeMade()
			return false
		}
		if m.tail.word.CompareAndSwap(t, t+step) { // L1
			m.fill(t/step, v)
			m.callReceivers()
			return true
		}
	}
}

// Receive removes and returns the oldest message. It waits while there is none, behind earlier
// receivers. The error is [ErrMailboxClosed] if the mailbox is closed and empty, or says why it
// stopped waiting (see the package's documentation); then it has removed nothing. A call that need
// not wait does not look at ctx.
func (m *Mailbox[T]) Receive(ctx context.Context) (v T, err error) {
	if v, ok := m.TryReceive(); ok {
		return v, nil
	}
	if t := m.tail.word.Load(); t&shut != 0 && length(t, m.head.word.Load()) == 0 {
		return v, ErrMailboxClosed
	}
	return m.receive(ctx)
}

// TryReceive removes and returns the oldest message if there is one and no receiver waits, and
// reports whether it did. It never waits.
func (m *Mailbox[T]) TryReceive() (v T, ok bool) {
	for b := (backoff.Backoff{}); ; b.Retry() {
		h := m.head.word.Load()
		if h&queued != 0 || length(m.tail.word.Load(), h) <= 0 {
			m.mustBeMade()
			return v, false
		}
		if m.head.word.CompareAndSwap(h, h+step) { // L3
			v = m.empty(h / step)
			m.callSenders()
			return v, true
		}
	}
}

// Close closes the mailbox. Senders that wait return [ErrMailboxClosed] at once, and so does every
// Send from now on. Messages in the mailbox can still be received; then every Receive returns
// [ErrMailboxClosed]. A second call has no effect. It does not wait.
func (m *Mailbox[T]) Close() {
	m.mustBeMade()
	m.tail.word.Or(shut) // L5
	m.callSenders()
	m.callReceivers()
}

// IsClosed reports whether the mailbox was closed. So a sender that does not wait can tell a closed
// mailbox from a full one.
func (m *Mailbox[T]) IsClosed() bool { return m.tail.word.Load()&shut != 0 }

// Len returns how many messages the mailbox has. It is a snapshot.
func (m *Mailbox[T]) Len() int {
	h := m.head.word.Load()
	return int(min(length(m.tail.word.Load(), h), m.capacity))
}

// mustBeMade panics for the zero Mailbox. The zero Mailbox never has a message or room. So TrySend
// and TryReceive check only when they find none; Close always checks.
func (m *Mailbox[T]) mustBeMade() {
	if m.capacity == 0 {
		panic("activity: a zero Mailbox; make mailboxes with NewMailbox")
	}
}

// length returns how far tail is ahead of head. It is inexact if the word that was read first has
// changed since.
func length(tail, head uint64) int64 { return int64(tail/step) - int64(head/step) }

func (m *Mailbox[T]) at(position uint64) *slot[T] { return &m.slots[position&uint64(len(m.slots)-1)] }

// fill puts v into the slot of a position that the caller has moved tail past.
func (m *Mailbox[T]) fill(position uint64, v T) {
	s := m.at(position)
	// Wait until the receiver of the round before has emptied the slot.
	for b := (backoff.Backoff{}); s.turn.Load() != position; b.Wait() {
	}
	*s.value.ForWrite() = v
	s.turn.Store(position + 1)
}

// empty takes the message out of the slot of a position that the caller has moved head past.
func (m *Mailbox[T]) empty(position uint64) T {
	s := m.at(position)
	// Wait until the sender of this position has filled the slot.
	for b := (backoff.Backoff{}); s.turn.Load() != position+1; b.Wait() {
	}
	v := s.value.Take()
	s.turn.Store(position + uint64(len(m.slots)))
	return v
}
