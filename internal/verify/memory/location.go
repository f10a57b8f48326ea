package memory

import "fmt"

// Location has the scheduler's knowledge of a word. The zero value is a word that no thread has
// touched.
// It is part of the word, and must not be copied after first use.
type Location struct {
	// ID numbers the locations of an execution from 1, in the order of first access, which repeats
	// when a schedule is repeated.
	ID int
	// Type names the word's type.
	Type string

	execution uint64 // which the rest belongs to
	released  Clock  // of atomic words: what a reader of the last value synchronises with
	written   stamp  // of plain fields: the last write
	read      Clock  // of plain fields: the last read of each thread since
}

// stamp is one step of one thread.
type stamp struct {
	thread int
	step   uint32
}

// String names the location in traces.
func (l *Location) String() string { return fmt.Sprintf("%s#%d", l.Type, l.ID) }

// touch makes l part of the present execution.
func (l *Location) touch(typ string) {
	if l.execution != execution {
		locations++
		*l = Location{ID: locations, Type: typ, execution: execution}
	}
}

// acquire lets t know what the writers of the present value knew.
func (l *Location) acquire(t *Thread) { t.Clock.Join(&l.released) }

// release lets readers of the value that is written know what t knows. A store replaces what they
// learn; an update has read the value before, and passes on what it came with. Only a new value is
// a change.
func (l *Location) release(t *Thread, changed bool) {
	l.released = t.Clock
	if changed {
		t.Changes++
	}
}

// Race is what a plain access panics with when nothing orders it after an earlier one of another
// thread.
type Race string

// Error implements error.
func (r Race) Error() string { return string(r) }

// readPlain checks a plain read by the current thread.
func (l *Location) readPlain(typ string) {
	t := Current
	if t == nil || t.Freed {
		return
	}
	l.touch(typ)
	t.Clock[t.ID]++
	l.unordered(t, l.written, "reads", "wrote")
	l.read[t.ID] = t.Clock[t.ID]
}

// writePlain checks a plain write by the current thread.
func (l *Location) writePlain(typ string) {
	t := Current
	if t == nil || t.Freed {
		return
	}
	l.touch(typ)
	t.Clock[t.ID]++
	l.unordered(t, l.written, "writes", "wrote")
	for i, step := range l.read {
		l.unordered(t, stamp{i, step}, "writes", "read")
	}
	l.written, l.read = stamp{t.ID, t.Clock[t.ID]}, Clock{}
}

func (l *Location) unordered(t *Thread, before stamp, does, did string) {
	if before.thread != t.ID && before.step > t.Clock[before.thread] {
		panic(Race(fmt.Sprintf("data race: %s %s %v, which %s %s before, and nothing orders the two", t.Name, does, l, names[before.thread], did)))
	}
}
