package queue

// The tests call Drain as a method, as they call the other verbs.

func (q *FanIn[T]) Drain(yield func(T) bool)          { Drain(q)(yield) }
func (q *FanOutConsumer[T]) Drain(yield func(T) bool) { Drain(q)(yield) }
func (q *MPMC[T]) Drain(yield func(T) bool)           { Drain(q)(yield) }
func (q *MPSC[T]) Drain(yield func(T) bool)           { Drain(q)(yield) }
func (q *SPMC[T]) Drain(yield func(T) bool)           { Drain(q)(yield) }
func (q *SPSC[T]) Drain(yield func(T) bool)           { Drain(q)(yield) }

// The tests check capacities, which the program has chosen itself: it needs no method for them.

func (q *MPMC[T]) Cap() int          { return int(q.ring.size()) }
func (q *MPSC[T]) Cap() int          { return int(q.ring.size()) }
func (q *SPMC[T]) Cap() int          { return int(q.ring.size()) }
func (q *SPSC[T]) Cap() int          { return int(q.ring.size()) }
func (q *StrictMPMC[T]) Cap() int    { return len(q.values) }
func (p *FanInProducer[T]) Cap() int { return p.ring.Cap() }
func (f *FanOut[T]) Cap() int        { return len(f.nodes) }
func (p *FanInProducer[T]) Len() int { return p.ring.Len() }
func (s *Stack[T]) Empty() bool      { return s.Len() == 0 }

// Producers returns how many producers there are, including those that have left and of whose items
// some have not been taken.
func (f *FanIn[T]) Producers() int {
	f.mustBeMade()
	return len(*f.members.Load())
}

// Consumers returns how many consumers are registered.
func (f *FanOut[T]) Consumers() (n int) {
	f.mustBeMade()
	for _, l := range *f.lanes.list.Load() {
		if l.owned.Load() {
			n++
		}
	}
	return n
}
