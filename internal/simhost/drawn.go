package simhost

import "math/rand/v2"

// Drawn is a [Schedule] that chooses the processor that goes on: at random, or by priorities that
// change at random (PCT). Make it with [Draw].
type Drawn struct {
	// Log is told what Began is told; it may be nil.
	Log func(processor int, operation string)

	random *rand.Rand
	step   int

	// PCT only; nil if the choice is random.
	priorities []int       // by processor; the ready one with the highest goes on
	changes    map[int]int // step → the new priority of the processor that would go on then
	last       int         // the processor that went on last
	inRow      int         // how many times it did while others were ready, one after another
	least      int         // below all priorities given so far
}

const (
	mostChanges = 3
	// The changes lie within a horizon of steps from the start. The number of steps of a run is not
	// known before, so the horizon is drawn too.
	horizons     = 4
	leastHorizon = 16
	// mostInRow is how many times one processor goes on while others are ready. Then it gets the
	// least priority: it may wait for one of them in a loop, which would never end.
	mostInRow = 1024
)

// Draw returns a schedule that follows from random.
func Draw(random *rand.Rand, byPriority bool, processors int) *Drawn {
	s := &Drawn{random: random}
	if !byPriority {
		return s
	}
	s.priorities, s.least = random.Perm(processors), -1-mostChanges
	s.changes = map[int]int{}
	horizon := leastHorizon << (2 * random.IntN(horizons)) // 16, 64, 256, 1024
	for i := range 1 + random.IntN(mostChanges) {
		s.changes[random.IntN(horizon)] = -1 - i
	}
	return s
}

// ByPriority reports whether the schedule goes by priorities.
func (s *Drawn) ByPriority() bool { return s.priorities != nil }

// Choose implements [Schedule].
func (s *Drawn) Choose(ready []int) int {
	s.step++
	if s.priorities == nil {
		return s.random.IntN(len(ready))
	}
	// Resize may have added processors.
	for last := ready[len(ready)-1]; len(s.priorities) <= last; {
		s.priorities = append(s.priorities, s.random.IntN(len(s.priorities)+1))
	}
	first := s.first(ready)
	if fallen, change := s.changes[s.step]; change {
		s.priorities[ready[first]] = fallen
		first = s.first(ready)
	}
	return s.fairly(ready, first)
}

// fairly returns the choice, or another one if the chosen processor has gone on too often in a row.
func (s *Drawn) fairly(ready []int, first int) int {
	if p := ready[first]; p != s.last {
		s.last, s.inRow = p, 0
	}
	if len(ready) == 1 {
		return first
	}
	if s.inRow++; s.inRow <= mostInRow {
		return first
	}
	s.inRow = 0
	s.priorities[ready[first]] = s.least
	s.least--
	return s.first(ready)
}

// first returns the index of the ready processor with the highest priority.
func (s *Drawn) first(ready []int) int {
	best := 0
	for i, p := range ready {
		if s.priorities[p] > s.priorities[ready[best]] {
			best = i
		}
	}
	return best
}

// Began implements [Schedule].
func (s *Drawn) Began(processor int, operation string) {
	if s.Log != nil {
		s.Log(processor, operation)
	}
}
