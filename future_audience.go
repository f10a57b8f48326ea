package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// A future's list is only pushed to and taken whole: what is in it stays there until the future has an outcome. That suits messages, which wait until then. Ordinary
// goroutines and activities may give up before, any number of times. So all of those together have one letter in the list, their audience, and leave
// the audience without a trace.
//
// An audience is found by its future, in one of the shares of a table of the future's runtime. The lock of the share guards the entry, and all that the audience consists
// of; it is held for a few instructions, in which nothing is called. Who fulfils a future that has an audience takes the audience out of the table, under the lock, and
// wakes it without.
//
// The first activity that waits for a future in whose list is nothing needs no audience: its own letter is put into the list, by one compare-and-swap. If it gives up
// it leaves the letter there, which leads to nothing. Who comes after that finds the list in use, and makes an audience, or joins it. So a pending future holds at
// most two letters, of some 130 bytes, on account of all that ever gave up.
//
// Checked by: TestExploreAudience…, TestGivenUp…
type audience struct {
	message                   // in the future's list
	future      *promise      // that is waited for
	closed      chan struct{} // what ordinary goroutines wait for; nil if none does
	stop        func() bool   // ends the watch over the future's scope; nil if there is none
	first, last *awaiter      // the activities, oldest first
}

var audienceVtable = newVtable(vtable{name: "audience", wake: wakeAudience}, nil)

// audiences has the audiences of the futures of one runtime.
type audiences struct{ shares [1 << shareBits]share }

// share is a part of the table. Its lock is a word that whoever finds it taken spins on.
type share struct {
	taken atomics.Bool
	of    map[*promise]*audience
	peak  int // how many entries there were
	_     pad.Line
}

// mostKept is how many entries there may have been in a share whose map, empty, is kept.
const mostKept = 1 << 10

// lock returns the share of m, locked.
func (all *audiences) lock(m *promise) *share {
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

// enter makes a the audience of its future; false if that has an outcome. The caller has locked the share.
func (s *share) enter(a *audience) bool {
	if !a.future.push(&a.message) {
		return false
	}
	if s.of == nil {
		s.of = make(map[*promise]*audience)
	}
	s.of[a.future] = a
	s.peak = max(s.peak, len(s.of))
	return true
}

// remove is the opposite.
func (s *share) remove(a *audience) {
	delete(s.of, a.future)
	if len(s.of) == 0 && s.peak > mostKept {
		s.of, s.peak = nil, 0
	}
}

// wakeAudience wakes all who wait for a future.
func wakeAudience(_ *worker, l *message) {
	a := (*audience)(unsafe.Pointer(l))
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
	}
	for w != nil {
		next := w.next // woken, it may wait again, elsewhere
		w.next, w.previous = nil, nil
		w.wake()
		w = next
	}
}

// abandonAll closes all futures that have an audience: their runtime has ended.
func (all *audiences) abandonAll() {
	for i := range all.shares {
		s := &all.shares[i]
		s.lock()
		open := make([]*promise, 0, len(s.of))
		for m := range s.of {
			open = append(open, m)
		}
		s.unlock()
		for _, m := range open {
			m.abandon()
		}
	}
}

// add puts w at the end of those who wait. The caller has locked the share.
func (a *audience) add(w *awaiter) {
	w.within, w.next, w.previous = a, nil, a.last
	if a.last == nil {
		a.first = w
	} else {
		a.last.next = w
	}
	a.last = w
}

// drop takes w out from among those who wait. The caller has locked the share.
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
