package queue

// The tests call Drain as a method, as they call the other verbs.

func (q *FanIn[T]) Drain(yield func(T) bool)          { Drain(q)(yield) }
func (q *FanOutConsumer[T]) Drain(yield func(T) bool) { Drain(q)(yield) }
func (q *MPMC[T]) Drain(yield func(T) bool)           { Drain(q)(yield) }
func (q *MPSC[T]) Drain(yield func(T) bool)           { Drain(q)(yield) }
func (q *SPMC[T]) Drain(yield func(T) bool)           { Drain(q)(yield) }
func (q *SPSC[T]) Drain(yield func(T) bool)           { Drain(q)(yield) }
