package conformance

import (
	"fmt"
	"strings"
)

// capacity makes bounded queues of several capacities and checks how many items each holds.
func capacity(s QueueSpec) error {
	if err := refusesCapacities(func(capacity int) { s.New(capacity) }); err != nil {
		return err
	}
	for _, asked := range []int{1, 2, 3, 4, 5, 8, 9, 100} {
		q, want := s.New(asked), s.fits(asked)
		if q, can := q.(interface{ Cap() int }); can {
			if got := q.Cap(); got != want {
				return fmt.Errorf("capacity %d: Cap() = %d, want %d", asked, got, want)
			}
		}
		d := newDrill(s, q, asked)
		for round := range 3 {
			for i := range want + 1 { // the last one is refused
				if err := d.enqueue(0); err != nil {
					return fmt.Errorf("capacity %d, round %d, item %d: %w", asked, round, i, err)
				}
			}
			if err := d.empty(); err != nil {
				return fmt.Errorf("capacity %d, round %d: %w", asked, round, err)
			}
		}
	}
	return nil
}

// refusesCapacities returns an error if a container can be made with a capacity below 1.
func refusesCapacities(made func(capacity int)) error {
	for _, wrong := range []int{0, -1, -1 << 31} {
		if said := panicOf(func() { made(wrong) }); !strings.Contains(said, ": ") {
			return fmt.Errorf("capacity %d: it panics with %q, want a panic worded as \"queue: what was wrong\"", wrong, said)
		}
	}
	return nil
}

// panicOf returns the text of a function's panic.
func panicOf(f func()) (said string) {
	defer func() {
		if p := recover(); p != nil {
			said = fmt.Sprint(p)
		}
	}()
	f()
	return "nothing"
}

// wrap keeps queues at each level of filling for many laps, and lets indices overflow.
func wrap(s QueueSpec) error {
	for _, capacity := range []int{1, 2, 3, 4, 8} {
		room := s.fits(capacity)
		for level := range room + 1 {
			d := newDrill(s, s.New(capacity), capacity)
			if err := d.laps(level, size(wrapLaps)*room); err != nil {
				return fmt.Errorf("capacity %d: %w", capacity, err)
			}
		}
		if s.NearOverflow == nil {
			continue
		}
		for level := range room + 1 {
			d := newDrill(s, s.NearOverflow(capacity), capacity)
			if err := d.laps(level, 8*room+64); err != nil {
				return fmt.Errorf("capacity %d, indices about to overflow: %w", capacity, err)
			}
		}
	}
	return nil
}

// laps brings the queue to a level, then enqueues and dequeues one item at a time, and empties the
// queue at the end.
func (d *drill) laps(level, count int) error {
	fail := func(i int, err error) error { return fmt.Errorf("kept at %d items, step %d: %w", level, i, err) }
	for i := range level {
		if err := d.enqueue(i % len(d.producers)); err != nil {
			return fail(-1, err)
		}
	}
	for i := range count {
		// Where there is room the item goes in first, so that an empty queue is tested too.
		first, second := d.enqueue, d.dequeue
		if level > 0 && (i%2 == 1 || level == d.room) {
			first, second = d.dequeue, d.enqueue
		}
		if err := first(0); err != nil {
			return fail(i, err)
		}
		if err := second(0); err != nil {
			return fail(i, err)
		}
	}
	return d.empty()
}
