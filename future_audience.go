package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// A future has a list of messages that wait for it. The list is only pushed to and taken whole: a
// message stays in it until the future has an outcome. That suits messages, because they never give
// up. Ordinary goroutines and activities may give up earlier, any number of times. So they share
// one message in the list, the audience. A waiter that gives up leaves the audience, and no trace
// in the list.
//
// The table of the future's runtime leads from a future to its audience. The table has shares,
// each with a lock. The lock guards the entries of the share and all fields of their audiences.
// It is held for a few instructions, in which nothing is called. The goroutine that fulfills a
// future takes the audience out of the table under the lock, and wakes it without.
//
// The first activity that waits for a future with an empty list needs no audience: its own
// message is put into the list, by one compare-and-swap. If that activity gives up, its message
// stays in the list and leads to nothing. The next waiter finds the list in use, and makes an
// audience or joins it. So all waiters that ever gave up leave at most two messages in a pending
// future, of about 130 bytes each.
//
// Checked by: TestExploreAudience…, TestGivenUp…
type audience struct {
	message                   // in the future's list
	future      *promised     // the future that the audience waits for
	closed      chan struct{} // for ordinary goroutines; nil if none waits
	stop        func() bool   // ends the watch over the future's scope; nil if there is none
	first, last *awaiter      // the activities, oldest first
}

// audiences holds the audiences of the futures of one runtime.
type audiences struct{ shares [1 << shareBits]share }

// share is a part of the table. Its lock is one word, on which goroutines spin.
type share struct {
	taken atomics.Bool
	of    map[*promised]*audience
	peak  int // the largest number of entries so far
	_     pad.Line
}

// mostKept bounds the peak of a share whose empty map is kept. A larger map goes to the collector.
const mostKept = 1 << 10

// lock locks the share of m and returns it.
func (all *audiences) lock(m *promised) *share {
	h := uint64(uintptr(unsafe.Pointer(m))) * 0x9e3779b97f4a7c15
	s := &all.shares[h>>32&(1<<shareBits-1)]
	s.lock()
	return s
}

func (s *share) lock() {
	for b := (backoff.Backoff{}); !s.taken.CompareAndSwap(false, true); b.Wait() {
	}
}

func (s *share) unlock() { s.taken.Store(false) }

// enter makes a the audience of its future. It returns false if the future has an outcome. The
// caller has locked the share.
func (s *share) enter(a *audience) bool {
	if !a.future.push(&a.message) {
		return false
	}
	if s.of == nil {
		s.of = make(map[*promised]*audience)
	}
	s.of[a.future] = a
	s.peak = max(s.peak, len(s.of))
	return true
}

// remove takes the entry of a out of the table. The caller has locked the share.
func (s *share) remove(a *audience) {
	delete(s.of, a.future)
	if len(s.of) == 0 && s.peak > mostKept {
		s.of, s.peak = nil, 0
	}
}

// wakeAudience wakes all goroutines and activities that wait for a future.
func wakeAudience(_ *worker, m *message) {
	a := (*audience)(unsafe.Pointer(m))
	s := a.future.unit.rt.audiences.lock(a.future)
	s.remove(a)
	closed, stop, w := a.closed, a.stop, a.first
	a.closed, a.stop, a.first, a.last = nil, nil, nil, nil
	s.unlock()
	if stop != nil {
		stop()
	}
	if closed != nil {
		close(closed)
		sched.NoteWoken()
	}
	for w != nil {
		next := w.next // read first: once woken, w may wait again elsewhere
		w.next, w.previous = nil, nil
		w.wake()
		w = next
	}
}

// abandonAll closes all futures that have an audience, because their runtime has ended.
func (all *audiences) abandonAll() {
	for i := range all.shares {
		s := &all.shares[i]
		s.lock()
		open := make([]*promised, 0, len(s.of))
		for m := range s.of {
			open = append(open, m)
		}
		s.unlock()
		for _, m := range open {
			m.abandon()
		}
	}
}

// add makes w the last member of the audience. The caller has locked the share.
func (a *audience) add(w *awaiter) {
	w.within, w.next, w.previous = a, nil, a.last
	if a.last == nil {
		a.first = w
	} else {
		a.last.next = w
	}
	a.last = w
}

// drop takes the member w out of the audience. The caller has locked the share.
func (a *audience) drop(w *awaiter) {
	if w.previous == nil {
		a.first = w.next
	} else {
		w.previous.next = w.next
	}
	if w.next == nil {
		a.last = w.previous
	} else {
		w.next.previous = w.previous
	}
	w.within, w.next, w.previous = nil, nil, nil
}

// Ordinary goroutines wait for a future on a channel. The future itself has no room for one: few
// futures are ever waited for from outside. The channel is in the future's audience. So all
// goroutines that wait for one future share a channel, those that give up leave nothing behind,
// and the end of the runtime finds them.

// always is the closed channel of all futures that have an outcome.
var always = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// doneChannel returns the channel that is closed once m has an outcome.
func (m *promised) doneChannel() <-chan struct{} {
	if !m.Open() {
		return always
	}
	rt := m.unit.rt
	s := rt.audiences.lock(m)
	a := s.of[m]
	if a == nil || a.closed == nil {
		s.unlock()
		fresh, closed := &audience{future: m}, make(chan struct{})
		fresh.become(audienceVtable)
		fresh.unit = m.unit
		s.lock()
		if a = s.of[m]; a == nil {
			if !s.enter(fresh) {
				s.unlock()
				return always
			}
			a = fresh
		}
		if a.closed == nil {
			a.closed = closed
		}
	}
	channel := a.closed
	s.unlock()
	if rt.phase.Load() == ended {
		m.abandon()
	}
	return channel
}

// closeWithScope watches the scope of m: if it is canceled before m has begun, the channel that
// doneChannel has made for m is closed, soon after, by a goroutine of package context.
func (m *promised) closeWithScope() {
	x := m.scope()
	if x == nil {
		return
	}
	s := x.rt.audiences.lock(m)
	a := s.of[m]
	watched := a == nil || a.stop != nil
	s.unlock()
	if watched {
		return
	}
	stop := x.rt.env.afterCancel(x, func() { m.closedNow() })
	s.lock()
	if s.of[m] == a && a.stop == nil {
		a.stop, stop = stop, nil
	}
	s.unlock()
	if stop != nil { // m is closed, or another goroutine was first
		stop()
	}
}

// outcomeNow is Outcome, except that two kinds of open futures get an outcome first: futures of a
// runtime that has ended, and futures of a canceled scope whose message has not begun. So neither
// the end nor the canceler need find all open futures: the asker closes the one that it asks for.
func (m *promised) outcomeNow() (closed bool, err error) {
	closed, err = m.Outcome()
	if closed {
		return closed, err
	}
	if m.unit.rt.phase.Load() == ended {
		m.abandon()
	} else {
		m.revokeCanceled()
	}
	return m.Outcome()
}

func (m *promised) closedNow() bool {
	closed, _ := m.outcomeNow()
	return closed
}

// reached implements condition.
func (m *promised) reached() bool { return m.closedNow() }

// abandon closes m because its runtime has ended, and counts m as failed. The holder of the
// message finds it sealed, and takes its own count back. Any goroutine may call it.
func (m *promised) abandon() {
	if w := m.unit.rt.detachedWorker(); m.seal(w, &promise.Abandoned) {
		w.countFailed(m.unit.rt, ErrClosed, 1)
	}
}
