package runtimetest

import "github.com/freerun-go/freerun"

// Sequence is the state of a unit that checks the order of each sender's messages.
type Sequence struct {
	Next  map[int]int // for each sender, the number expected next
	Wrong []Stamp     // the messages that came out of order
}

// Stamp identifies a message: its sender, and its number among the sender's messages.
type Stamp struct{ Sender, Number int }

// Record takes a message into a Sequence, and adds it to Wrong if it came out of order.
var Record = freerun.Op("record", freerun.NoResult(func(_ *freerun.Context, s *Sequence, m Stamp) error {
	if s.Next[m.Sender] != m.Number {
		s.Wrong = append(s.Wrong, m)
	}
	s.Next[m.Sender] = m.Number + 1
	return nil
}))
