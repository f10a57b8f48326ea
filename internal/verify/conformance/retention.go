package conformance

import (
	"fmt"
	"runtime"
	"weak"
)

// retention checks that items that came out can be collected while the queue is alive, empty or
// not.
func retention(s QueueSpec, _ uint64) error {
	counts := []int{1, 2, 3, 64, 65, 300, 3000}
	if s.Bounded {
		counts = []int{1, 2, 3, 16, 300}
	}
	for _, count := range counts {
		for _, left := range []int{0, 1, count / 2} {
			q := s.NewBoxed(count)
			if err := retains(q, count, left); err != nil {
				return fmt.Errorf("%d items go in, all but %d come out: %w", count, left, err)
			}
		}
	}
	return retainsAfterLoad(s)
}

// retains moves three laps of items through a queue, and returns an error if an item that came out
// is kept alive.
func retains(q Total[*Box], count, left int) error {
	out, in := producer(q), consumer(q)
	var gone []weak.Pointer[Box]
	for lap := range 3 {
		for i := range count - min(lap, 1)*left {
			if !out.TryEnqueue(&Box{number: i}) {
				return fmt.Errorf("lap %d: item %d is refused", lap, i)
			}
		}
		for i := range count - left {
			b, ok := in.TryDequeue()
			if !ok {
				return fmt.Errorf("lap %d: item %d does not come out", lap, i)
			}
			gone = append(gone, weak.Make(b))
		}
	}
	err := collected(gone)
	runtime.KeepAlive(q)
	runtime.KeepAlive(out)
	runtime.KeepAlive(in)
	return err
}

// collected returns an error if an item is alive.
func collected(gone []weak.Pointer[Box]) error {
	runtime.GC()
	runtime.GC()
	kept, first := 0, 0
	for i, w := range gone {
		if w.Value() != nil {
			if kept++; kept == 1 {
				first = i
			}
		}
	}
	if kept > 0 {
		return fmt.Errorf("%d of the %d items that came out are kept alive, first of them the %d-th", kept, len(gone), first+1)
	}
	return nil
}

// retainsAfterLoad checks the same after many goroutines have used the queue.
func retainsAfterLoad(s QueueSpec) error {
	const items = 4_000
	q := s.NewBoxed(64)
	gone := make([][]weak.Pointer[Box], s.consumers(many))
	var c crew
	producers := s.producers(many)
	for range producers {
		out := producer(q)
		c.add(true, func(h *hand) error {
			for i := range items / producers {
				b := &Box{number: i}
				for !out.TryEnqueue(b) {
					if err := h.pause(); err != nil {
						return err
					}
				}
				h.did()
			}
			return nil
		})
	}
	for i := range gone {
		in := consumer(q)
		c.add(false, func(h *hand) error {
			for {
				finished := h.crew.allFinished()
				b, ok := in.TryDequeue()
				switch {
				case ok:
					gone[i] = append(gone[i], weak.Make(b))
					h.did()
				case finished:
					return nil
				default:
					if err := h.pause(); err != nil {
						return err
					}
				}
			}
		})
	}
	if err := c.run(); err != nil {
		return err
	}
	var all []weak.Pointer[Box]
	for _, some := range gone {
		all = append(all, some...)
	}
	c = crew{}
	err := collected(all)
	runtime.KeepAlive(q)
	if err != nil {
		return fmt.Errorf("%d producers and %d consumers: %w", producers, len(gone), err)
	}
	return nil
}
