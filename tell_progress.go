package freerun

import (
	"sync"
	"time"
	"unsafe"
)

// stillness tells, for the senders of one operation that flood holds back, slow receivers from
// stuck ones. Two things show that a receiver is slow: its unit begins operations, and batches of
// letters come back. Each has a pulse. When both have been still for patience, and for twice as
// long as lately between two beats besides, the sender must go on: it may be what the receiver
// waits for. So an operation of a second holds the sender for good once its length is known, and a
// unit that waits for the sender does not.
//
// A beat of the unit is no proof that letters will come back: those of the sender may wait for a
// future. But the mailbox is first in, first out. A unit that has begun more operations than there
// are letters, while no batch came back, has run what it will run, and the sender must go on too.
//
// Time counts only while a sender is held: what a sender does between two messages is no stillness
// of the receivers.
type stillness struct {
	mu     sync.Mutex // of senders that are held, and of no processor
	clock  time.Duration
	looked time.Time
	raised time.Duration // when dry was true last, by clock
	flow   pulse
	units  [stillUnits]unitPulse // by the unit's address; the latest of those that share an entry
}

const (
	stillUnits = 8
	// The longest stillness that is taken for slowness: of a unit, and of the batches, which are
	// the beats of a sender to ever other units.
	slowestUnit = 10 * time.Second
	slowestFlow = time.Second
)

// pulse is a series of beats.
type pulse struct {
	last time.Duration // when the latest beat was seen
	pace time.Duration // how far apart they were lately at most
}

func (p *pulse) beat(now, slowest time.Duration) {
	p.pace = min(max(now-p.last, p.pace/8*7), slowest)
	p.last = now
}

// isStill reports whether the next beat is overdue. Senders look each patience, which is how exact
// the pace is.
func (p *pulse) isStill(now time.Duration) bool { return now-p.last >= 2*p.pace+patience }

// unitPulse is the pulse of a unit: the operations that it begins.
type unitPulse struct {
	pulse
	key  uintptr // of the unit, which is not kept by this
	ran  uint64  // how many it had begun when it was looked at
	base uint64  // and when a batch came back last, or the mark was raised
}

// watch begins to watch u for a sender, which keeps what is returned.
func (s *stillness) watch(u *unit, ran uint64) unitPulse {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	w := unitPulse{pulse: pulse{last: now}, key: uintptr(unsafe.Pointer(u)), ran: ran, base: ran}
	s.see(&w, ran)
	return w
}

// flowed notes that a batch came back.
func (s *stillness) flowed(w *unitPulse, ran uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flow.beat(s.now(), slowestFlow)
	s.see(w, ran).base = ran
}

// dry reports whether the sender that watches w must go on, while so many letters exist; to one
// sender for each patience.
func (s *stillness) dry(w *unitPulse, ran uint64, letters int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	x := s.see(w, ran)
	stuck := x.isStill(now) && s.flow.isStill(now)
	passed := int64(ran-x.base) > letters && now-s.flow.last >= patience
	if !stuck && !passed || now-s.raised < patience*3/4 {
		return false
	}
	s.raised, x.base = now, ran
	return true
}

// now lets the clock go on. A sender that is held looks each patience: more than twice as much
// since the last look means that none was held.
func (s *stillness) now() time.Duration {
	t := time.Now()
	if since := t.Sub(s.looked); since <= 2*patience {
		s.clock += max(0, since)
	}
	s.looked = t
	return s.clock
}

// see brings the entry of the watched unit up to date and returns it. An entry that another unit
// had in the meantime begins with what this sender has seen itself.
func (s *stillness) see(w *unitPulse, ran uint64) *unitPulse {
	x := &s.units[w.key>>6%stillUnits]
	if x.key != w.key {
		*x = *w
	}
	if x.ran != ran {
		x.beat(s.clock, slowestUnit)
		x.ran = ran
	}
	if w.ran != ran {
		w.last, w.ran = s.clock, ran
	}
	return x
}
