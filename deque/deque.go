package deque

// mustBeMade panics if zero is true: the thief's handle is then the zero value.
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
	Retry                 // another call won the race, or holds the lock: there may be more values
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
