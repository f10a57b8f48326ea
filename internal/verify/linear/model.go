package linear

import "slices"

// A Model is what a container may answer if one thread alone calls it.
type Model struct {
	name     string
	order    order // in which items come out
	capacity int
	each     bool // the capacity is each producer's own
	length   Length
	vague    bool // see Vague

	// For containers whose OK does not mean that something went in or came out: each call that
	// adds, or removes, does.
	alwaysAdds, alwaysRemoves bool

	step func(s state, in input, out Answer) (bool, state)
}

func (m Model) String() string { return m.name }

// take makes a step, unless it is known that others must come first.
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

// added and removed report whether something went in, or came out, in an operation.
func (m Model) added(o Operation) bool { return o.Call.Verb.adds() && (o.Answer.OK || m.alwaysAdds) }

func (m Model) removed(o Operation) bool {
	return o.Call.Verb.removes() && (o.Answer.OK || m.alwaysRemoves)
}

// A state is never changed; step makes a new one. Its items are in an order that the model chooses
// so that states which behave alike are equal.
type state struct {
	items  []int
	owned  bool
	joined int // 1 and the client whose next call takes effect at the same instant, or 0
	done   set // calls that took effect; see Model.take
}

// equal compares all but done: porcupine compares states only after the same calls.
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

// An input is a call, with what is known of the history around it.
type input struct {
	Call
	client int
	self   int  // index of the call in the history
	joined bool // with the client's next call
	first  set  // calls that must take effect before
	beside bool // another call overlaps it
	adding set  // calls that overlap it, add something and are not refused
	taking set  // calls that overlap it and remove something
}

// taken returns the call that takes out what a Peek looks at.
func (in input) taken() input {
	in.Verb = Dequeue
	return in
}

// underWay returns how many slots the calls that overlap may hold beside those of the items, with
// what took effect already: one that adds, until it has taken effect, and one that removes, from
// then on.
func (in input) underWay(done set) int {
	return in.adding.count() - in.adding.and(done).count() + in.taking.and(done).count()
}
