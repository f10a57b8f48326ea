package activity

import "context"

// sending is a Send that waits: for room, where it is found with its message.
type sending[T any] struct {
	m      *Mailbox[T]
	v      T
	closed bool // it was not sent; written before it is woken
}

func (p *sending[T]) wait(ctx context.Context) error {
	if err := p.m.room.line.get().wait(ctx, 1, p); err != nil {
		return err
	}
	if p.closed {
		return ErrMailboxClosed
	}
	return nil
}

func (p *sending[T]) enter(w *Waiter) {
	w.parcel = p
	p.m.room.enter(w)
}

func (p *sending[T]) admit(l *line) { p.m.room.admit(l) }

// deliver sends the message, for which room was taken.
func (p *sending[T]) deliver() {
	if p.m.room.isEnded() {
		p.closed = true
		p.m.giveRoom()
	} else {
		p.m.add(p.v)
	}
}

// receiving is a Receive that waits: for a message, which is put into it.
type receiving[T any] struct {
	m      *Mailbox[T]
	v      T
	closed bool // nothing was left; written before it is woken
}

func (p *receiving[T]) wait(ctx context.Context) error {
	if err := p.m.items.line.get().wait(ctx, 1, p); err != nil {
		return err
	}
	if p.closed {
		return ErrMailboxClosed
	}
	return nil
}

func (p *receiving[T]) enter(w *Waiter) {
	w.parcel = p
	p.m.items.enter(w)
}

func (p *receiving[T]) admit(l *line) { p.m.items.admit(l) }

// deliver receives a message, which was taken of items.
func (p *receiving[T]) deliver() {
	if p.m.items.isEnded() {
		p.closed = true
	} else {
		p.v = p.m.remove()
	}
}
