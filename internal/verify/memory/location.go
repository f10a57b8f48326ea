package memory

import "fmt"

// Location holds what the scheduler knows about a word, and is a field of the word. The zero value
// stands for a word that no thread has accessed. It must not be copied after first use.
type Location struct {
	// ID numbers the locations of an execution from 1, in the order of first access, which repeats
	// when a schedule is repeated.
	ID int
	// Type names the word's type.
	Type string

	execution uint64 // the execution that the other fields belong to
	released  Clock  // of atomic words: the clock that a reader of the last value joins
	written   stamp  // of plain fields: the last write
	read      Clock  // of plain fields: the last read of each thread since
}

// stamp identifies a step of a thread.
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

// acquire orders the next steps of t after the write of the present value.
func (l *Location) acquire(t *Thread) { t.Clock.Join(&l.released) }

// release orders readers of the written value after the steps of t so far. A store replaces the
// released clock. An update has acquired the earlier one before, so it passes that on as well. Only
// a write of a different value counts as a change.
func (l *Location) release(t *Thread, changed bool) {
	l.released = t.Clock
	if changed {
		t.Changes++
	}
}

// Race is the value with which a plain access panics if nothing orders it after an earlier access
// of another thread.
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
