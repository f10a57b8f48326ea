//go:build explore

package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// waitingRoom is a full mailbox, and those that wait for room in it.
type waitingRoom struct {
	b     *mailboxLimit
	line  *roomLine
	all   []*roomWaiter
	woken []int // how often each was told
}

func newWaitingRoom(most int64, waiters int) *waitingRoom {
	rt := &Runtime{scheduler: sched.New(sched.Config{Processors: 1})}
	rt.outside.rt, rt.free.rt = rt, rt
	x := &waitingRoom{b: &mailboxLimit{most: most, full: Reject, room: make(chan struct{}, 1)}, woken: make([]int, waiters)}
	x.b.fill.Store(most * int64(oneMore))
	x.line = x.b.lineForRoom(rt)
	for i := range waiters {
		a := &roomWaiter{of: &unit{rt: rt}}
		m := &a.promise.message.result.promised
		m.start(&promiseOperation[struct{}]().core, &rt.free)
		m.lead(roomGate, true)
		listener := &message{unit: &rt.free}
		listener.become(waiterVtable("listener", func(*worker, *message) { x.woken[i]++ }))
		m.notify(listener)
		x.all = append(x.all, a)
	}
	return x
}

// check holds that nobody waits while the mailbox is empty, except for a look that is under way,
// which it carries out.
func (x *waitingRoom) check(r *explore.Run) {
	for x.b.filling().count() == 0 && x.line.looks.CompareAndSwap(true, false) {
		x.line.serve(x.b, x.b.most)
	}
	empty := x.b.filling().count() == 0
	left := int64(0)
	for i, n := range x.woken {
		switch {
		case n > 1:
			r.Failf("the waiter %d was told %d times", i, n)
		case n == 0 && (empty || x.b.ended.Load() != nil):
			r.Failf("the waiter %d is not told", i)
		case n == 0:
			left++
		}
	}
	if n := x.line.waiting.Load(); n != left || x.line.asked.Load() != 0 {
		r.Failf("%d are counted of %d that wait, asked %d", n, left, x.line.asked.Load())
	}
}

// crowding has waiters come to a full mailbox while its owner takes messages out.
func crowding(most int64, waiters, out int, add func(q *roomLine, b *mailboxLimit, a *roomWaiter)) func(*explore.Run) {
	return func(r *explore.Run) {
		x := newWaitingRoom(most, waiters)
		for i, a := range x.all {
			r.Go(string(rune('a'+i)), func() { add(x.line, x.b, a) })
		}
		r.Go("owner", func() { x.b.drainPlaces(out) })
		r.After(func() { x.check(r) })
	}
}

// TestExploreRoom has goroutines ask for room while the owner makes some: no signal is lost, and
// none comes twice.
func TestExploreRoom(t *testing.T) {
	explore.Exhaustive(t, 3, crowding(1, 1, 1, (*roomLine).add))
	explore.Exhaustive(t, 2, crowding(1, 2, 1, (*roomLine).add))
	explore.Exhaustive(t, 2, crowding(2, 2, 1, (*roomLine).add))
	explore.Exhaustive(t, 2, crowding(2, 2, 2, (*roomLine).add))
	explore.Freeze(t, crowding(1, 1, 1, (*roomLine).add))
}

// TestExploreRoomControls has the bugs that the protocol excludes.
func TestExploreRoomControls(t *testing.T) {
	// The owner takes the last message while the waiter comes, and the waiter does not look again.
	explore.MustFail(t, 2, crowding(1, 1, 1, func(q *roomLine, b *mailboxLimit, a *roomWaiter) {
		q.waiting.Add(1)
		q.inbox.Add(&a.Node) // and no R3
	}))
	// The waiter is counted after it is in the list: the owner finds nobody.
	explore.MustFail(t, 2, crowding(1, 1, 1, func(q *roomLine, b *mailboxLimit, a *roomWaiter) {
		full := b.isFull() // R3 before R1
		q.waiting.Add(1)
		q.inbox.Add(&a.Node)
		if !full {
			q.serve(b, 1)
		}
	}))
	// Two serve at the same time.
	explore.MustFail(t, 3, crowding(2, 2, 2, func(q *roomLine, b *mailboxLimit, a *roomWaiter) {
		q.waiting.Add(1)
		q.inbox.Add(&a.Node)
		if !b.isFull() {
			q.tell(b, 1)
		}
	}))
}

// TestExploreRoomEnd stops the unit while a goroutine asks: it learns of that.
func TestExploreRoomEnd(t *testing.T) {
	body := func(add func(q *roomLine, b *mailboxLimit, a *roomWaiter)) func(*explore.Run) {
		return func(r *explore.Run) {
			x := newWaitingRoom(1, 1)
			ext := &unitExt{limit: x.b}
			r.Go("asker", func() { add(x.line, x.b, x.all[0]) })
			r.Go("owner", func() { ext.roomEnds(&StoppedError{}) })
			r.After(func() { x.check(r) })
		}
	}
	explore.Exhaustive(t, 3, body((*roomLine).add))
	explore.MustFail(t, 2, body(func(q *roomLine, b *mailboxLimit, a *roomWaiter) {
		q.waiting.Add(1)
		q.inbox.Add(&a.Node)
		if !b.isFull() { // without a look whether the unit was stopped
			q.serve(b, 1)
		}
	}))
}
