package linear

import "math"

// The search for an order of calls tries one after another and steps back when an answer does not
// fit. Which of several overlapping calls that add went first shows only when items come out,
// perhaps much later, and the search has then to come back from trying the orders of everything
// between: with four threads that enqueue and one that drains afterwards, it would not end. So it
// is told beforehand what the order in which items come out says of that in which they must have
// gone in.

// order is that in which items come out.
type order uint8

const (
	anyOrder order = iota
	firstIn
	lastIn
)

// A span is the instants between which a call took effect.
type span struct{ begin, end int64 }

// before reports whether a call certainly took effect before another.
func (s span) before(t span) bool { return s.end < t.begin }

// never is the span of a call that is not in the history.
var never = span{math.MaxInt64, math.MaxInt64}

// inputs returns what step is given for each call.
func (h History) inputs(m Model) []input {
	inputs := make([]input, len(h))
	leaves := h.leaves(m)
	latest := map[int]int{} // call of each client
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

// leaves returns when the item that each call adds comes out.
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
			first.add(j) // it comes out before
		case m.order == lastIn && leaves[i].before(leaves[j]) && (span{o.Begin, o.End}).before(leaves[i]):
			// It comes out after, and goes in before this one is out: so it must lie below.
			first.add(j)
		}
	}
	return first
}

// look finds the calls that overlap one.
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
