package runtimetest

import "github.com/freerun-go/freerun"

// Sequence is the state of a unit that checks the order of each sender's messages.
type Sequence struct {
	Next  map[int]int // the number that comes next, for each sender
	Wrong []Stamp
}

// Stamp is a message: its sender, and which of its messages it is.
type Stamp struct{ Sender, Number int }

// Record notes a message, and whether it came out of order.
var Record = freerun.Op("test.record", func(_ *freerun.Context, s *Sequence, m Stamp) (struct{}, error) {
	if s.Next[m.Sender] != m.Number {
		s.Wrong = append(s.Wrong, m)
	}
	s.Next[m.Sender] = m.Number + 1
	return struct{}{}, nil
})
