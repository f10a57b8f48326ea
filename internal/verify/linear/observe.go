package linear

// A Length is the meaning of a container's Len during other calls.
type Length uint8

// The meanings of Len, from the strongest to the weakest. All answers are from 0 to the capacity.
const (
	Exact    Length = iota // the number of items at some instant of the call
	NotFewer               // that, or more by items that concurrent calls took out; 0: it was empty
	Near                   // off by at most the items that concurrent calls put in or took out
	NotZero                // 0: it was empty; a greater number may be too great
	Rough                  // exact without concurrent calls, and otherwise any number
)

// Measured returns the model of a container whose Len has this meaning. The default is Exact.
func (m Model) Measured(l Length) Model {
	m.length = l
	return m
}

// Vague returns the model of a container whose Empty may return false during other calls although
// there is no item.
func (m Model) Vague() Model {
	m.vague = true
	return m
}

// observe reports whether an observer may give this answer in a state.
func (m Model) observe(s state, in input, out Answer) bool {
	n := len(s.items)
	switch in.Verb {
	case Len:
		return m.measure(n, in, s.done, out.Value)
	case Empty:
		return out.OK == (n == 0) || m.vague && !out.OK && in.beside
	case Stock:
		return n <= out.Value || in.busy(in.adding, s.done)
	case Room:
		return m.room(s, in.Value) <= out.Value || in.busy(in.taking, s.done)
	default:
		return false
	}
}

// busy reports whether a refusal is allowed because an overlapping call has taken effect and may
// not have returned.
func (in input) busy(beside, done set) bool { return in.Busy && beside.and(done).count() > 0 }

// room returns the number of further items that fit; v is an item of the producer that wants to
// enqueue.
func (m Model) room(s state, v int) int {
	switch {
	case m.capacity == Unbounded:
		return len(s.items) + 1<<30
	case m.each:
		producer := v / Stride
		return m.capacity - (atEndOfProducer(s.items, v) - firstOfProducer(s.items, producer))
	default:
		return m.capacity - len(s.items)
	}
}

// measure reports whether Len may return said when there are n items.
func (m Model) measure(n int, in input, done set, said int) bool {
	if said < 0 || m.capacity != Unbounded && !m.each && said > m.capacity {
		return false
	}
	added, taken := in.adding.and(done).count(), in.taking.and(done).count()
	adding, taking := in.adding.count()-added, in.taking.count()-taken // not yet
	switch m.length {
	case NotFewer:
		return n <= said && said <= n+taken
	case Near:
		return n-added-taking <= said && said <= n+taken+adding
	case NotZero:
		return n <= said
	case Rough:
		return said == n || in.beside
	default:
		return said == n
	}
}
