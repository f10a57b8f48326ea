package activity

import (
	"context"
	"errors"
	"fmt"
	_ "sync/atomic" // see internal/atomics: what inlines its operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/queue"
)

// ErrMailboxClosed is what a [Mailbox] returns after Close: Send always, Receive once nothing is left.
var ErrMailboxClosed = errors.New("activity: the mailbox is closed")

// Mailbox is a channel with a bound: first in, first out. Send waits while it is full, Receive while it is empty, and those who wait are served in the order in which
// they came: who receives takes the message that waits longest with it, so neither side needs the other one to run for each message.
//
// Activities and ordinary goroutines may call its methods. It is made by [NewMailbox], and must not be copied. What was received is not retained. A call that does not
// have to wait costs two compare-and-swaps; one that has to, an allocation and a switch. See desk.go for what becomes of calls that meet.
type Mailbox[T any] struct {
	desk   desk
	length atomics.RelaxedUint64 // how many messages there are; written at the desk

	// whoever is at the desk
	ring      []T
	first     int // of those in the ring
	closed    bool
	senders   queue.Chain // parcels; empty if there is room
	receivers queue.Chain // parcels; empty if there is a message
	waiting   int         // how many are in both, and how many of those have given up, at least
	gone      int
}

// parcel is a call that waits: to give a message, or to get one. Those that say nothing of both tidy up, or close.
type parcel[T any] struct {
	queue.Node // at the desk; then in senders or receivers
	mailbox    *Mailbox[T]
	what       what
	waiter     *Waiter
	value      T
	closed     bool // instead of being given, or of getting something
}

type what uint8

const (
	give what = iota
	get
	tidy
	shut
)

// NewMailbox returns an empty mailbox for at most capacity messages. It panics if capacity is less than 1.
func NewMailbox[T any](capacity int) *Mailbox[T] {
	if capacity < 1 {
		panic(fmt.Sprintf("activity: NewMailbox(%d), which must be 1 at least", capacity))
	}
	return &Mailbox[T]{ring: make([]T, capacity)}
}

// Send adds v, and waits while there is no room. It returns nil exactly if it has added v: otherwise [ErrMailboxClosed], or why it did not
// wait any longer (see the package's documentation). A call that need not wait does not look at ctx.
func (m *Mailbox[T]) Send(ctx context.Context, v T) error {
	if m.desk.sit() {
		sent, closed := m.put(v), m.closed
		m.leave()
		if sent {
			return nil
		}
		if closed {
			return ErrMailboxClosed
		}
	}
	p := &parcel[T]{mailbox: m, what: give, value: v}
	return p.wait(ctx)
}

// Receive removes and returns the oldest message, and waits while there is none. The error is [ErrMailboxClosed] if the mailbox is closed
// and nothing is left in it, or says why it did not wait any longer (see the package's documentation); then it has taken nothing. A call that need not wait does
// not look at ctx.
func (m *Mailbox[T]) Receive(ctx context.Context) (v T, err error) {
	if m.desk.sit() {
		v, received := m.take()
		closed := m.closed
		m.leave()
		if received {
			return v, nil
		}
		if closed {
			return v, ErrMailboxClosed
		}
	}
	p := &parcel[T]{mailbox: m, what: get}
	err = p.wait(ctx)
	return p.value, err
}

// TrySend adds v if there is room and the mailbox is open, and reports whether it did. It never waits for others but for those in the midst of such a call.
func (m *Mailbox[T]) TrySend(v T) bool {
	m.desk.sitDown()
	defer m.leave()
	return m.put(v)
}

// TryReceive removes and returns the oldest message if there is one, and reports whether it did. It never waits for others but for those in the midst of such a
// call.
func (m *Mailbox[T]) TryReceive() (v T, ok bool) {
	m.desk.sitDown()
	defer m.leave()
	return m.take()
}

// Close closes the mailbox: nothing more is added, what is in it can be received, and then every Receive returns [ErrMailboxClosed]. Who waits in Send is
// told at once. To close it again does nothing. It does not wait.
func (m *Mailbox[T]) Close() { m.ask(&parcel[T]{mailbox: m, what: shut}) }

// Len returns how many messages there are. It is a snapshot.
func (m *Mailbox[T]) Len() int { return int(m.length.Load()) }

// wait waits until the parcel is given, or got.
func (p *parcel[T]) wait(ctx context.Context) error {
	if err := waitIn(ctx, 0, p); err != nil {
		p.mailbox.ask(&parcel[T]{mailbox: p.mailbox, what: tidy})
		return err
	}
	if p.closed {
		return ErrMailboxClosed
	}
	return nil
}

func (p *parcel[T]) enter(w *Waiter) {
	p.waiter = w
	p.mailbox.ask(p)
}

// ask does what p asks for, or leaves it for whoever is at the desk.
func (m *Mailbox[T]) ask(p *parcel[T]) {
	if m.desk.request(&p.Node) {
		m.do(p)
		m.leave()
	}
}

// leave does what was left at the desk, and leaves it.
func (m *Mailbox[T]) leave() {
	for n := m.desk.rise(); n != nil; n = m.desk.rise() {
		for n != nil {
			p := parcelOf[T](n)
			n = n.Next()
			m.do(p)
		}
	}
}

func parcelOf[T any](n *queue.Node) *parcel[T] { return (*parcel[T])(unsafe.Pointer(n)) }

// The rest is done at the desk.

func (m *Mailbox[T]) do(p *parcel[T]) {
	p.Link(nil)
	switch p.what {
	case give:
		m.doGive(p)
	case get:
		m.doGet(p)
	case tidy:
		m.doTidy()
	case shut:
		m.doShut()
	}
}

func (m *Mailbox[T]) doGive(p *parcel[T]) {
	switch {
	case !m.closed && m.isFull():
		m.waiting++
		m.senders.PushBack(&p.Node)
	case p.waiter.claim():
		p.closed = !m.put(p.value)
		p.waiter.wake()
	}
}

func (m *Mailbox[T]) doGet(p *parcel[T]) {
	switch {
	case !m.closed && m.count() == 0:
		m.waiting++
		m.receivers.PushBack(&p.Node)
	case p.waiter.claim():
		v, ok := m.take()
		p.value, p.closed = v, !ok
		p.waiter.wake()
	}
}

// doTidy drops those who have given up, once they are as many as the others.
func (m *Mailbox[T]) doTidy() {
	if m.gone++; 2*m.gone <= m.waiting {
		return
	}
	m.gone, m.waiting = 0, 0
	for _, all := range []*queue.Chain{&m.senders, &m.receivers} {
		var left queue.Chain
		for n := all.PopFront(); n != nil; n = all.PopFront() {
			if !parcelOf[T](n).waiter.isOver() {
				m.waiting++
				left.PushBack(n)
			}
		}
		*all = left
	}
}

// doShut closes the mailbox. Whoever waits in Receive waits for a message, of which there is none.
func (m *Mailbox[T]) doShut() {
	m.closed = true
	for _, all := range []*queue.Chain{&m.senders, &m.receivers} {
		for p := m.next(all); p != nil; p = m.next(all) {
			p.closed = true
			p.waiter.wake()
		}
	}
}

// next takes the first of those who wait that has not given up, and claims it; nil if there is none.
func (m *Mailbox[T]) next(all *queue.Chain) *parcel[T] {
	for n := all.PopFront(); n != nil; n = all.PopFront() {
		m.waiting--
		if p := parcelOf[T](n); p.waiter.claim() {
			return p
		}
		m.gone--
	}
	return nil
}

func (m *Mailbox[T]) count() int { return int(m.length.Load()) }

func (m *Mailbox[T]) isFull() bool { return m.count() == len(m.ring) }

// put adds v, or gives it to one who waits for it; false if there is no room, or the mailbox is closed.
func (m *Mailbox[T]) put(v T) bool {
	if m.closed || m.isFull() {
		return false
	}
	if p := m.next(&m.receivers); p != nil {
		p.value = v
		p.waiter.wake()
		return true
	}
	m.add(v)
	return true
}

// take removes the oldest message, and adds one that waits for room; false if there is none.
func (m *Mailbox[T]) take() (v T, ok bool) {
	n := m.count()
	if n == 0 {
		return v, false
	}
	slot := &m.ring[m.first]
	v = *slot
	*slot = *new(T)
	m.first = m.after(1)
	m.length.Store(uint64(n - 1))
	if p := m.next(&m.senders); p != nil {
		m.add(p.value)
		p.waiter.wake()
	}
	return v, true
}

func (m *Mailbox[T]) add(v T) {
	n := m.count()
	m.ring[m.after(n)] = v
	m.length.Store(uint64(n + 1))
}

// after returns the index that is so many behind the first one.
func (m *Mailbox[T]) after(n int) int {
	if n += m.first; n >= len(m.ring) {
		n -= len(m.ring)
	}
	return n
}
