package linear

import (
	"fmt"
	"math/bits"
	"slices"
)

// A Model is what a container may answer if one thread alone calls it.
type Model struct {
	name    string
	looks   bool // at the calls that overlap
	initial state
	step    func(s state, in input, out Answer) (bool, state)
}

func (m Model) String() string { return m.name }

// A state is never changed; step makes a new one. Its items are in an order that the model chooses so that states which behave
// alike are equal.
type state struct {
	items []int
	owned bool
	done  set // calls that took effect, for models that look at those that overlap
}

func (s state) equal(t state) bool {
	return s.owned == t.owned && s.done == t.done && slices.Equal(s.items, t.items)
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

// An input is a call, and if the model looks at them, the calls of others that overlap it.
type input struct {
	Call
	self    int // index of the call in the history
	adding  set // calls that add and are not refused
	taking  set // calls that remove something
	besides bool
}

// maxLooked is how many calls a history may have if the model looks at those that overlap.
const maxLooked = 256

// A set is one of indices in a history.
type set [maxLooked / 64]uint64

func (s *set) add(i int) { s[i/64] |= 1 << (i % 64) }

// input returns what step is given for the i-th call.
func (h History) input(i int, looks bool) input {
	in := input{Call: h[i].Call, self: i}
	if !looks {
		return in
	}
	if len(h) > maxLooked {
		panic(fmt.Sprintf("linear: a history of %d calls; this model takes at most %d", len(h), maxLooked))
	}
	for j, o := range h {
		if j == i || o.End < h[i].Begin || h[i].End < o.Begin {
			continue
		}
		in.besides = true
		switch {
		case !o.Answer.OK:
		case o.Call.Verb.adds():
			in.adding.add(j)
		default:
			in.taking.add(j)
		}
	}
	return in
}

// underWay returns how many slots the calls that overlap may hold beside those of the items, with what took effect already.
func (in input) underWay(done set) int {
	count := 0
	for i, word := range done {
		count += bits.OnesCount64(in.adding[i]&^word | in.taking[i]&word)
	}
	return count
}
