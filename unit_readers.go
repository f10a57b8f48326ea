package freerun

// Source:     our own, on the owner queue; the order of readers and writers is that of J. Mellor-Crummey and M. Scott's fair lock (Scalable
//             reader-writer synchronization, 1991), in which nobody spins here
// Sketch:     the owner, with a reader:         readers += 2; then the mailbox is given up, or another letter is taken; the reader is a task of its own
//             the owner, with any other letter: if readers is 0, run it. Otherwise left = letter; readers += 1; if readers was not 0, go away
//             a reader, in the end:             readers −= 2; if readers is 1, the unit is its own: readers = 0, queue the unit; left comes first
// Invariants: I1 only the owner adds, so a 0 that the owner has seen stays. I2 while readers is odd, the unit has no owner, is in no
//             queue, and neither its mailbox nor the claim of its lanes is given up. I3 what must be alone runs only while readers is 0.
// Progress:   wait-free, each step of it. A reader that does not end keeps what must be alone waiting, as an operation does.
// Fairness:   letters leave the mailbox in its order. A reader that comes behind a letter that must be alone runs after it, and the
//             other way round, so neither starves.
// Publish:    what readers did is before their last step on the word, which the owner's is behind; left is written before the
//             owner's step, and read by the next owner
// Cost:       two atomic operations for a reader; one load for what comes to a unit with extras
// Checked by: TestExploreReaders…, TestRead…

const (
	oneReader uint32 = 2
	leftHere  uint32 = 1 // the unit is the last reader's
)

// admitReader lets a reader in, as a task of the given kind. For the unit's owner, who has dequeued it.
func (u *unit) admitReader(s *worker, l *message, looking *vtable) taken {
	x := u.extend()
	if x.takeOut(s, l) {
		return onward
	}
	u.operations.Add(1)
	x.readers.Add(oneReader)
	l.become(looking)
	if x.mailboxes.Load() == nil && u.mailbox.GiveUp() {
		s.hand(u.rt, &l.Task)
		return gone
	}
	s.queueReady(u.rt, l.priority(), &l.Task)
	return onward
}

// readerEnded ends a reader. The last one has the unit, if that was left to it, go on.
func (u *unit) readerEnded(s *worker) {
	x := u.ext.Load()
	if x.readers.Add(^(oneReader - 1)) != leftHere {
		return
	}
	x.readers.Store(0)
	if x.mailboxes.Load() != nil {
		u.goOn(s)
	} else {
		u.queue(s)
	}
}

// alone reports whether l, which the caller has dequeued as the unit's owner, may have the unit to itself now. If not, l is kept, and the unit
// is not the caller's any more: the last reader sees to it.
func (x *unitExt) alone(l *message) bool {
	if x.readers.Load() == 0 {
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
