package freerun

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Full says what happens to a message for a unit whose mailbox is full, see [Mailbox].
type Full uint8

const (
	// Refuse fails the message with [ErrFull]: the future of a Send fails, a Tell returns it. A message that had to wait for
	// futures finds out when they are resolved.
	Refuse Full = iota + 1
	// Wait makes ordinary goroutines wait in Send, Tell and Call until there is room, or until Done of the context that they send through is
	// closed; Call until its own context is done. A unit that sends is held back: its message is taken, and above the limit then, but it runs no further operation before the
	// full mailbox has gone down to half of its limit. No processor waits, and units that hold each other back cannot come to a
	// standstill: one whose own mailbox is above its limit is never held back. Free operations, those on several units and those that only look at one, what stolen branches
	// of a join send, operations that have left their processor ([Context.Block]), and who has sent a message that had to wait for futures, are not held back.
	Wait
)

// Mailbox limits a unit's mailbox to most messages that are ready and not yet started, and says what happens when it is full. It
// panics if most is less than 1, or full is neither Refuse nor Wait. Without a limit a mailbox takes all that is sent.
//
// A message that will not be run, as its [Operation.Call] has given up or its scope was canceled, keeps its place until the unit comes to it. So
// most is to have room for what is sent while the unit's longest operation runs, also by callers that are gone by then: with less, a unit that
// nobody waits for any more refuses the next.
//
// A send costs one more compare-and-swap then, and the start of an operation another.
func Mailbox(most int, full Full) UnitOption {
	if most < 1 {
		panic(fmt.Sprintf("freerun: Mailbox with room for %d messages; it needs at least 1", most))
	}
	if full != Refuse && full != Wait {
		panic("freerun: Mailbox needs Refuse or Wait")
	}
	return func(x *unitExt, _ reflect.Type) {
		x.limit = &mailboxLimit{most: int64(most), full: full, room: make(chan struct{}, 1)}
	}
}

// Source:     the notices of tell_backpressure.go; for held units S. Clebsch, S. Drossopoulou, S. Blessing and A. McNeil's Pony, whose runtime mutes
//             who sends to an overloaded actor, and never an overloaded one (ponyrt, mailbox backpressure)
// Sketch:     send: count+1, if there is room or the sender may not wait; over goes up with it if that is above the limit
//             take out: count−1; over goes down with it at half the limit; then tell one who waits, release all who are held
//             hold X back on Y: X.held = h; Y.holds += h; release h if Y is not over, or X is; who is released for room is held for the next
//             release all: take holds; put them back if Y is over again, and look once more if it is not
// Invariants: I1 over goes up with the message that is above the limit, and down with the one that leaves half of it: while it is up, count
//             was never at or below half of the limit. I2 a unit that is held is held by a hold in the holds of a mailbox that is over, or
//             somebody is about to release it. I3 a mailbox that is over belongs to a unit that is not held, or somebody is about to
//             release it. I4 while a unit lies still for a message to several units, stalled is up, and nobody is held because of its
//             mailbox, or somebody is about to release them. I5 over went down after the last message that was above the limit of
//             somebody who is released for room.
//             From I2, I3 and I4: whoever is held waits for a unit that runs, and goes down to half of its limit, as its operations wait
//             for nothing. From I1 and I5: from the time that over goes up until it goes down no sender runs a second operation after one
//             that went above the limit; so count stays within the limit and one operation's sends for each sender, but for senders that I3 and I4 let go,
//             and those that are never held (Wait).
// Progress:   admit from outside waits if it is allowed to; all else is lock-free: a compare-and-swap fails because another's took effect, and holds
//             are put back because a mailbox filled up in between, by senders that run on
// Publish:    a hold's unit before it is added to holds
// ABA/memory: a hold is made for each time that a unit is held, and released once; one left in a list does no harm
// Cost:       one compare-and-swap a message on either side; a hold is an allocation
// Checked by: TestExploreBound…, TestMailbox…

// bound is the limit of a mailbox.
type mailboxLimit struct {
	most int64
	full Full
	none *fullError // what Refuse returns

	fill    atomics.Int64 // see filling
	peak    atomics.Int64
	waiting atomics.Int32 // ordinary goroutines that wait for room
	room    chan struct{}
	holds   mailbox.Inbox // units that are held back
	stalled atomics.Bool  // the unit lies still for a message to several units, which may need one that is held: nobody is held back for it
}

// filling is how many messages are in a mailbox, twice, and one more while it is over: it was above the limit, and not down to half of it since.
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

// admit takes a place in the mailbox for a message, or returns why there is none.
func (b *mailboxLimit) admit(s *worker, l *message, fresh *sender) error {
	switch {
	case b.tryTake():
		return nil
	case b.full == Refuse:
		return b.none
	case fresh != nil && s.standing() == outsider: // one that blocks may be what the receiver waits for
		return b.await(l, fresh)
	}
	b.exceed(l.unit)
	if fresh != nil {
		s.press(b)
	}
	return nil
}

// mayKeepSendersWaiting reports whether an ordinary goroutine that sends to the unit may have to wait for room.
func (u *unit) mayKeepSendersWaiting() bool {
	x := u.ext.Load()
	return x != nil && x.limit != nil && x.limit.full == Wait
}

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

// await waits for a place. No room is missed: the sender counts itself as waiting before it looks
// again, and the owner makes room before it looks for a sender that waits.
//
// An end makes room too: it ends the operation that the mailbox waits for, and fails what is queued.
// So a sender that has found room after an end gives it back, and returns the error of the end.
func (b *mailboxLimit) await(l *message, from *sender) error {
	if err := b.awaitPlace(l, from); err != nil {
		return err
	}
	if err := from.over(l); err != nil {
		b.takeOut()
		return err
	}
	return nil
}

// awaitPlace is await without the look at what came first, room or an end.
func (b *mailboxLimit) awaitPlace(l *message, from *sender) error {
	rt, ctx := l.unit.rt, from.context()
	if rt.deterministic() {
		taken := false
		err := rt.driveUntil(ctx, func() bool {
			taken = taken || b.tryTake()
			return taken || from.over(l) != nil
		})
		if taken {
			return nil
		}
		return cmp.Or(from.over(l), err)
	}
	var canceled <-chan struct{}
	if s := l.lineage.Load().keyOf().scopeOf(); s != nil {
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
		return from.over(l) // whichever of them the sender has heard of
	}
	if b.waiting.Load() > 1 && b.filling().count() < b.most {
		b.tell() // there is more room than this sender was told of: tell the next
	}
	return nil
}

// exceed takes a place whether there is one or not.
func (b *mailboxLimit) exceed(u *unit) {
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
		if to.over() && !f.over() {
			u.ext.Load().letGo() // I3
		}
		return
	}
}

// rise records a peak.
func (b *mailboxLimit) rise(n int64) {
	for {
		peak := b.peak.Load()
		if n <= peak || b.peak.CompareAndSwap(peak, n) {
			return
		}
	}
}

// takeOut gives back the place of a message that is about to be run, or failed, or that is not sent
// after all. The owner of the mailbox, or the sender that has just taken the place.
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
		if f.over() && !to.over() {
			b.releaseAll()
		}
		return
	}
}

// tell wakes one who waits for room.
func (b *mailboxLimit) tell() {
	select {
	case b.room <- struct{}{}:
	default:
	}
}

// stall is called when the unit begins to lie still, before anybody else can have it.
func (b *mailboxLimit) stall() {
	b.stalled.Store(true)
	b.releaseAll()
}
