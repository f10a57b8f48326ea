package freerun

import (
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own; the serializer is a combining lock without waiting (cf. N. Shavit's and
//             others' flat combining, SPAA 2010): who finds a server at work leaves the work to it
// Sketch:     ask: waiting+1 (R1); into the inbox (R2); serve if there is room (R3)
//             a place becomes free: count−1 (T1); serve if somebody waits (T2)
//             serve: asked+n; who raises it from 0 is the server: it resolves up to n futures, the
//             oldest first, while there is room, and then takes off what it has served
//             look again: if the mailbox is empty, and some still wait, a message serves once more
// Invariants: I1 Only the server touches line. So futures are resolved in the order in which they
//             were asked for, each once.
//             I2 While a future waits and the mailbox has room, a goroutine is about to serve, or
//             the mailbox has messages, so a place will become free, or a message that looks again
//             is under way. From R1 before R3 and T1 before T2: the one or the other sees both.
//             I3 A free place resolves one future. Only a look resolves more, after the mailbox was
//             found empty: then those that were told have not sent, and no T1 will come. It
//             resolves as many as there is room, and looks again while some wait.
// Progress:   nobody waits for the server. A server that stalls delays those that wait for room,
//             not the unit, nor who asks
// Publish:    a waiter's promise is written before the waiter is added to the inbox
// Cost:       for a unit for which nobody has asked, a load for each message that leaves the
//             mailbox
// Checked by: TestExploreRoom…, TestRoom…

// Room returns a future that has its value when the unit's mailbox has room ([MailboxLimit]): at
// once if it has room now, or has no limit. With [Context.NoWait] it is for whoever sends much, and
// must not wait: a forwarder, a reader of the network.
//
//	if err := store.Tell(c.NoWait(), u, r); errors.Is(err, freerun.ErrFull) {
//		keep(r)
//		freerun.Then(c, freerun.Room(c, u), sendOn) // goes on when there is room
//	}
//
// Nothing is reserved: others may have sent before the receiver of the signal does, and then it
// asks again. Each place that becomes free is told to one, in the order in which they have asked;
// when the mailbox is empty, and some that were told have not sent, the next are told. So no future
// waits for long while there is room, and those that wait do not come all at once. Ordinary
// goroutines that wait in a send for a place are told of it, too.
//
// The future belongs to c's scope, and is counted and awaited as a message that was sent. It fails
// with the unit's [*StoppedError] if the unit is stopped meanwhile, or was before, with
// [ErrCanceled] if the scope is canceled, with [ErrClosed] if the runtime ends, and with
// [ErrOtherRuntime] if u is of another runtime than c. A unit without a limit, stopped or not, and
// one of a [Kind] that is passive, have room. Any goroutine may call Room, operations too; it does
// not wait. Cost: none if there is room, otherwise those of [NewPromise] and one allocation. It
// panics if c or u is nil.
func Room[S any](c *Context, u *Unit[S]) Future[struct{}] { return u.checked().room(c.checked()) }

func (u *unit) room(c *Context) Future[struct{}] {
	if w := c.here(); !w.accepts(u) {
		if err := w.refuses(u); err != nil {
			return Failed[struct{}](u.naming(err, func() string { return "freerun.Room" }))
		}
	}
	x := u.ext.Load()
	if x == nil || x.limit == nil {
		return Resolved(struct{}{})
	}
	return x.limit.askForRoom(c, u)
}

// askForRoom returns the future of room in the mailbox, which is u's.
func (b *mailboxLimit) askForRoom(c *Context, u *unit) Future[struct{}] {
	switch why := b.ended.Load(); {
	case why != nil:
		return Failed[struct{}](why)
	case !b.isFull() && !b.hasLine(): // otherwise those in the line come first
		return Resolved(struct{}{})
	}
	a := &roomWaiter{of: u}
	beginPromise(&a.promise, c, callerOf(4), roomGate) // for reports, the caller of Room
	if a.isOpen() {                                    // otherwise the scope was canceled
		b.lineForRoom(c.rt).add(b, a)
	}
	return a.promise.Future()
}

// hasLine reports whether others wait for room.
func (b *mailboxLimit) hasLine() bool {
	q := b.line.Load()
	return q != nil && q.waiting.Load() > 0
}

// roomWaiter is one who waits for room.
type roomWaiter struct {
	mailbox.Node // must be first
	promise      Promise[struct{}]
	of           *unit
}

// roomGate is the edge of promises of room: they wait for the activation of their unit, if it lies
// still.
var roomGate = newGate(0, unsafe.Offsetof(roomWaiter{}.of)-unsafe.Offsetof(roomWaiter{}.promise)-unsafe.Offsetof(Promise[struct{}]{}.message))

// isOpen reports whether the future has no outcome, and will get one here.
func (a *roomWaiter) isOpen() bool {
	m := &a.promise.message.result.promised
	x := m.scope()
	return m.Open() && (x == nil || !x.canceled())
}

// roomLine is the line of those that wait for room in one mailbox.
type roomLine struct {
	rt      *Runtime
	waiting atomics.Int64 // in inbox and line
	inbox   mailbox.Inbox // those that have come since the server looked
	asked   atomics.Int64 // places to be told; above 0 while there is a server
	prune   atomics.Int64 // the length at which those that were canceled are taken out
	looks   atomics.Bool  // a message that looks again is under way

	line []*roomWaiter // the oldest first; the server's
}

// lineForRoom returns the mailbox's line, and makes it if there is none.
func (b *mailboxLimit) lineForRoom(rt *Runtime) *roomLine {
	q := b.line.Load()
	if q == nil {
		q = &roomLine{rt: rt}
		q.prune.Store(leastPruned)
		b.line.CompareAndSwap(nil, q)
		q = b.line.Load()
	}
	return q
}

// add puts a into the line.
func (q *roomLine) add(b *mailboxLimit, a *roomWaiter) {
	n := q.waiting.Add(1)                                            // R1
	q.inbox.Add(&a.Node)                                             // R2
	if !b.isFull() || b.ended.Load() != nil || n >= q.prune.Load() { // R3
		q.serve(b, 1)
	}
}

// tellRoom tells who waits of a place that has become free (T2), or of the unit's end.
func (b *mailboxLimit) tellRoom() {
	if q := b.line.Load(); q != nil && q.waiting.Load() > 0 {
		q.serve(b, 1)
	}
}

// serve tells n of those that wait that there is room, if there is. Any goroutine.
func (q *roomLine) serve(b *mailboxLimit, n int64) {
	if q.asked.Add(n) != n {
		return // the server will do it
	}
	for n > 0 {
		q.tell(b, n)
		n = q.asked.Add(-n)
	}
}

// tell is serve for the server.
func (q *roomLine) tell(b *mailboxLimit, n int64) {
	for next := q.inbox.TakeAll(); next != nil; {
		a := (*roomWaiter)(unsafe.Pointer(next))
		next = next.Next()
		a.Link(nil)
		q.line = append(q.line, a)
	}
	for len(q.line) > 0 {
		why := b.ended.Load()
		if why == nil && (n == 0 || b.isFull()) {
			break
		}
		a := q.line[0]
		q.line[0] = nil
		q.line = q.line[1:]
		q.waiting.Add(-1)
		if a.resolve(why) {
			n--
		}
	}
	q.takeOutCanceled()
	if len(q.line) > 0 && b.filling().count() == 0 {
		q.lookAgain(b)
	}
}

// resolve gives the future its outcome, and reports whether it had none.
func (a *roomWaiter) resolve(why *StoppedError) bool {
	if why != nil {
		a.promise.Resolve(struct{}{}, why)
		return false // no place was told
	}
	return a.promise.Resolve(struct{}{}, nil)
}

// takeOutCanceled takes those out of a long line whose scopes were canceled: a mailbox that stays
// full keeps no more than twice those that wait. The server's.
func (q *roomLine) takeOutCanceled() {
	if int64(len(q.line)) < q.prune.Load() {
		return
	}
	before := len(q.line)
	q.line = slices.DeleteFunc(q.line, func(a *roomWaiter) bool { return !a.isOpen() })
	q.waiting.Add(int64(len(q.line) - before))
	q.prune.Store(int64(max(2*len(q.line), leastPruned)))
}

// lookAgain sends the message that looks again, unless one is under way. It comes behind what those
// that were told have sent to be run.
func (q *roomLine) lookAgain(b *mailboxLimit) {
	if !q.looks.CompareAndSwap(false, true) || !q.rt.countSent(drains) {
		return // if the runtime ends, it fails all that waits
	}
	m := &sendMessage[*mailboxLimit, struct{}]{arg: b}
	lookForRoom.core.sendOwn(q.rt, &q.rt.free, &m.result.promised, nil)
}

// lookForRoom is the operation that looks again. It is set in init: it leads to functions that lead
// to it.
var lookForRoom *operation[*mailboxLimit, struct{}]

func init() {
	lookForRoom = lifeOperation("unit.room", func(_ *Context, _ *unit, b *mailboxLimit) (struct{}, error) {
		q := b.line.Load()
		q.looks.Store(false)
		if n := b.most - b.filling().count(); n > 0 { // if there is none, a place will become free
			q.serve(b, n)
		}
		return struct{}{}, nil
	})
	lookForRoom.core.keepsHouse()
}

// roomEnds has all fail that wait for room, now and later, as the unit is stopped. why is any other
// error if it is not. Owner only.
func (x *unitExt) roomEnds(why error) {
	if stopped, is := why.(*StoppedError); is && x.limit != nil {
		x.limit.ended.Store(stopped)
		x.limit.tellRoom()
	}
}

// roomBegins undoes roomEnds. Owner only.
func (x *unitExt) roomBegins() {
	if x.limit != nil {
		x.limit.ended.Store(nil)
	}
}
