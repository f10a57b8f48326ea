package deque

// owner is the owner's end of any deque, with the methods that the tests use.
type owner[V any] interface {
	TryPush(v V) bool
	Pop() (v V, ok bool)
	Len() int
}

// thief is a thief's handle.
type thief[V any] interface {
	Steal() (v V, outcome Outcome)
	Empty() bool
}

// TryPush is Push, which always succeeds.
func (d *Growable[T]) TryPush(v *T) bool {
	d.Push(v)
	return true
}

func NewGrowable[T any]() *Growable[T] { return new(Growable[T]) }

func NewHybrid[T any]() *Hybrid[T] { return new(Hybrid[T]) }

func (d *Bounded[T]) Cap() int { return int(d.core.capacity) }

// Empty reports whether there was no value to steal at some instant of the call.
func (t GrowableThief[T]) Empty() bool {
	mustBeMade(t.core == nil)
	return t.core.len() == 0
}

// Empty reports whether there was no value to steal at some instant of the call.
func (t BoundedThief[T]) Empty() bool {
	mustBeMade(t.core == nil)
	return t.core.len() == 0
}

// Empty reports whether there was no value to steal at some instant of the call.
func (t HybridThief[T]) Empty() bool {
	mustBeMade(t.deque == nil)
	return t.deque.Len() == 0
}
