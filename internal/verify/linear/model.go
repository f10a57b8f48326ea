package linear

import "slices"

// A Model defines the answers that a container may give if one thread alone calls it.
type Model struct {
	name     string
	order    order // in which items come out
	capacity int
	each     bool // the capacity is each producer's own
	length   Length
	vague    bool // see Vague

	// For containers whose OK has another meaning than that an item went in or came out: every call
	// that adds puts an item in, or every call that removes takes one out.
	alwaysAdds, alwaysRemoves bool

	step func(s state, in input, out Answer) (bool, state)
}

func (m Model) String() string { return m.name }

// take makes a step. It refuses the step if other calls must take effect first.
func (m Model) take(s state, in input, out Answer) (bool, state) {
	if !s.done.covers(in.first) || s.joined != 0 && s.joined != in.client+1 {
		return false, s
	}
	allowed, next := false, s
	switch {
	case in.Verb == Peek:
		allowed, _ = m.step(s, in.taken(), out)
	case in.Verb.adds() || in.Verb.removes():
		allowed, next = m.step(s, in, out)
	default:
		allowed = m.observe(s, in, out)
	}
	next.done, next.joined = s.done.with(in.self), 0
	if in.joined {
		next.joined = in.client + 1
	}
	return allowed, next
}

// added reports whether an operation put an item in; removed, whether it took one out.
func (m Model) added(o Operation) bool { return o.Call.Verb.adds() && (o.Answer.OK || m.alwaysAdds) }

func (m Model) removed(o Operation) bool {
	return o.Call.Verb.removes() && (o.Answer.OK || m.alwaysRemoves)
}

// A state is immutable; step makes a new one. The model chooses the order of its items so that
// states which behave alike are equal.
type state struct {
	items  []int
	owned  bool
	joined int // 1 + the client whose next call takes effect at the same instant, or 0
	done   set // calls that took effect; see Model.take
}

// equal compares all fields but done: porcupine, which searches for the order, compares states only
// after the same calls.
func (s state) equal(t state) bool {
	return s.owned == t.owned && s.joined == t.joined && slices.Equal(s.items, t.items)
}

// with returns the items and one more, at an index.
func with(items []int, at, v int) []int {
	more := make([]int, 0, len(items)+1)
	more = append(more, items[:at]...)
	more = append(more, v)
	return append(more, items[at:]...)
}

// without returns the items but for the one at an index.
func without(items []int, at int) []int {
	fewer := make([]int, 0, len(items))
	fewer = append(fewer, items[:at]...)
	return append(fewer, items[at+1:]...)
}

// An input is a call together with its relations to the other calls of the history.
type input struct {
	Call
	client int
	self   int  // index of the call in the history
	joined bool // takes effect together with the client's next call
	first  set  // calls that must take effect before it
	beside bool // another call overlaps it
	adding set  // calls that overlap it and add an item
	taking set  // calls that overlap it and remove an item
}

// taken returns the Dequeue that would take out the item at which a Peek looks.
func (in input) taken() input {
	in.Verb = Dequeue
	return in
}

// underWay returns the number of slots that the overlapping calls may hold beside those of the
// items. A call that adds holds a slot until it has taken effect, a call that removes from then on.
// done holds the calls that have taken effect.
func (in input) underWay(done set) int {
	return in.adding.count() - in.adding.and(done).count() + in.taking.and(done).count()
}
