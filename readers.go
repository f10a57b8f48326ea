package freerun

import (
	"github.com/freerun-go/freerun/sched"
)

// Source:     our own, on the owner queue; the order of readers and writers is that of J. Mellor-Crummey and M. Scott's fair lock (Scalable
//             reader-writer synchronization, 1991), in which nobody spins here
// Sketch:     the owner, with a reader:         readers += 2; then the mailbox is given up, or another letter is taken; the reader is a task of its own
//             the owner, with any other letter: if readers is 0, run it. Otherwise left = letter; readers += 1; if readers was not 0, go away
//             a reader, in the end:             readers −= 2; if readers is 1, the unit is its own: readers = 0, queue the unit; left comes first
// Invariants: I1 only the owner adds, so a 0 that the owner has seen stays. I2 while readers is odd, the unit has no owner, is in no
//             queue, and its mailbox is not given up. I3 what must be alone runs only while readers is 0.
// Progress:   wait-free, each step of it. A reader that does not end keeps what must be alone waiting, as an operation does.
// Fairness:   letters leave the mailbox in its order. A reader that comes behind a letter that must be alone runs after it, and the
//             other way round, so neither starves.
// Publish:    what readers did is before their last step on the word, which the owner's is behind; left is written before the
//             owner's step, and read by the next owner
// Cost:       two atomic operations for a reader, none for a unit that never had one: such a unit has another kind, and another drain
// Checked by: TestExploreReaders…, TestRead…

const (
	oneReader uint32 = 2
	leftHere  uint32 = 1 // the unit is the last reader's
)

// taken is what came of taking a letter that is not simply run.
type taken uint8

const (
	onward taken = iota // the caller goes on with the next letter
	gone                // the unit is not the caller's any more
	shared              // the unit has readers now: the caller goes on as its kind says
)

// sharedUnitKind is the kind of units that have had readers.
var sharedUnitKind *sched.Kind

func init() { // not above: what it does leads back here
	sharedUnitKind = &sched.Kind{Run: drainShared, Stolen: countSteal, Discard: discardUnit}
}

// admitReader lets a reader in, as a task of the given kind. For the unit's owner, who has dequeued it.
func (u *unit) admitReader(s *seat, l *letter, looking *kind) taken {
	x := u.extend()
	if x.takeOut(s, l) {
		return onward
	}
	u.operations.Add(1)
	x.readers.Add(oneReader)
	l.become(looking)
	first := u.Kind != sharedUnitKind
	if first {
		u.Kind = sharedUnitKind
	}
	switch {
	case u.mailbox.GiveUp():
		s.hand(u.rt, &l.Task)
		return gone
	case s.at(u.rt):
		s.processor.Push(&l.Task)
	default:
		s.inject(u.rt, &l.Task)
	}
	if first {
		return shared
	}
	return onward
}

// hand makes t the next task here. The caller returns to the scheduler at once.
func (s *seat) hand(rt *Runtime, t *sched.Task) {
	if s.at(rt) {
		s.processor.Hand(t)
	} else {
		s.inject(rt, t)
	}
}

// leave ends a reader.
func (u *unit) leave(s *seat) {
	x := u.extras.Load()
	if x.readers.Add(^(oneReader - 1)) == leftHere {
		x.readers.Store(0)
		u.queue(s)
	}
}

// alone reports whether l, which the caller has dequeued as the unit's owner, may have the unit to itself now. If not, l is kept, and the unit
// is not the caller's any more: the last reader sees to it.
func (u *unit) alone(l *letter) bool {
	x := u.extras.Load()
	if x == nil || x.readers.Load() == 0 {
		return true
	}
	x.left.Set(l)
	if x.readers.Add(leftHere) != leftHere {
		return false
	}
	x.readers.Store(0) // the last one has ended in this moment
	x.left.Clear()
	return true
}

// drainShared is drain for a unit that has had readers.
func drainShared(p *sched.Processor, t *sched.Task) {
	s, u, h := seatOf(p), unitOf(t), p.Host()
	for range drainLimit {
		l, state := u.nextShared(s)
		if state == gone {
			return
		}
		if l == nil || u.extras.Load().takeOut(s, l) {
			continue
		}
		u.operations.Add(1)
		l.Kind.Run(p, &l.Task)
		if now := h.Processor(); now != p {
			if now == nil {
				u.rt.scheduler.Inject(t)
				return
			}
			p, s = now, seatOf(now)
		}
		if s.pressed != nil && u.holdBack(s) {
			return
		}
	}
	p.PushBack(t)
}

// nextShared returns the next letter, which has the unit to itself, or nil if that one was dealt with; gone if the unit is not the caller's
// any more.
func (u *unit) nextShared(s *seat) (*letter, taken) {
	l := u.extend().left.Take()
	if l == nil {
		if l = u.dequeue(s); l == nil || !l.kind().looks && !u.alone(l) {
			return nil, gone
		}
	}
	if take := l.kind().take; take != nil {
		return nil, take(s, u, l)
	}
	return l, onward
}

// dequeue takes the next letter, nil if there is none and the unit has been given up, and has the last one used again.
func (u *unit) dequeue(s *seat) *letter {
	late := u.late
	if late != nil {
		u.late = nil // before Dequeue: afterwards the unit may be another processor's
	}
	n := u.mailbox.Dequeue()
	if late != nil {
		late.kind().recycle(s, late)
	}
	if n == nil {
		return nil
	}
	return letterOf(n)
}
