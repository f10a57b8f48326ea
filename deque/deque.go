package deque

// Owner is what the deques have in common for the one goroutine, at a time, that owns one of them: *Growable[T] and
// *Bounded[T] are an Owner[*T], *Hybrid[T] is an Owner[T]. Owning may pass to another goroutine through anything that
// synchronises. Code that knows which deque it has should name that type: calls through an interface are not inlined.
type Owner[V any] interface {
	// TryPush adds v at the owner's end. It never waits, and reports false if it cannot add v without: see the type.
	TryPush(v V) bool
	// Pop removes and returns what was pushed last and is still there; false if there was nothing at some instant of the call.
	Pop() (v V, ok bool)
	// Len returns how many values there are. Any goroutine. Beside calls under way it is an estimate: more or fewer by no more values than those
	// calls add and remove.
	Len() int
}

// Thief is what the thieves' handles have in common. Any goroutine may use one; copies are equal.
type Thief[V any] interface {
	// Steal takes the oldest value. It never waits.
	Steal() (v V, outcome Outcome)
	// Empty reports whether there was nothing to steal at some instant of the call. Beside other calls it may be false though there is nothing.
	Empty() bool
}

// mustBeMade panics for the zero value of a thief's handle, which zero tells.
func mustBeMade(zero bool) {
	if zero {
		panic("deque: a zero thief; the deque's method Thief makes one")
	}
}

// Outcome is what a Steal came to.
type Outcome uint8

// The outcomes of a Steal.
const (
	Empty  Outcome = iota // there was nothing to steal at some instant of the call
	Stolen                // the value was taken
	Retry                 // somebody else was faster: there may be more
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
