package linear

import "slices"

// Mailbox is a queue that appoints an owner. The Enqueue that finds it without an owner gets an OK
// answer and is the owner; a Dequeue that finds it empty gives the ownership up. A Dequeue while
// there is no owner is illegal.
func Mailbox() Model {
	return Model{name: "a mailbox", order: firstIn, alwaysAdds: true, step: func(s state, in input, out Answer) (bool, state) {
		switch {
		case in.Verb == Enqueue:
			return out.OK == !s.owned, state{owned: true, items: with(s.items, len(s.items), in.Value)}
		case !s.owned:
			return false, s
		case !out.OK:
			return len(s.items) == 0, state{}
		case len(s.items) == 0 || s.items[0] != out.Value:
			return false, s
		}
		return true, state{owned: true, items: without(s.items, 0)}
	}}
}

// OwnerCount models the ownership that the answers of queue.Owner convey: an Enqueue is OK if the
// count was zero, a Dequeue if it is zero afterwards. The items that come out do not matter.
func OwnerCount() Model {
	return Model{name: "a counter that appoints an owner", step: func(s state, in input, out Answer) (bool, state) {
		if in.Verb == Enqueue {
			return out.OK == (len(s.items) == 0), state{items: with(s.items, 0, 0)}
		}
		if len(s.items) == 0 || out.OK != (len(s.items) == 1) {
			return false, s
		}
		return true, state{items: without(s.items, 0)}
	}}
}

// OwnerItems models the items that come out of queue.Owner: first in, first out. The ownership that
// the answers convey does not matter.
func OwnerItems() Model {
	const name = "a queue that is never dequeued from when empty"
	return Model{name: name, order: firstIn, alwaysAdds: true, alwaysRemoves: true, step: func(s state, in input, out Answer) (bool, state) {
		if in.Verb == Enqueue {
			return true, state{items: with(s.items, len(s.items), in.Value)}
		}
		if len(s.items) == 0 || s.items[0] != out.Value {
			return false, s
		}
		return true, state{items: without(s.items, 0)}
	}}
}

// OwnerSet is a set that appoints an owner. Any item may come out. As in OwnerCount, an Enqueue is
// OK if the set was empty, and a Dequeue if it is empty afterwards.
func OwnerSet() Model {
	return Model{name: "a set that appoints an owner", step: func(s state, in input, out Answer) (bool, state) {
		if in.Verb == Enqueue {
			at, _ := slices.BinarySearch(s.items, in.Value)
			return out.OK == (len(s.items) == 0), state{items: with(s.items, at, in.Value)}
		}
		at, present := slices.BinarySearch(s.items, out.Value)
		if !present || out.OK != (len(s.items) == 1) {
			return false, s
		}
		return true, state{items: without(s.items, at)}
	}}
}
