package conformance

import (
	"fmt"
	"math/rand/v2"
)

// A load has many goroutines put items into a queue and take them out. At the end it checks that
// each item came out once.
type load[T any] struct {
	queue                Total[T]
	producers, consumers int
	items                int // of all producers together
	ordered              bool
	fits                 int // 0 if unbounded
	batches              int // the most items in one call; 0 for one item a call
	seed                 uint64
	encode               func(v int) T
	decode               func(item T) (int, error)
}

func plain(v int) int         { return v }
func same(v int) (int, error) { return v, nil }
func (l *load[T]) each() int  { return l.items / l.producers }
func (l *load[T]) name() string {
	return fmt.Sprintf("%d producers, %d consumers, room for %d", l.producers, l.consumers, l.fits)
}

// run returns an error if an item is lost, doubled, invented, torn, or out of order, or if a
// consumer was told that the queue was empty when it was not.
func (l *load[T]) run() error {
	if err := l.attempt(); err != nil {
		return fmt.Errorf("%s: %w", l.name(), err)
	}
	return nil
}

func (l *load[T]) attempt() error {
	var c crew
	for p := range l.producers {
		out := producer(l.queue)
		c.add(true, func(h *hand) error { return l.produce(h, out, p) })
	}
	got := make([][]int, l.consumers)
	first := consumer(l.queue)
	for i := range got {
		got[i] = make([]int, 0, l.items)
		in := first
		if i > 0 {
			in = consumer(l.queue)
		}
		c.add(false, func(h *hand) (err error) {
			got[i], err = l.consume(h, in, got[i])
			return err
		})
	}
	if err := c.run(); err != nil {
		return err
	}
	t := newTally(l.producers, l.each())
	for _, values := range got {
		if err := t.add(values, l.ordered); err != nil {
			return err
		}
	}
	if _, ok := first.TryDequeue(); ok {
		return fmt.Errorf("the consumers were told that it was empty, but there is something in it")
	}
	return t.lost()
}

// produce puts in all items of one producer.
func (l *load[T]) produce(h *hand, out Enqueuer[T], number int) error {
	if batch, can := out.(enqueuerN[T]); can && l.batches > 0 {
		return l.produceN(h, batch, number)
	}
	for i := range l.each() {
		item := l.encode(valueOf(number, i))
		for !out.TryEnqueue(item) {
			if err := h.pause(); err != nil {
				return err
			}
		}
		h.did()
		if err := l.look(); err != nil {
			return err
		}
	}
	return nil
}

func (l *load[T]) produceN(h *hand, out enqueuerN[T], number int) error {
	random := rand.New(rand.NewPCG(l.seed, uint64(number)))
	buffer := make([]T, l.batches)
	for next := 0; next < l.each(); {
		batch := buffer[:min(1+random.IntN(l.batches), l.each()-next)]
		for i := range batch {
			batch[i] = l.encode(valueOf(number, next+i))
		}
		n := out.EnqueueN(batch)
		if n < 0 || n > len(batch) {
			return fmt.Errorf("EnqueueN of %d items = %d", len(batch), n)
		}
		if next += n; n > 0 {
			h.did()
		} else if err := h.pause(); err != nil {
			return err
		}
	}
	return nil
}

// consume takes items out until there is none and all producers have finished.
func (l *load[T]) consume(h *hand, in Dequeuer[T], got []int) ([]int, error) {
	one := make([]T, 1)
	dequeue := func() ([]T, error) {
		item, ok := in.TryDequeue()
		if !ok {
			return nil, nil
		}
		one[0] = item
		return one, nil
	}
	if batch, can := in.(dequeuerN[T]); can && l.batches > 0 {
		random := rand.New(rand.NewPCG(l.seed, uint64(l.producers+len(h.crew.hands))))
		buffer := make([]T, l.batches)
		dequeue = func() ([]T, error) {
			size := 1 + random.IntN(l.batches)
			n := batch.DequeueN(buffer[:size])
			if n < 0 || n > size {
				return nil, fmt.Errorf("DequeueN of %d items = %d", size, n)
			}
			return buffer[:n], nil
		}
	}
	for {
		finished := h.crew.allFinished() // asked before the call: no item is put in afterwards
		items, err := dequeue()
		switch {
		case err != nil:
			return got, err
		case len(items) > 0:
			h.did()
			for _, item := range items {
				v, err := l.decode(item)
				if err != nil {
					return got, err
				}
				got = append(got, v)
			}
		case finished:
			return got, nil
		default:
			if err := h.pause(); err != nil {
				return got, err
			}
		}
	}
}

// look checks that Len stays in its bounds during other calls.
func (l *load[T]) look() error {
	if q, can := l.queue.(interface{ Len() int }); can {
		if n := q.Len(); n < 0 || l.fits > 0 && n > l.fits {
			return fmt.Errorf("Len() = %d of a queue with room for %d", n, l.fits)
		}
	}
	return nil
}
