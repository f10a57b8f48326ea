package activity

import (
	"context"
	"errors"
	"fmt"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/room"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// ErrMailboxClosed is what a [Mailbox] returns after Close: Send always, Receive once nothing is left.
var ErrMailboxClosed = errors.New("activity: the mailbox is closed")

// Source:     the ring is D. Vyukov's bounded MPMC queue, 2010 (see package queue). Ours: each position is a word that tells as well whether somebody waits on that side, and
//             whether it is closed, so that one CAS decides all; who makes room puts the message in that waits for it, and who brings one puts it into the hands of
//             who waits for one
// Sketch:     tail, head: position, stands (somebody is in the side's line), and, of tail, shut
//             Send:    tail stands or is shut, or tail-head is the capacity: wait;  else CAS(tail: +1); fill the slot; head stands? serve its line
//             Receive: head stands, or tail is head: wait;  else CAS(head: +1); empty the slot; tail stands? serve its line
//             admit:   set stands by the head of the line; room? pop, claim, tail += 1, fill the slot with what it brings, wake; the other side stands? serve it
//             Close:   tail |= shut; serve both lines; from then on senders are refused, and receivers once tail is head
// Invariants: I1 head ≤ tail ≤ head+capacity. I2 while a side stands, its position is moved by who serves its line only: nobody is overtaken, and what was
//             found to be there stays. I3 while a side does not stand, who has entered its line is about to serve it. I4 the slot of a position belongs to who has
//             moved tail, or head, past it until its turn is written. I5 a tail that is shut does not move: so shut and tail = head is final.
// Progress:   no call waits for another one but in the midst of the same slot, as in [queue.MPMC], and, to be admitted, for who serves its line
// Linearize:  Send at L1, or L2 by who admits it; Receive at L3 or L4; full and empty where the second of the two words is read; Close at L5
// Publish:    a slot's value is written before turn is stored, and read after it is loaded. Whoever moves a position looks afterwards whether the other side stands, and who
//             lets a side stand looks at the other position afterwards: one of the two sees the other
// Cost:       a CAS and a release for each of the two; a call that waits allocates 1 or 2 objects
// Checked by: TestMailbox…, TestExploreMailbox…

// Mailbox is a channel with a bound: first in, first out. Send waits while it is full, Receive while it is empty, and those who wait are admitted in the order in which
// they came; nobody overtakes them.
//
// Activities and ordinary goroutines may call its methods. It is made by [NewMailbox], and must not
// be copied; the zero value panics. What was received is not retained.
type Mailbox[T any] struct {
	capacity int64
	slots    []slot[T] // a power of two of them, 2 at least

	_    pad.Line
	tail side // of senders
	_    pad.Line
	head side // of receivers
	_    pad.Line
}

// side is one end of a mailbox.
type side struct {
	word  atomics.Uint64
	queue waitQueue
}

const (
	queued uint64 = 1 << iota // somebody is in the line
	shut                      // of tail: the mailbox is closed
	step                      // of the position
)

// slot is the place of a message.
type slot[T any] struct {
	turn  atomics.Release[uint64] // the position that may be filled, or one more when it is filled
	value atomics.Plain[T]
}

// NewMailbox returns an empty mailbox for at most capacity messages. It panics if capacity is less
// than 1, or the messages have more than a terabyte.
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

// Send adds v, and waits while there is no room, or others wait for it. It returns nil exactly if it has added v: otherwise [ErrMailboxClosed], or why it did not
// wait any longer (see the package's documentation). A call that need not wait does not look at ctx.
func (m *Mailbox[T]) Send(ctx context.Context, v T) error {
	if m.TrySend(v) {
		return nil
	}
	if m.tail.word.Load()&shut != 0 {
		return ErrMailboxClosed
	}
	return m.send(ctx, v)
}

// TrySend adds v if there is room, nobody waits for it, and the mailbox is open, and reports whether it did. It never waits.
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

// Receive removes and returns the oldest message, and waits while there is none, or others wait for one. The error is [ErrMailboxClosed] if the mailbox is closed
// and nothing is left in it, or says why it did not wait any longer (see the package's documentation); then it has taken nothing. A call that need not wait does
// not look at ctx.
func (m *Mailbox[T]) Receive(ctx context.Context) (v T, err error) {
	if v, ok := m.TryReceive(); ok {
		return v, nil
	}
	if t := m.tail.word.Load(); t&shut != 0 && length(t, m.head.word.Load()) == 0 {
		return v, ErrMailboxClosed
	}
	return m.receive(ctx)
}

// TryReceive removes and returns the oldest message if there is one and nobody waits, and reports whether it did. It never waits.
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

// Close closes the mailbox: nothing more is added, what is in it can be received, and then every Receive returns [ErrMailboxClosed]. Who waits in Send is
// told at once. To close it again does nothing. It does not wait.
func (m *Mailbox[T]) Close() {
	m.mustBeMade()
	m.tail.word.Or(shut) // L5
	m.callSenders()
	m.callReceivers()
}

// Len returns how many messages there are. It is a snapshot.
func (m *Mailbox[T]) Len() int {
	h := m.head.word.Load()
	return int(min(length(m.tail.word.Load(), h), m.capacity))
}

// mustBeMade panics for the zero Mailbox, in which there is never a message, and never room: so it
// is enough to ask where there is none.
func (m *Mailbox[T]) mustBeMade() {
	if m.capacity == 0 {
		panic("activity: a zero Mailbox; make mailboxes with NewMailbox")
	}
}

// length returns how many positions tail is ahead of head; not exactly that if one of the two was read long ago.
func length(tail, head uint64) int64 { return int64(tail/step) - int64(head/step) }

func (m *Mailbox[T]) at(position uint64) *slot[T] { return &m.slots[position&uint64(len(m.slots)-1)] }

// fill puts v into the slot of a position, past which the caller has moved tail.
func (m *Mailbox[T]) fill(position uint64, v T) {
	s := m.at(position)
	for b := (backoff.Backoff{}); s.turn.Load() != position; b.Wait() { // until who empties it has done so
	}
	*s.value.ForWrite() = v
	s.turn.Store(position + 1)
}

// empty takes the message out of the slot of a position, past which the caller has moved head.
func (m *Mailbox[T]) empty(position uint64) T {
	s := m.at(position)
	for b := (backoff.Backoff{}); s.turn.Load() != position+1; b.Wait() { // until who fills it has done so
	}
	v := s.value.Take()
	s.turn.Store(position + uint64(len(m.slots)))
	return v
}
