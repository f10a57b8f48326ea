package linear

import "math"

// The search for an order of calls tries one after another and steps back when an answer does not
// fit. The order of overlapping calls that add items shows only when the items come out, perhaps
// much later. By then the search has tried the orders of everything between, and has to step back
// through them: with four threads that enqueue and one that drains afterwards, it would not end. So
// the search gets beforehand the constraints on the calls that add, as they follow from the order
// in which the items come out.

// order is the order in which items come out.
type order uint8

const (
	anyOrder order = iota
	firstIn
	lastIn
)

// A span holds the two instants between which a call took effect.
type span struct{ begin, end int64 }

// before reports whether the call of s certainly took effect before that of t.
func (s span) before(t span) bool { return s.end < t.begin }

// never is the span of a removal that is not in the history.
var never = span{math.MaxInt64, math.MaxInt64}

// inputs returns the argument of Model.step for each call.
func (h History) inputs(m Model) []input {
	inputs := make([]input, len(h))
	leaves := h.leaves(m)
	latest := map[int]int{} // the latest call of each client
	for i, o := range h {
		in := input{Call: o.Call, client: o.Client, self: i, joined: o.Joined}
		if m.order != anyOrder && m.added(o) {
			in.first = h.first(i, m, leaves)
		}
		if before, found := latest[o.Client]; found && h[before].End >= o.Begin {
			in.first.add(before)
		}
		latest[o.Client] = i
		h.look(&in, m)
		inputs[i] = in
	}
	return inputs
}

// leaves returns, for each call that adds an item, the span in which the item comes out.
func (h History) leaves(m Model) []span {
	out := map[int]span{}
	for _, o := range h {
		if m.removed(o) {
			out[o.Answer.Value] = span{o.Begin, o.End}
		}
	}
	leaves := make([]span, len(h))
	for i, o := range h {
		leaves[i] = never
		if s, found := out[o.Call.Value]; found && m.added(o) {
			leaves[i] = s
		}
	}
	return leaves
}

// first returns the calls that must have added their items before call i does.
func (h History) first(i int, m Model, leaves []span) (first set) {
	for j, o := range h {
		if j == i || !m.added(o) {
			continue
		}
		switch {
		case m.order == firstIn && leaves[j].before(leaves[i]):
			first.add(j) // item j comes out before item i
		case m.order == lastIn && leaves[i].before(leaves[j]) && (span{o.Begin, o.End}).before(leaves[i]):
			// Item j comes out after item i, and goes in before item i is out: so it must lie
			// below.
			first.add(j)
		}
	}
	return first
}

// look notes in the input the calls that overlap it.
func (h History) look(in *input, m Model) {
	self := span{h[in.self].Begin, h[in.self].End}
	for j, o := range h {
		other := span{o.Begin, o.End}
		if j == in.self || other.before(self) || self.before(other) {
			continue
		}
		in.beside = true
		switch {
		case m.added(o):
			in.adding.add(j)
		case m.removed(o):
			in.taking.add(j)
		}
	}
}
