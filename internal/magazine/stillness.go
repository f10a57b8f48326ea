package magazine

import (
	"sync"
	"time"
)

// stillness tells slow receivers from stuck ones, for the senders of one operation that wait
// for a batch ([Mark]).
//
// Two signs show that a receiver is slow, not stuck: its unit begins operations, and batches of
// messages come back. A pulse tracks each sign. When neither had a beat for Patience plus twice the
// longest recent distance between two beats, the sender must go on: the receiver may wait for the
// sender. So a sender to a unit whose operations take a second each stays held, once that pace is
// known. A sender for which the unit waits does not.
//
// A beat of the unit is no proof that messages will come back: the sender's messages may wait for a
// future. But the mailbox is first in, first out. A unit that has begun more operations than there
// are messages, while no batch came back, has run all messages that it can; the sender must go on
// too.
//
// Time counts only while a sender is held. The time that a sender spends between two messages is no
// stillness of the receivers.
type stillness struct {
	mu     sync.Mutex          // taken by held senders only, never by a processor
	clock  time.Duration       // how long senders were held
	looked time.Time           // when now was called last
	raised time.Duration       // when dry was true last, by clock
	flow   pulse               // batches that come back
	units  [stillUnits]Watched // by the unit's address, the latest of those that share an entry
}

const (
	stillUnits = 8
	// The longest stillness that is taken for slowness, of a unit and of the batches. A sender that
	// turns to another unit each time has only the beats of the batches.
	slowestUnit = 10 * time.Second
	slowestFlow = time.Second
)

// pulse is a series of beats.
type pulse struct {
	last time.Duration // when the latest beat was seen
	pace time.Duration // the longest recent distance between two beats
}

// beat notes a beat. A longer distance than pace counts at once; a shorter one lowers pace by an
// eighth at most.
func (p *pulse) beat(now, slowest time.Duration) {
	p.pace = min(max(now-p.last, p.pace/8*7), slowest)
	p.last = now
}

// isStill reports whether the next beat is overdue. Held senders look once in each Patience, so the
// pace is exact to one Patience.
func (p *pulse) isStill(now time.Duration) bool { return now-p.last >= 2*p.pace+Patience }

// Watched is the pulse of a unit: the operations that it begins. It belongs to one sender.
type Watched struct {
	pulse
	key  uintptr // the unit's address; does not keep the unit alive
	ran  uint64  // how many operations the unit had begun at the latest look
	base uint64  // how many it had begun when a batch came back last, or the mark was raised
}

// watch begins to watch the unit at address key, which has begun ran operations, for one sender.
// The sender passes the result to flowed and dry.
func (s *stillness) watch(key uintptr, ran uint64) Watched {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	w := Watched{pulse: pulse{last: now}, key: key, ran: ran, base: ran}
	s.see(&w, ran)
	return w
}

// flowed notes that a batch came back to the sender that watches w.
func (s *stillness) flowed(w *Watched, ran uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flow.beat(s.now(), slowestFlow)
	s.see(w, ran).base = ran
}

// dry reports whether the sender that watches w must go on, while that number of messages exists.
// It returns true to one sender in each Patience at most.
func (s *stillness) dry(w *Watched, ran uint64, messages int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	x := s.see(w, ran)
	stuck := x.isStill(now) && s.flow.isStill(now)
	passed := int64(ran-x.base) > messages && now-s.flow.last >= Patience
	if !stuck && !passed || now-s.raised < Patience*3/4 {
		return false
	}
	s.raised, x.base = now, ran
	return true
}

// now advances the clock and returns it. A held sender looks once in each Patience: if the last
// look is more than twice as long ago, no sender was held, and the time in between does not count.
func (s *stillness) now() time.Duration {
	t := time.Now()
	if since := t.Sub(s.looked); since <= 2*Patience {
		s.clock += max(0, since)
	}
	s.looked = t
	return s.clock
}

// see updates the entry of the watched unit, and w, and returns the entry. If another unit has
// replaced the entry in the meantime, see restores it from w, this sender's own copy.
func (s *stillness) see(w *Watched, ran uint64) *Watched {
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
