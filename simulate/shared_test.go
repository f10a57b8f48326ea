package simulate

import (
	"strings"
	"testing"
	"time"
)

// TestWordsTakeTurns holds that processors that write a word at the same time come one after
// another, that its last writer pays nothing, and that one that is behind does not wait for those
// that come later.
func TestWordsTakeTurns(t *testing.T) {
	m := newMachine(&Costs{Model: 2, Transfer: 60, Pieces: []Piece{{From: "passing", To: "passing", Cost: 1}}}, 4)
	at := func(clock float64, index int) *processor {
		m.processors[index].clock = clock
		return m.processors[index]
	}
	var w word
	for _, of := range []struct {
		index         int
		clock, ending float64
	}{
		{0, 1000, 1000}, // nobody has it
		{0, 1010, 1010},
		{1, 2000, 2060},
		{2, 2000, 2120},
		{3, 2010, 2180},
		{3, 2180, 2180},
		{0, 500, 560}, // behind all that
		{1, 9000, 9060},
	} {
		p := at(of.clock, of.index)
		w.write(m, p)
		if p.clock != of.ending {
			t.Errorf("processor %d wrote at %v until %v, want %v", of.index, of.clock, p.clock, of.ending)
		}
	}
}

// TestLookPaysForWhatChanged holds that a look costs a line for each processor that is awake and
// whose queues have changed since the last one, and for a word of flags that has changed.
func TestLookPaysForWhatChanged(t *testing.T) {
	const look, line, hit = 100, 60, 1
	m := newMachine(&Costs{Model: 2, Transfer: line, Look: look, Hit: hit, Pieces: []Piece{{From: "passing", To: "passing", Cost: 1}}}, 4)
	s, p := m.shared, m.processors[0]
	for _, of := range []struct {
		what         string
		do           func()
		queues, word float64 // the lines of queues and of flags that move
	}{
		{"nothing", func() {}, 0, 0},
		{"two have queued", func() { s.changes[1]++; s.changes[2]++ }, 2, 0},
		{"nothing since", func() {}, 0, 0},
		{"the searcher itself has queued", func() { s.changes[0]++ }, 0, 0},
		{"one has queued and parks", func() { s.changes[3]++; s.parks(m, m.processors[3]) }, 0, 1},
		{"it is still parked", func() {}, 0, 0},
		{"it is woken", func() { s.wakes(m, m.processors[1], m.processors[3]) }, 1, 1},
	} {
		of.do()
		if got, want := s.look(m, p), look+(of.queues+of.word)*line+(3-of.queues)*hit; got != want {
			t.Errorf("%s: a look takes %v, want %v", of.what, got, want)
		}
	}
}

// TestInboxIsTakenWhole holds that a processor pays for the inbox once for all that it finds there,
// whoever runs it, and that a message without a future is one line.
func TestInboxIsTakenWhole(t *testing.T) {
	const line = 60
	m := newMachine(&Costs{Model: 2, Transfer: line, Pieces: []Piece{{From: "passing", To: "passing", Cost: 1}}}, 2)
	m.Outside(nil, nil)
	sender, p := m.processors[2], m.processors[0]
	runs := func(on, message int, answers bool) float64 {
		before := m.processors[on].clock
		m.On(on, nil, message, answers)
		return m.processors[on].clock - before
	}
	for message := range 4 {
		m.outside.sendsFree(m, sender, message)
	}
	m.Drops(3)
	p.clock = 1000 // long after
	if got := runs(0, 0, false); got != line+toldLines*line {
		t.Errorf("the first of three takes %v, want a line of the inbox and %d of the message", got, toldLines)
	}
	if got := runs(0, 1, true); got != messageLines*line || p.remote {
		t.Errorf("the second takes %v, want %d lines, and no answer that goes to a processor: %v", got, messageLines, p.remote)
	}
	m.processors[1].cold = 1 // it has stolen the third
	if got := runs(1, 2, false); got != toldLines*line || len(m.notes) != 0 {
		t.Errorf("the third takes %v on another processor, and %d are left", got, len(m.notes))
	}
	if got := runs(0, 4, false); got != 0 {
		t.Errorf("a free operation from inside takes %v", got)
	}
}

// TestGoroutineOutlives holds that a run is an error whose program does not wait for a goroutine.
func TestGoroutineOutlives(t *testing.T) {
	h := &Host{outside: 1}
	if _, err := h.run(func(*Host) (time.Duration, error) { return 1, nil }); err == nil || !strings.Contains(err.Error(), "before a goroutine of its Host.Go has ended") {
		t.Errorf("%v", err)
	}
}
