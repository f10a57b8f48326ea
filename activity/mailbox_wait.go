package activity

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
)

// pendingSend is a Send that waits, with its message. It is the wait point in the queue of
// senders.
type pendingSend[T any] struct {
	m      *Mailbox[T]
	v      T
	closed bool // the mailbox is closed; the message was not handed over
}

// pendingReceive is a Receive that waits.
type pendingReceive[T any] pendingSend[T]

func (m *Mailbox[T]) send(ctx context.Context, v T) error {
	p := &pendingSend[T]{m: m, v: v}
	if err := m.tail.queue.wait(ctx, 0, p); err != nil {
		return err
	}
	if p.closed {
		return ErrMailboxClosed
	}
	return nil
}

func (m *Mailbox[T]) receive(ctx context.Context) (v T, err error) {
	p := &pendingReceive[T]{m: m}
	if err := m.head.queue.wait(ctx, 0, p); err != nil {
		return v, err
	}
	if p.closed {
		return v, ErrMailboxClosed
	}
	return p.v, nil
}

func (p *pendingSend[T]) enter(w *Waiter) {
	w.pending = p
	p.m.tail.queue.enter(w, p)
}

func (p *pendingReceive[T]) enter(w *Waiter) {
	w.pending = p
	p.m.head.queue.enter(w, p)
}

func (p *pendingSend[T]) admit(l *waitQueue)    { p.m.admitSenders(l) }
func (p *pendingReceive[T]) admit(l *waitQueue) { p.m.admitReceivers(l) }

// senders and receivers are the admitters of the two queues, for callers that do not wait.
type (
	senders[T any]   Mailbox[T]
	receivers[T any] Mailbox[T]
)

func (s *senders[T]) admit(l *waitQueue)   { (*Mailbox[T])(s).admitSenders(l) }
func (r *receivers[T]) admit(l *waitQueue) { (*Mailbox[T])(r).admitReceivers(l) }

// callSenders serves the waiting senders. The caller has made room, or has closed the mailbox.
func (m *Mailbox[T]) callSenders() {
	if m.tail.word.Load()&queued != 0 {
		m.tail.queue.serve((*senders[T])(m))
	}
}

// callReceivers serves the waiting receivers, after there may be a message.
func (m *Mailbox[T]) callReceivers() {
	if m.head.word.Load()&queued != 0 {
		m.head.queue.serve((*receivers[T])(m))
	}
}

// stand sets queued if w, the head of the queue, is not nil, and clears it otherwise. It returns
// the word, and whether queued is set. Only the server of the queue calls it.
func (s *side) stand(w *Waiter) (word uint64, does bool) {
	for {
		word := s.word.Load()
		want := word &^ queued
		if w != nil {
			want |= queued
		}
		if word == want || s.word.CompareAndSwap(word, want) {
			return want, w != nil
		}
	}
}

func (m *Mailbox[T]) admitSenders(l *waitQueue) {
	for {
		w := l.head()
		t, does := m.tail.stand(w)
		if !does || t&shut == 0 && length(t, m.head.word.Load()) >= m.capacity {
			return
		}
		l.pop()
		if !w.claim() {
			continue
		}
		p := w.pending.(*pendingSend[T])
		w.pending = nil
		// L2 fails only if the mailbox was closed after t was read.
		if t&shut != 0 || !m.tail.word.CompareAndSwap(t, t+step) { // L2
			p.closed = true
			w.wake()
			continue
		}
		m.fill(t/step, p.v)
		w.wake()
		m.callReceivers()
	}
}

func (m *Mailbox[T]) admitReceivers(l *waitQueue) {
	for {
		w := l.head()
		h, does := m.head.stand(w)
		if !does {
			return
		}
		t := m.tail.word.Load()
		n := length(t, h)
		if n == 0 && t&shut == 0 {
			return
		}
		l.pop()
		if !w.claim() {
			continue
		}
		p := w.pending.(*pendingReceive[T])
		w.pending = nil
		if n == 0 {
			p.closed = true
			w.wake()
			continue
		}
		m.head.word.Add(step) // L4
		p.v = m.empty(h / step)
		w.wake()
		m.callSenders()
	}
}
