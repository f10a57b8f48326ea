package freerun

import (
	"context"
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// FullPolicy says what happens to a message for a unit whose mailbox is full. See [MailboxLimit].
type FullPolicy uint8

const (
	// Reject fails the message with [ErrFull]: the future of a Send fails, a Tell returns it. A
	// message that had to wait for futures finds out when they are resolved.
	Reject FullPolicy = iota + 1
	// WaitForRoom makes ordinary goroutines wait for room. Send and Tell wait until Done of the
	// context that they send through is closed; Call also until its own context is done.
	//
	// A unit that sends is held back: its message is taken, and is above the limit then, but the
	// unit runs no further operation before the full mailbox has gone down to half of its limit.
	// No processor waits. Meanwhile its own mailbox fills up; if that has a limit too, those that
	// send to it are held back in turn. So in a chain of units that all have limits each mailbox
	// holds at most its limit, and for each unit that sends to it what one of its operations sends.
	// Units that send to each other in a circle cannot come to a standstill: the unit that would
	// close a circle of units that are held back is not held back, and then its sends are not
	// bounded. Nor are they where more than 100 are held back one for another.
	//
	// Not held back are free operations, operations on several units, operations that only look at
	// a unit, the sends of stolen branches of a join, operations that have left their processor
	// ([Context.Block]), and the senders of messages that had to wait for futures.
	WaitForRoom
	// DropOldest is for subscribers of a [Topic]: what is published takes the place of the oldest
	// that the subscriber has not come to. No mailbox of a unit has it: what was told to a unit
	// runs.
	DropOldest
)

// MailboxLimit limits a unit's mailbox to most messages that are ready and not yet started, and
// says what happens when it is full. It panics if most is less than 1, or full is neither Reject
// nor WaitForRoom. Without a limit a mailbox takes all that is sent.
//
// A message that will not be run, because its [Operation.Call] has given up or its scope was
// canceled, keeps its place until the unit comes to it. So choose most with room for all that is
// sent while the unit's longest operation runs, also by callers that give up meanwhile. With less,
// a mailbox may be full of messages for which no caller waits any more, and refuse the next one.
//
// A send to a unit with a limit costs one more compare-and-swap, and the start of an operation
// another.
func MailboxLimit(most int, full FullPolicy) UnitOption {
	if most < 1 {
		panic(fmt.Sprintf("freerun: MailboxLimit with room for %d messages; it needs at least 1", most))
	}
	if full != Reject && full != WaitForRoom {
		panic("freerun: MailboxLimit needs Reject or WaitForRoom; DropOldest is for subscribers of a Topic")
	}
	return UnitOption{func(x *unitExt, _ reflect.Type) {
		x.limit = &mailboxLimit{most: int64(most), full: full, room: make(chan struct{}, 1)}
	}}
}

// Source:     the notices of internal/magazine/mark.go; for muted units S. Clebsch, S.
//             Drossopoulou, S. Blessing and A. McNeil's Pony, whose runtime mutes the senders to an
//             overloaded actor, and to a muted one (ponyrt, mailbox backpressure)
// Sketch:     send: count+1, if there is room or the sender may not wait; over goes up in the same
//             step if that is above the limit
//             take out: count−1; over goes down in the same step at half of the limit; then tell
//             one goroutine that waits, and release all units that are muted
//             mute X for Y: X.held = h (H1); Y.muted += h (H2); release all of Y if Y is not over
//             (H3); release h if Y waits for X, going from held to held (H4); a unit released for
//             room is muted for the next mailbox
//             release all: take Y.muted; put them back if Y is over again, and look once more if it
//             is not
// Invariants: I1 over goes up with the message that is above the limit, and goes down with the
//             message that leaves half of it. While over is up, count was never at or below half of
//             the limit.
//             I2 The mute of a muted unit is in the list muted of a mailbox that is over, or a
//             goroutine is about to release the unit.
//             I3 Muted units do not wait for each other in a circle, or a goroutine is about to
//             release one. The H1 of one of them is the last; its H4 comes later, and finds all the
//             others, unless one was released meanwhile.
//             I4 While a unit lies still for a message to several units, for its activation or by a
//             Suspend, stalled is up, and no unit is muted for its mailbox, or a goroutine is about
//             to release the units that are.
//             I5 When a unit is released for room, over has gone down since the unit's last message
//             that was above the limit.
//             From I2, I3 and I4: a muted unit waits, perhaps through others, for a unit that runs,
//             or will after a back-off, and that goes down to half of its limit, because its
//             operations wait for nothing. From I1 and I5: between the time that over goes up and
//             the time that it goes down, no sender runs a second operation after one that went
//             above the limit. So count stays within the limit and one operation's sends for each
//             sender. Excepted are senders that I3 and I4 release, and senders that are never muted
//             (see WaitForRoom).
// Progress:   admit from outside waits if it is allowed to. All else is lock-free: a
//             compare-and-swap fails because another one took effect; mutes are put back because a
//             mailbox filled up in between, by senders that run on.
// Publish:    a mute's unit and on are written before the mute is stored in held, and added to
//             muted
// ABA/memory: a mute is made for each time that a unit is muted, and released once; a mute that is
//             left in a list does no harm
// Cost:       one compare-and-swap a message on either side; a mute is an allocation, and a look at
//             each unit that is muted further on
// Checked by: TestExploreMailboxLimit…, TestMailbox…

// mailboxLimit is the limit of a mailbox.
type mailboxLimit struct {
	most int64
	full FullPolicy
	none *fullError // the error of Reject
	// asked is the error for senders that do not wait ([Context.NoWait]), once made.
	asked atomics.Pointer[fullError]

	fill    atomics.Int64 // see filling
	peak    atomics.Int64
	waiting atomics.Int32 // ordinary goroutines that wait for room
	room    chan struct{}
	line    atomics.Pointer[roomLine]     // of those that asked for room; nil before the first
	ended   atomics.Pointer[StoppedError] // not nil while the unit is stopped; for line
	muted   mailbox.Inbox                 // the mutes of units that are muted for this mailbox
	// stalled says that the unit lies still for a message to several units, while its state is
	// made, or by a Suspend. One of those units, or one that the state waits for, may be muted, so
	// no unit is muted for this mailbox meanwhile. It is not set after a restart: unit_backoff.go.
	stalled atomics.Bool
}

// filling is twice the number of messages in a mailbox, plus one while the mailbox is over: it was
// above the limit, and has not gone down to half of the limit since.
type filling int64

func (f filling) count() int64 { return int64(f >> 1) }
func (f filling) over() bool   { return f&1 != 0 }

const (
	oneMore filling = 2
	above   filling = 1
)

func (b *mailboxLimit) filling() filling { return filling(b.fill.Load()) }

func (b *mailboxLimit) change(from, to filling) bool {
	return b.fill.CompareAndSwap(int64(from), int64(to))
}

// admit takes a place in the mailbox for a message, or returns why there is none. from is as in
// [unit.deliver].
func (b *mailboxLimit) admit(w *worker, m *message, from *sender) error {
	switch {
	case from == placedSender || b.tryTake():
		return nil
	case from != nil && from.noWait:
		return b.refusal()
	case b.full == Reject:
		return b.none
	// Only an outsider waits: an operation that blocks may be what the receiver waits for.
	case from != nil && w.standing() == outsider:
		return b.await(m, from)
	}
	b.exceed()
	if from != nil {
		w.press(m.unit)
	}
	return nil
}

// mayKeepSendersWaiting reports whether an ordinary goroutine that sends to the unit may have to
// wait for room.
func (u *unit) mayKeepSendersWaiting() bool {
	x := u.ext.Load()
	return x != nil && x.limit != nil && x.limit.full == WaitForRoom
}

// refusal returns the error for a sender that does not wait.
func (b *mailboxLimit) refusal() error {
	if e := b.asked.Load(); e != nil {
		return e
	}
	e := *b.none
	e.noWait = true
	b.asked.CompareAndSwap(nil, &e)
	return b.asked.Load()
}

// isFull reports whether there is no place.
func (b *mailboxLimit) isFull() bool { return b.filling().count() >= b.most }

// tryTake takes a place if there is one.
func (b *mailboxLimit) tryTake() bool {
	for {
		f := b.filling()
		if f.count() >= b.most {
			return false
		}
		if b.change(f, f+oneMore) {
			b.rise(f.count() + 1)
			return true
		}
	}
}

// sender has what a send needs to know of its goroutine when it waits for room. A dispatch after
// the send, by another goroutine, has none.
type sender struct {
	// ctx limits the sender's wait for room: the context of a Call, unlinked. It is nil for other
	// senders, whose wait has no limit of this kind.
	ctx    context.Context
	gaveUp bool // the sender has waited for room until ctx was done
	noWait bool // the sender does not wait, and is not held back: [Context.NoWait]
}

// anySender stands for all senders that are not in Call.
var anySender = &sender{}

// ownSender stands for the runtime itself, which stops a unit at the end. No route is asked.
var ownSender = &sender{}

// passedSender stands for a route that passes a message on to the unit. It is not asked again.
var passedSender = &sender{}

// placedSender stands for a sender that has taken the message's place in the mailbox.
var placedSender = &sender{}

// context returns the context that limits the sender's wait for room.
func (f *sender) context() context.Context {
	if f.ctx == nil {
		return context.Background()
	}
	return f.ctx
}

// over returns the error of the end that keeps m from waiting for room any longer, nil if m may
// wait.
//
// One end causes others: the end of the runtime ends its scopes; the end of a scope ends the
// contexts that are derived from the scope's context. over checks the causes first, so the error
// does not depend on which of them the sender hears of first.
func (f *sender) over(m *message) error {
	if m.unit.rt.phase.Load() >= aborting {
		return ErrClosed
	}
	if err := m.canceled(); err != nil || f.context().Err() == nil {
		return err
	}
	f.gaveUp = true
	return &canceledError{Cause: context.Cause(f.ctx)}
}

// await waits for a place. No room is missed: the sender counts itself as waiting before it looks
// again, and the owner makes room before it looks for a sender that waits.
//
// An end makes room too: it ends the operation for which the mailbox waits, and fails what is
// queued. So a sender that has found room after an end gives it back, and returns the error of the
// end.
func (b *mailboxLimit) await(m *message, from *sender) error {
	if err := b.awaitPlace(m, from); err != nil {
		return err
	}
	if err := from.over(m); err != nil {
		b.takeOut()
		return err
	}
	return nil
}

// awaitPlace is await without the look at what came first, room or an end.
func (b *mailboxLimit) awaitPlace(m *message, from *sender) error {
	rt, ctx := m.unit.rt, from.context()
	if waited, err := rt.env.awaitPlace(b, m, from); waited {
		return err
	}
	var canceled <-chan struct{}
	if s := m.lineage.Load().keyOf().scopeOf(); s != nil {
		canceled = s.ctx.Done()
	}
	b.waiting.Add(1)
	defer b.waiting.Add(-1)
	for !b.tryTake() {
		select {
		case <-b.room:
			continue
		case <-canceled:
		case <-ctx.Done():
		case <-rt.ctx.Done():
		}
		return from.over(m) // the error of the first cause, of whichever end the sender has heard
	}
	if b.waiting.Load() > 1 && b.filling().count() < b.most {
		// There is more room than this sender was told of: tell the next.
		b.tell()
	}
	return nil
}

// exceed takes a place even if there is none.
func (b *mailboxLimit) exceed() {
	for {
		f := b.filling()
		to := f + oneMore
		if to.count() > b.most {
			to |= above
		}
		if !b.change(f, to) {
			continue
		}
		b.rise(to.count())
		return
	}
}

// rise raises the peak to n.
func (b *mailboxLimit) rise(n int64) {
	for {
		peak := b.peak.Load()
		if n <= peak || b.peak.CompareAndSwap(peak, n) {
			return
		}
	}
}

// takeOut gives back the place of a message that is about to be run, or failed, or that is not
// sent after all. For the owner of the mailbox, or the sender that has just taken the place.
func (b *mailboxLimit) takeOut() {
	for {
		f := b.filling()
		to := f - oneMore
		if to.count() <= b.most/2 {
			to &^= above
		}
		if !b.change(f, to) {
			continue
		}
		if b.waiting.Load() > 0 && to.count() < b.most {
			b.tell()
		}
		if to.count() < b.most {
			b.tellRoom()
		}
		if f.over() && !to.over() {
			b.releaseAll()
		}
		return
	}
}

// tell wakes one goroutine that waits for room.
func (b *mailboxLimit) tell() {
	select {
	case b.room <- struct{}{}:
	default:
	}
}

// stall is called when the unit begins to lie still, before any other goroutine can own it.
func (b *mailboxLimit) stall() {
	b.stalled.Store(true)
	b.releaseAll()
}
