package linear

import (
	"fmt"
	"sort"
)

// Full says when a bounded container may refuse an item. The package comment defines both meanings.
type Full uint8

// The two meanings of "full".
const (
	Strict   Full = iota // as many items as its capacity
	InFlight             // as many items and successful calls under way as its capacity
)

// Unbounded is the capacity of a container that never refuses.
const Unbounded = 0

// Stride separates the values of producers: value v belongs to producer v / Stride.
const Stride = 1 << 20

// FIFO is a queue: first in, first out, among all items.
func FIFO(capacity int, full Full) Model {
	return bag(bounded("a first-in-first-out queue", capacity, full), capacity, full, firstIn, atEnd, atFront)
}

// LIFO is a stack: last in, first out.
func LIFO(capacity int, full Full) Model {
	return bag(bounded("a last-in-first-out stack", capacity, full), capacity, full, lastIn, atEnd, atBack)
}

// PerProducer is a queue in which only the items of one producer are in order: the oldest item of
// any producer may come out. No item is lost or doubled, and "empty" means that there was no item
// of any producer. All producers share the capacity.
func PerProducer(capacity int, full Full) Model {
	return bag(bounded("a queue in order for each producer", capacity, full), capacity, full, anyOrder, atEndOfProducer, oldestOfProducer)
}

// Bag is a container without order: any of its items may come out.
func Bag(capacity int, full Full) Model {
	return bag(bounded("a bag", capacity, full), capacity, full, anyOrder, where, func(items []int, v int) int {
		if at := where(items, v); at < len(items) {
			return at
		}
		return -1
	})
}

// where returns the index of v, or the index at which v belongs.
func where(items []int, v int) int { return sort.SearchInts(items, v) }

// PerProducerEach is PerProducer with a capacity for each producer: an item is refused if the queue
// holds capacity items of the same producer.
func PerProducerEach(capacity int) Model {
	m := bag(fmt.Sprintf("a queue in order for each producer, with room for %d items of each", capacity), Unbounded, Strict, anyOrder, atEndOfProducer, oldestOfProducer)
	m.capacity, m.each = capacity, true
	unbounded := m.step
	m.step = func(s state, in input, out Answer) (bool, state) {
		if !in.Verb.adds() {
			return unbounded(s, in, out)
		}
		room := m.room(s, in.Value) > 0
		if !room || !out.OK {
			return !out.OK && (!room || in.busy(in.taking, s.done)), s
		}
		return unbounded(s, in, out)
	}
	return m
}

func bounded(what string, capacity int, full Full) string {
	switch {
	case capacity == Unbounded:
		return what + " without bound"
	case full == InFlight:
		return fmt.Sprintf("%s with room for %d items and calls under way", what, capacity)
	default:
		return fmt.Sprintf("%s with room for %d items", what, capacity)
	}
}

// bag is a container of items. where returns the index at which an item goes in. from returns the
// index at which an item must be to come out, -1 if there is no such item.
func bag(name string, capacity int, full Full, by order, where, from func(items []int, v int) int) Model {
	return Model{name: name, capacity: capacity, order: by, step: func(s state, in input, out Answer) (bool, state) {
		switch {
		case in.Verb.adds() && !out.OK:
			held := len(s.items)
			if full == InFlight {
				held += in.underWay(s.done)
			}
			return capacity != Unbounded && (held >= capacity || in.busy(in.taking, s.done)), s
		case in.Verb.adds():
			return capacity == Unbounded || len(s.items) < capacity, state{items: with(s.items, where(s.items, in.Value), in.Value)}
		case !out.OK:
			return len(s.items) == 0 || in.busy(in.adding, s.done), s
		}
		at := from(s.items, out.Value)
		if at < 0 || s.items[at] != out.Value {
			return false, s
		}
		return true, state{items: without(s.items, at)}
	}}
}

func atEnd(items []int, _ int) int   { return len(items) }
func atFront(items []int, _ int) int { return min(0, len(items)-1) }
func atBack(items []int, _ int) int  { return len(items) - 1 }

// Items of a PerProducer queue are kept by producer, as the order among producers does not matter.
func firstOfProducer(items []int, producer int) int {
	return sort.Search(len(items), func(i int) bool { return items[i]/Stride >= producer })
}

func atEndOfProducer(items []int, v int) int { return firstOfProducer(items, v/Stride+1) }

func oldestOfProducer(items []int, v int) int {
	if at := firstOfProducer(items, v/Stride); at < len(items) {
		return at
	}
	return -1
}
