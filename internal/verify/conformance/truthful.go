package conformance

import (
	"fmt"
	"sync/atomic"
)

// truthful has goroutines that call only when the call must succeed. A consumer needs a permit for
// each call; each item that went in makes one. A producer needs a permit for room; each item that
// came out makes one.
func truthful(s QueueSpec, _ uint64) error {
	for _, pair := range s.pairs() {
		for _, room := range s.rooms() {
			if err := permits(s, room, pair[0], pair[1], s.share(truthfulItems, room)); err != nil {
				return fmt.Errorf("%d producers, %d consumers: %w", pair[0], pair[1], err)
			}
		}
	}
	return nil
}

// take takes a permit if there is one.
func take(permits *atomic.Int64) bool {
	for {
		n := permits.Load()
		if n == 0 || permits.CompareAndSwap(n, n-1) {
			return n > 0
		}
	}
}

func permits(s QueueSpec, room, producers, consumers, items int) error {
	q := s.New(room)
	const endless = 1 << 40
	rooms := make([]atomic.Int64, producers) // permits; the first is for all unless EachProducer
	roomOf := func(producer int) *atomic.Int64 {
		if s.EachProducer {
			return &rooms[producer]
		}
		return &rooms[0]
	}
	for i := range rooms {
		rooms[i].Store(endless)
		if s.Bounded {
			rooms[i].Store(int64(s.fits(room)))
		}
	}
	var ready, taken atomic.Int64
	each := items / producers
	var c crew
	for p := range producers {
		out := producer(q)
		c.add(true, func(h *hand) error {
			for i := range each {
				for !take(roomOf(p)) {
					if err := h.pause(); err != nil {
						return err
					}
				}
				if !out.TryEnqueue(valueOf(p, i)) {
					return fmt.Errorf("TryEnqueue said \"full\" of a queue for %d items when there was certainly room", s.fits(room))
				}
				ready.Add(1)
				h.did()
			}
			return nil
		})
	}
	for range consumers {
		in := consumer(q)
		c.add(false, func(h *hand) error {
			for taken.Load() < int64(each*producers) {
				if !take(&ready) {
					if err := h.pause(); err != nil {
						return err
					}
					continue
				}
				v, ok := in.TryDequeue()
				if !ok {
					return fmt.Errorf("TryDequeue said \"empty\" when there was certainly an item (room for %d)", s.fits(room))
				}
				taken.Add(1)
				roomOf(v / valueOf(1, 0)).Add(1)
				h.did()
			}
			return nil
		})
	}
	return c.run()
}

// balanced has goroutines that each enqueue and dequeue in turn, so that the queue always holds
// about as many items as at first. There is an item, or room, for each call: none may say "empty"
// or "full". If the queue allows one producer or one consumer only, there is one goroutine.
func balanced(s QueueSpec, _ uint64) error {
	hands := 2 * many
	if s.OneProducer || s.OneConsumer {
		hands = 1
	}
	const room = 64
	for _, c := range []struct {
		name         string
		room, items  int
		enqueueFirst bool
	}{
		{"filled to 40%, dequeue first", room, room * 2 / 5, false},
		{"filled to 40%, enqueue first", room, room * 2 / 5, true},
		{"an item for each, dequeue first", room, hands, false},
		{"empty, enqueue first", room, 0, true},
		{"room for an item of each, empty, enqueue first", hands, 0, true},
		{"room for an item of each, full, dequeue first", hands, hands, false},
		{"room left for an item of each, dequeue first", room, room - hands, false},
		{"room left for an item of each, enqueue first", room, room - hands, true},
	} {
		if err := s.balance(c.room, c.items, hands, c.enqueueFirst); err != nil {
			return fmt.Errorf("%d goroutines, %s: %w", hands, c.name, err)
		}
	}
	return nil
}

func (s QueueSpec) balance(room, items, hands int, enqueueFirst bool) error {
	q := s.New(room)
	var c crew
	outs := make([]Enqueuer[int], hands)
	for i := range outs {
		outs[i] = producer(q)
	}
	for i := range items {
		if !outs[i%hands].TryEnqueue(i) {
			return fmt.Errorf("item %d is refused by a queue for %d", i, room)
		}
	}
	for i, out := range outs {
		in := consumer(q)
		c.add(true, func(h *hand) error {
			v := items + i
			for round := range size(balancedRounds) {
				if round > 0 || enqueueFirst {
					if !out.TryEnqueue(v) {
						return fmt.Errorf("round %d: TryEnqueue said \"full\"", round)
					}
				}
				var ok bool
				if v, ok = in.TryDequeue(); !ok {
					return fmt.Errorf("round %d: TryDequeue said \"empty\"", round)
				}
				h.did()
			}
			return nil
		})
	}
	return c.run()
}
