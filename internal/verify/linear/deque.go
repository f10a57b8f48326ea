package linear

// Retry says when a thief may answer that it lost a race, [Answer.Lost].
type Retry uint8

// The two meanings of a lost race.
const (
	RetryTaken Retry = iota // another thread took an item during the call
	RetryBusy               // another thread used the deque during the call
)

// Deque is a work-stealing deque: the owner pushes and pops at one end, thieves steal at the other.
func Deque(capacity int, full Full, retry Retry) Model {
	m := bag(bounded("a work-stealing deque", capacity, full), capacity, full, anyOrder, atEnd, nil)
	owner := bag(m.name, capacity, full, anyOrder, atEnd, atBack).step
	thief := bag(m.name, capacity, full, anyOrder, atEnd, atFront).step
	m.step = func(s state, in input, out Answer) (bool, state) {
		switch {
		case out.Lost && retry == RetryTaken:
			return in.taking != nil, s
		case out.Lost:
			return in.beside, s
		case in.Verb == Steal:
			return thief(s, in, out)
		default:
			return owner(s, in, out)
		}
	}
	return m
}
