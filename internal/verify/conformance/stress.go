package conformance

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
)

// many is the number of producers, or of consumers, in a stress; mostly more than processors.
const many = 4

// pairs returns pairs of numbers of producers and consumers, as far as the queue allows them.
func (s QueueSpec) pairs() [][2]int {
	seen := map[[2]int]bool{}
	var pairs [][2]int
	for _, pair := range [][2]int{{1, 1}, {1, many}, {many, 1}, {many, many}} {
		pair = [2]int{s.producers(pair[0]), s.consumers(pair[1])}
		if !seen[pair] {
			seen[pair] = true
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// rooms returns the capacities of a stress: the smallest, a small one, and one that is seldom full.
func (s QueueSpec) rooms() []int {
	if s.Bounded {
		return []int{1, 4, 256}
	}
	return []int{0}
}

// share returns how many of the items go through a queue of this capacity: few through a small
// queue, where each item costs a change of goroutines.
func (s QueueSpec) share(items, room int) int {
	items = size(items)
	switch {
	case !s.Bounded:
		return items
	case room == 1:
		return items / 10
	case room < 100:
		return items / 4
	default:
		return items / 2
	}
}

func loadOf[T any](s QueueSpec, newQueue func(int) Total[T], room, producers, consumers, items int) *load[T] {
	l := &load[T]{queue: newQueue(room), producers: producers, consumers: consumers, items: items, ordered: s.ordered()}
	if s.Bounded {
		l.fits = s.fits(room)
		if s.EachProducer {
			l.fits *= producers
		}
	}
	return l
}

// stress runs a load for each pair of numbers and each capacity.
func stress(s QueueSpec, _ uint64) error {
	for _, pair := range s.pairs() {
		for _, room := range s.rooms() {
			l := loadOf(s, s.New, room, pair[0], pair[1], s.share(stressItems, room))
			l.encode, l.decode = plain, same
			if err := l.run(); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch runs the same loads with the calls that move several items.
func batch(s QueueSpec, seed uint64) error {
	for _, pair := range s.pairs() {
		for _, room := range s.rooms() {
			l := loadOf(s, s.New, room, pair[0], pair[1], s.share(batchItems, room))
			l.encode, l.decode, l.batches, l.seed = plain, same, 9, seed
			if err := l.run(); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasBatches reports whether the queue, or a handle of it, has calls that move several items.
func (s QueueSpec) hasBatches() (in, out bool) {
	q := s.New(8)
	_, in = producer(q).(enqueuerN[int])
	_, out = consumer(q).(dequeuerN[int])
	return in, out
}

// torn runs loads of large items and checks every word of them.
func torn(s QueueSpec, _ uint64) error {
	for _, room := range s.rooms() {
		l := loadOf(s, s.NewWide, room, s.producers(many), s.consumers(many), s.share(wideItems, room))
		l.encode, l.decode = wide, Wide.value
		if err := l.run(); err != nil {
			return err
		}
	}
	return nil
}

// order has producers that take turns, each putting in some items. So the order of the items of all
// producers is known, and a consumer must not get an older item after a newer one.
func order(s QueueSpec, seed uint64) error {
	const hands = 3
	for _, room := range s.rooms() {
		for _, consumers := range []int{1, s.consumers(hands)} {
			if err := takeTurns(s, seed, room, hands, consumers); err != nil {
				return fmt.Errorf("%d producers that take turns, %d consumers, room for %d: %w", hands, consumers, room, err)
			}
		}
	}
	return nil
}

func takeTurns(s QueueSpec, seed uint64, room, producers, consumers int) error {
	q := s.New(room)
	items := s.share(orderItems, room)
	var c crew
	turn, next := make(chan struct{}, 1), 0 // the hand that has the turn owns next
	turn <- struct{}{}
	var everything atomic.Bool
	shared := producer(q)
	for p := range producers {
		out, random := shared, rand.New(rand.NewPCG(seed, uint64(p)))
		if !s.OneProducer && p > 0 {
			out = producer(q)
		}
		c.add(true, func(h *hand) error {
			for !everything.Load() {
				<-turn
				for range min(random.IntN(20), items-next) {
					for !out.TryEnqueue(next) {
						if err := h.pause(); err != nil {
							everything.Store(true)
							turn <- struct{}{}
							return err
						}
					}
					h.did()
					next++
				}
				if next == items {
					everything.Store(true)
				}
				turn <- struct{}{}
			}
			return nil
		})
	}
	got := make([][]int, consumers)
	l := &load[int]{queue: q, decode: same}
	for i := range got {
		in := consumer(q)
		c.add(false, func(h *hand) (err error) {
			got[i], err = l.consume(h, in, nil)
			return err
		})
	}
	if err := c.run(); err != nil {
		return err
	}
	t := newTally(1, items)
	for _, values := range got {
		if err := t.add(values, true); err != nil {
			return err
		}
	}
	return t.lost()
}
