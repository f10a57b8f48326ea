package freerun

import (
	"cmp"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// LostMessage is a message without a future that has failed, so that no sender learns of it: a
// Tell, or a run of a repetition. Its unit was stopped, had no room, or could not make its state; a
// future in its argument has failed; or its operation returned an error, or panicked.
type LostMessage struct {
	At        time.Time // virtual time in a deterministic runtime
	Operation string    // its short name, or the name of the function for a closure
	// Unit is the unit's name ([UnitName]), with the key of one of a kind, or its address. It is
	// empty for a free operation, and for an operation on several units.
	Unit string
	// Err is the failure. In [Runtime.LostMessages] a panic's value is its text, unless it is an
	// error: the list keeps nothing of the program in memory but errors.
	Err error
	// Scope is the name of the message's scope, and Senders are the operations that sent it, as
	// [Future.Senders] has them. Both are empty for a message of no scope; one that has come from
	// another machine may have senders without a scope.
	Scope   string
	Senders []string // must not be changed
}

// MostLostMessages is how many lost messages a runtime keeps.
const MostLostMessages = 64

// lostMessages are the last lost messages of a runtime. Any goroutine may add to them and look at
// them, without a lock: each addition takes the next place of a ring, and writes there unless a
// later one was faster.
type lostMessages struct {
	next   atomics.Uint64
	places [MostLostMessages]atomics.Pointer[lostMessage]
}

type lostMessage struct {
	LostMessage
	nth uint64
}

func (l *lostMessages) add(x LostMessage) { l.put(&lostMessage{x, l.next.Add(1) - 1}) }

// put writes m to its place, unless a later one is there.
func (l *lostMessages) put(m *lostMessage) {
	place := &l.places[m.nth%MostLostMessages]
	for {
		was := place.Load()
		if was != nil && was.nth > m.nth || place.CompareAndSwap(was, m) {
			return
		}
	}
}

func (l *lostMessages) last() (all []LostMessage) {
	var found []*lostMessage
	for i := range l.places {
		if m := l.places[i].Load(); m != nil {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b *lostMessage) int { return cmp.Compare(a.nth, b.nth) })
	for _, m := range found {
		all = append(all, m.LostMessage)
	}
	return all
}
