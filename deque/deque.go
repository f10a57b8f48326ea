package deque

// Owner is the owner's end of a deque: *Growable[T] and *Bounded[T] are an Owner[*T], *Hybrid[T] is
// an Owner[T]. One goroutine at a time owns a deque. Ownership may pass to another goroutine
// through anything that synchronises. Code that knows which deque it has should name that type:
// calls through an interface are not inlined.
type Owner[V any] interface {
	// TryPush adds v at the owner's end. It never waits. It reports false if it cannot add v
	// without waiting; each type says when.
	TryPush(v V) bool
	// Pop removes and returns the value that was pushed last and is still there. It returns false
	// if the deque was empty at some instant of the call.
	Pop() (v V, ok bool)
	// Len returns the number of values. Any goroutine may call it. Beside concurrent calls it is
	// an estimate, off by at most the number of values that those calls add and remove.
	Len() int
}

// Thief is a thief's handle. Any goroutine may use one; copies are equal.
type Thief[V any] interface {
	// Steal takes the oldest value. It never waits.
	Steal() (v V, outcome Outcome)
	// Empty reports whether there was no value to steal at some instant of the call. Beside
	// concurrent calls it may report false for an empty deque.
	Empty() bool
}

// mustBeMade panics if zero says that a thief's handle is the zero value.
func mustBeMade(zero bool) {
	if zero {
		panic("deque: a zero thief; the deque's method Thief makes one")
	}
}

// Outcome is the result of a Steal.
type Outcome uint8

// The outcomes of a Steal.
const (
	Empty  Outcome = iota // the deque was empty at some instant of the call
	Stolen                // the value was taken
	Retry                 // another call won the race: there may be more values
)

// String returns the outcome's name.
func (o Outcome) String() string {
	switch o {
	case Empty:
		return "empty"
	case Stolen:
		return "stolen"
	case Retry:
		return "retry"
	default:
		return "no outcome"
	}
}
