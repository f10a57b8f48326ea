package ladder

import (
	"fmt"
	"sync/atomic"
)

// stampede lets all goroutines make one call at the same instant: at a queue with fewer items than they want, with less room than
// they need, and both at once. As many calls must succeed as there are items, or room for.
func stampede(s QueueSpec, _ uint64) error {
	for round := range size(stampedeRounds) {
		items, out := round%3, s.consumers(many)
		room := max(items, 1) // so that the small queues are full at first
		if err := s.rush(s.fits(room), items, 0, out); err != nil {
			return err
		}
		if err := s.rush(s.fits(room), items, s.producers(3), s.consumers(3)); err != nil {
			return err
		}
		if s.Bounded {
			fits := s.fits(1 + round%4)
			if err := s.rush(fits, max(0, fits-round%3), s.producers(many), 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// rush has so many goroutines enqueue and dequeue once at a queue with some items in it.
func (s QueueSpec) rush(room, items, in, out int) error {
	q := s.New(room)
	var c crew
	outs := []Enqueuer[int]{producer(q)}
	for i := 1; i < in; i++ {
		outs = append(outs, producer(q))
	}
	for i := range items {
		if !outs[0].TryEnqueue(valueOf(0, i)) {
			return fmt.Errorf("item %d of %d is refused by a queue with room for %d", i, items, room)
		}
	}
	var entered, left atomic.Int64
	for i := range in {
		c.add(true, func(*hand) error {
			if outs[i].TryEnqueue(valueOf(i+1, 0)) {
				entered.Add(1)
			}
			return nil
		})
	}
	ins := []Dequeuer[int]{consumer(q)}
	for i := 1; i < out; i++ {
		ins = append(ins, consumer(q))
	}
	for i := range out {
		c.add(true, func(*hand) error {
			if _, ok := ins[i].TryDequeue(); ok {
				left.Add(1)
			}
			return nil
		})
	}
	if err := c.run(); err != nil {
		return err
	}
	got := func() string {
		return fmt.Sprintf("%d calls that enqueue and %d that dequeue, at once, at a queue with %d items and room for %d: %d items went in, %d came out",
			in, out, items, room, entered.Load(), left.Load())
	}
	remain := 0
	for ; ; remain++ {
		if _, ok := ins[0].TryDequeue(); !ok {
			break
		}
	}
	if want := items + int(entered.Load()-left.Load()); remain != want {
		return fmt.Errorf("%s, and %d are left, not %d", got(), remain, want)
	}
	if out == 0 {
		want := in
		if s.Bounded && !s.EachProducer {
			want = min(in, room-items)
		}
		if !s.EachProducer && entered.Load() != int64(want) {
			return fmt.Errorf("%s; want %d in", got(), want)
		}
	}
	// Beside enqueues a dequeue may come too early or not; what was there before is there for certain.
	if certain := min(items, out); left.Load() < int64(certain) || in == 0 && left.Load() != int64(certain) {
		return fmt.Errorf("%s; want %d out", got(), certain)
	}
	return nil
}
