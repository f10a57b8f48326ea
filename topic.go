package freerun

import (
	"errors"
	"fmt"
	"slices"

	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// ErrTopicClosed says that a [Topic] was closed before something was published.
var ErrTopicClosed = errors.New("freerun: the topic is closed")

// Source:     our own; copy-on-write lists are folklore (Java's CopyOnWriteArrayList)
// Sketch:     list: an immutable list of subscribers, or the closed one
//             Publish: load list (P1); deliver to each of it, in its order
//             Subscribe: CAS(list: with one more) (S1). Unsubscribe: CAS(list: without it) (U1)
//             Close: CAS(list: closed) (C1); end those that were in it
// Invariants: I1 A list never changes. A subscription is in the list once, or not at all, and does
//             not come back after it has left.
//             I2 closed is final.
//             I3 Each subscription that was added is ended: by who has taken it out of the list, or
//             at once if the list was closed. So the end of one comes once.
// Progress:   lock-free; Publish loads once and waits for nothing but what its subscribers' bounds
//             say
// Linearize:  at P1, S1, U1 and C1; a Subscribe, Unsubscribe or Close without effect at its load
// Cost:       Publish: one load, and a call of a function for each subscriber. The others copy the
//             list
// Checked by: TestExploreTopic…, TestTopic…

// Topic is what is published to all who have subscribed to it: units ([Subscribe],
// [SubscribeNewest]), activities and goroutines ([SubscribeMailbox], [SubscribeChannel]). Each
// subscriber has a bound of its own, and a policy for what comes beyond that ([FullPolicy]).
//
// A subscriber gets what is published by one goroutine, operation or activity in the order of
// publishing. What two publish at the same time, two subscribers may get in different orders: if
// all are to have one order, publish in the operations of one unit. A Publish goes to those who
// have subscribed when it begins; see [Subscription.Unsubscribe] for the other end.
//
// The zero Topic is ready, also as a package variable. It belongs to no runtime, and costs nothing
// while it has no subscribers. Any goroutine may call its methods. A Topic must not be copied after
// first use.
type Topic[A any] struct {
	_     scan.Opaque
	topic topic
}

// topic is the part of a [Topic] that does not depend on what is published.
type topic struct {
	list atomics.Pointer[subscribers]
}

// subscribers is a list of them, which never changes; or that of a closed topic.
type subscribers struct {
	all    []*Subscription
	closed bool
}

// Publish delivers v to all subscribers, one after another in the order in which they have
// subscribed. It returns nil if all of them have it, or will get it in their turn. Otherwise it
// returns a [*PublishError], which names those that have missed it; all others have it. After
// [Topic.Close] it returns [ErrTopicClosed].
//
// A unit is told v as by [Operation.Tell] through c: in the order of all else that c's goroutine
// sends it, in c's scope and with its priority and values; after the futures in v have outcomes;
// and if an operation of a durable unit publishes, once what that has done is kept. Publish waits
// only where a subscriber's policy is [WaitForRoom]: an ordinary goroutine or an activity waits for
// room, until c is done; the unit of an operation is held back after it, or the operation waits as
// in [Context.Block], depending on the subscriber. Through [Context.NoWait] it does not wait.
//
// All subscribers get the same v. What it points to must not be changed. Any goroutine, operation
// or activity may publish. No allocation in steady state, unless a subscriber misses something. It
// panics if c is nil.
func (t *Topic[A]) Publish(c *Context, v A) error {
	c.checked()
	l := t.topic.list.Load() // P1
	if l == nil {
		return nil
	}
	if l.closed {
		return ErrTopicClosed
	}
	var missed *PublishError
	for _, s := range l.all {
		if err := s.deliver.(func(*Context, A) error)(c, v); err != nil {
			missed = missed.with(s, err, len(l.all))
		}
	}
	if missed != nil {
		return missed
	}
	return nil
}

// Close ends the topic: each Publish from now on returns [ErrTopicClosed], all subscriptions end,
// and later ones end at once. What was delivered before comes to the subscribers. A second call has
// no effect. Any goroutine; it does not wait.
func (t *Topic[A]) Close() { t.topic.close() }

// Len returns how many subscribers there are: with none, there is nothing to publish. Any
// goroutine.
func (t *Topic[A]) Len() int { return t.topic.len() }

func (t *topic) len() int {
	if l := t.list.Load(); l != nil {
		return len(l.all)
	}
	return 0
}

func (t *topic) close() {
	for {
		l := t.list.Load()
		if l != nil && l.closed {
			return
		}
		if t.list.CompareAndSwap(l, &subscribers{closed: true}) { // C1
			if l != nil {
				for _, s := range l.all {
					s.end()
				}
			}
			return
		}
	}
}

// add adds a subscription, or ends it at once if the topic is closed. It reports whether it was
// added.
func (t *topic) add(s *Subscription) bool {
	s.of = t
	for {
		l, next := t.list.Load(), &subscribers{}
		if l != nil {
			if l.closed {
				s.end()
				return false
			}
			next.all = slices.Clip(l.all)
		}
		next.all = append(next.all, s)
		if t.list.CompareAndSwap(l, next) { // S1
			return true
		}
	}
}

// remove takes a subscription out of the list, and reports whether it was there.
func (t *topic) remove(s *Subscription) bool {
	for {
		l := t.list.Load()
		if l == nil {
			return false
		}
		at := slices.Index(l.all, s)
		if at < 0 {
			return false
		}
		next := &subscribers{all: slices.Concat(l.all[:at], l.all[at+1:])}
		if t.list.CompareAndSwap(l, next) { // U1
			return true
		}
	}
}

// Subscription is one subscriber's part in a [Topic]. Any goroutine may call its methods; none
// waits. It must not be copied.
type Subscription struct {
	of      *topic
	deliver any // a func(*Context, A) error: returns why v does not come, and counts that
	name    func() string
	ended   func() // nil, or what is to be done once at the end
	missed  atomics.Uint64
}

// Unsubscribe ends the subscription, unless it has ended, and reports whether it did. The
// subscriber gets nothing of a Publish that begins afterwards. One that is under way may still
// reach it, and what was delivered before comes to it. A mailbox of [SubscribeMailbox] is closed.
// Publishers that wait for room in it, or in a channel, go on at once, and have missed nobody;
// those that wait for room of a unit wait on, as in its Tell.
func (s *Subscription) Unsubscribe() bool {
	if !s.of.remove(s) {
		return false
	}
	s.end()
	return true
}

// end is called when the subscription has left the topic. Once.
func (s *Subscription) end() {
	if s.ended != nil {
		s.ended()
	}
}

// noting counts what is missed because of err, if that is an error, and returns it.
func (s *Subscription) noting(err error) error {
	if err != nil {
		s.missed.Add(1)
	}
	return err
}

// Missed returns how much of what was published the subscriber has not got: what was refused, and
// what a newer value has taken the place of ([DropOldest]).
func (s *Subscription) Missed() uint64 { return s.missed.Load() }

// String says who the subscriber is: the operation and the name of its unit, a mailbox or a
// channel.
func (s *Subscription) String() string { return s.name() }

// PublishError says who has missed what was published, and why.
type PublishError struct {
	Subscribers int             // how many there were
	Missed      []*Subscription // those that have missed it
	Errs        []error         // why, of each of them: an [ErrFull], most of the time
}

// with returns the error with one more who has missed it.
func (e *PublishError) with(s *Subscription, err error, of int) *PublishError {
	if e == nil {
		e = &PublishError{Subscribers: of}
	}
	e.Missed, e.Errs = append(e.Missed, s), append(e.Errs, err)
	return e
}

// Error tells how many have missed it, and names the first.
func (e *PublishError) Error() string {
	return fmt.Sprintf("freerun: %d of %d subscribers have missed what was published, the first is %v: %v",
		len(e.Missed), e.Subscribers, e.Missed[0], e.Errs[0])
}

// Unwrap returns the errors of all who have missed it.
func (e *PublishError) Unwrap() []error { return e.Errs }
