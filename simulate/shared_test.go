package simulate

import "testing"

// TestWordsTakeTurns holds that processors that write a word at the same time come one after
// another, that its last writer pays nothing, and that one that is behind does not wait for those
// that come later.
func TestWordsTakeTurns(t *testing.T) {
	m := newMachine(&Costs{Model: 2, Transfer: 60, Pieces: []Piece{{From: "passing", To: "passing", Cost: 1}}}, 4)
	at := func(clock float64, index int) *processor {
		m.processors[index].clock = clock
		return &m.processors[index]
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
