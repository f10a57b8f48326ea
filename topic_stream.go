package freerun

import (
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// SubscribeMailbox subscribes with a mailbox of the given capacity, from which activities and
// ordinary goroutines receive what is published in t ([activity.Mailbox.Receive]). full says what
// becomes of what is published while the mailbox is full:
//
//   - [Reject]: the mailbox misses it, and Publish tells.
//   - [DropOldest]: it takes the place of the oldest.
//   - [WaitForRoom]: the publisher waits, in line, until its context is done. An operation waits as
//     in [Context.Block], and its unit with it. In a deterministic runtime an operation does not
//     wait, and Publish tells.
//
// The mailbox is closed when the subscription ends; what is in it can be received then. The
// receiver may close it, too: that ends the subscription at the next Publish that finds no room.
// What a durable unit publishes comes once it is kept, and misses a full mailbox rather than wait.
// If t is closed, so is the mailbox. Any goroutine may call it; it does not wait. It panics if
// capacity is less than 1, or full is no policy.
func SubscribeMailbox[A any](t *Topic[A], capacity int, full FullPolicy) (*activity.Mailbox[A], *Subscription) {
	m := activity.NewMailbox[A](capacity)
	s := &Subscription{name: func() string { return "a mailbox" }, ended: m.Close}
	subscribeBuffer(t, s, buffer{
		full:   full.checked(),
		drop:   func() bool { _, ok := m.TryReceive(); return ok },
		closed: m.IsClosed,
	}, m.TrySend, func(c *Context, v A) error {
		err := m.Send(c, v) // as an activity, or a goroutine of the program
		if errors.Is(err, ErrWouldBlock) {
			return c.here().env.blockFor(c, func() error { return elsewhere(func() error { return m.Send(c, v) }) })
		}
		return err
	})
	return m, s
}

// errUnsubscribed ends a wait for a channel whose subscription has ended.
var errUnsubscribed = errors.New("freerun: the subscription has ended")

// elsewhere calls fn on a goroutine that may wait, and waits for it.
func elsewhere(fn func() error) error {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	return <-done
}

// SubscribeChannel subscribes with a channel of the program. full says what becomes of what is
// published while the channel is full, as for [SubscribeMailbox]; an activity waits as an operation
// does. The topic never closes the channel, and the program must not while a Publish may be under
// way: the goroutine that receives hears of the end by other means, or has a mailbox. Any goroutine
// may call it; it does not wait. It panics if ch is nil, if full is no policy, or if it is
// [DropOldest] and the channel has no buffer.
func SubscribeChannel[A any](t *Topic[A], ch chan A, full FullPolicy) *Subscription {
	switch {
	case ch == nil:
		panic("freerun: SubscribeChannel without a channel")
	case full == DropOldest && cap(ch) == 0:
		panic("freerun: DropOldest with a channel without a buffer, which has no oldest")
	}
	gone := make(chan struct{})
	s := &Subscription{name: func() string { return "a channel" }, ended: func() { close(gone) }}
	subscribeBuffer(t, s, buffer{
		full: full.checked(),
		drop: func() bool {
			select {
			case <-ch:
				return true
			default:
				return false
			}
		},
		closed: func() bool {
			select {
			case <-gone:
				return true
			default:
				return false
			}
		},
	}, func(v A) bool {
		select {
		case ch <- v:
			return true
		default:
			return false
		}
	}, func(c *Context, v A) error {
		return c.here().env.blockFor(c, func() error {
			select {
			case ch <- v:
				return nil
			case <-gone:
				return errUnsubscribed
			case <-c.Done():
				return c.Err()
			}
		})
	})
	return s
}

// checked panics unless full is a policy that subscribers may have.
func (full FullPolicy) checked() FullPolicy {
	if full != Reject && full != WaitForRoom && full != DropOldest {
		panic("freerun: a subscriber needs Reject, WaitForRoom or DropOldest")
	}
	return full
}

// buffer is what a subscriber takes what is published out of, as far as that does not matter.
type buffer struct {
	full   FullPolicy
	drop   func() bool // takes the oldest out, if there is one
	closed func() bool // whether the receiver has closed the buffer, or the subscription has ended
}

// subscribeBuffer adds s with a buffer. try puts a value into it if there is room, wait when there
// is.
func subscribeBuffer[A any](t *Topic[A], s *Subscription, b buffer, try func(v A) bool, wait func(c *Context, v A) error) {
	put := func(c *Context, v A) error {
		if try(v) {
			return nil
		}
		return b.overflow(s, c, func() bool { return try(v) }, func() error { return wait(c, v) })
	}
	s.deliver = func(c *Context, v A) error {
		if w := c.here(); w.keeping() != nil {
			return w.keepPublication(func(c *Context) error { return put(c, v) })
		}
		return put(c, v)
	}
	t.topic.add(s)
}

// overflow puts a value into the buffer of s as its policy says. try has found no room.
func (b *buffer) overflow(s *Subscription, c *Context, try func() bool, wait func() error) error {
	for r := (backoff.Backoff{}); ; r.Retry() {
		switch {
		case b.closed():
			s.Unsubscribe()
			return nil
		case b.full == WaitForRoom && !c.sender.noWait:
			err := wait()
			if err != nil && b.closed() {
				continue
			}
			return s.noting(err)
		case b.full != DropOldest:
			return s.noting(&subscriberFull{s})
		}
		if b.drop() {
			s.missed.Add(1)
		}
		if try() {
			return nil
		}
	}
}

// subscriberFull is the [ErrFull] of a subscriber without a unit.
type subscriberFull struct{ s *Subscription }

func (e *subscriberFull) Error() string { return fmt.Sprintf("freerun: %v of a topic is full", e.s) }

// Is reports whether target is ErrFull.
func (*subscriberFull) Is(target error) bool { return target == ErrFull }

// keepPublication has put called once the outcome of the operation is known that runs on w, and is
// kept back.
func (w *worker) keepPublication(put func(c *Context) error) error {
	w.keep(&keptPublication{w.rt, put})
	return nil
}

// keptPublication is what an operation publishes, which is kept until its outcome is known.
type keptPublication struct {
	rt  *Runtime
	put func(c *Context) error
}

func (g *keptPublication) open(*worker) {
	g.put(g.rt.context.NoWait()) // what is missed is counted
}

func (g *keptPublication) withdraw(*worker) {}
