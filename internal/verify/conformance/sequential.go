package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

// A reference is a simple model of a queue: the items that it should hold.
type reference struct {
	spec  QueueSpec
	room  int // for all items, or for those of each producer
	items []int
}

func (r *reference) full(producer int) bool {
	if !r.spec.Bounded {
		return false
	}
	count := 0
	for _, v := range r.items {
		if !r.spec.EachProducer || v/linear.Stride == producer {
			count++
		}
	}
	return count >= r.room
}

func (r *reference) add(v int) { r.items = append(r.items, v) }

// remove takes v out, or returns an error if v should not have come out.
func (r *reference) remove(v int) error {
	at := slices.Index(r.items, v)
	if at < 0 {
		return fmt.Errorf("%d came out, which is not in it", v)
	}
	next := at
	switch r.spec.Order {
	case FIFO:
		next = 0
	case LIFO:
		next = len(r.items) - 1
	case PerProducer:
		next = slices.IndexFunc(r.items, func(other int) bool { return other/linear.Stride == v/linear.Stride })
	case Unordered:
	}
	if next != at {
		return fmt.Errorf("%d came out, before %d", v, r.items[next])
	}
	r.items = slices.Delete(r.items, at, at+1)
	return nil
}

// A drill calls a queue from one goroutine and compares each answer with the reference.
type drill struct {
	queue     Total[int]
	producers []Enqueuer[int]
	consumers []Dequeuer[int]
	made      []int // number of items that each producer has made
	reference
}

func newDrill(s QueueSpec, q Total[int], capacity int) *drill {
	d := &drill{queue: q, reference: reference{spec: s, room: s.fits(capacity)}}
	for range s.producers(3) {
		d.producers = append(d.producers, producer(q))
	}
	for range s.consumers(3) {
		d.consumers = append(d.consumers, consumer(q))
	}
	d.made = make([]int, len(d.producers))
	return d
}

// value returns a producer's next item.
func (d *drill) value(producer int) int { return valueOf(producer, d.made[producer]) }

func (d *drill) enqueue(producer int) error {
	v, full := d.value(producer), d.full(producer)
	if ok := d.producers[producer].TryEnqueue(v); ok == full {
		return fmt.Errorf("TryEnqueue(%d) = %v", v, ok)
	}
	if !full {
		d.made[producer]++
		d.add(v)
	}
	return nil
}

func (d *drill) dequeue(consumer int) error {
	v, ok := d.consumers[consumer].TryDequeue()
	switch {
	case ok != (len(d.items) > 0):
		return fmt.Errorf("TryDequeue() = %d, %v", v, ok)
	case !ok && v != 0:
		return fmt.Errorf("TryDequeue() = %d, false; want the zero value with false", v)
	case !ok:
		return nil
	}
	return d.remove(v)
}

func (d *drill) enqueueN(producer, count int) error {
	batch, can := d.producers[producer].(enqueuerN[int])
	if !can {
		return d.enqueue(producer)
	}
	vs, want := make([]int, count), 0
	for i := range vs {
		vs[i] = d.value(producer)
		d.made[producer]++
		if !d.full(producer) && want == i {
			d.add(vs[i])
			want++
		}
	}
	d.made[producer] -= count - want
	if got := batch.EnqueueN(vs); got != want {
		return fmt.Errorf("EnqueueN of %d items = %d, want %d", count, got, want)
	}
	return nil
}

func (d *drill) dequeueN(consumer, count int) error {
	batch, can := d.consumers[consumer].(dequeuerN[int])
	if !can {
		return d.dequeue(consumer)
	}
	const untouched = -1
	dst := slices.Repeat([]int{untouched}, count)
	n := batch.DequeueN(dst)
	if want := min(count, len(d.items)); n != want {
		return fmt.Errorf("DequeueN of %d items = %d, want %d", count, n, want)
	}
	for i, v := range dst {
		if i < n {
			if err := d.remove(v); err != nil {
				return fmt.Errorf("DequeueN of %d items: %w", count, err)
			}
		} else if v != untouched {
			return fmt.Errorf("DequeueN = %d, but wrote %d to dst[%d]", n, v, i)
		}
	}
	return nil
}

// drain takes out items by Drain, whose function stops it after the number enough.
func (d *drill) drain(consumer, enough int) error {
	drainer, can := d.consumers[consumer].(interface{ Drain(yield func(v int) bool) })
	if !can {
		return d.dequeue(consumer)
	}
	before, got := len(d.items), 0
	var wrong error
	drainer.Drain(func(v int) bool {
		if got++; got > enough {
			wrong = errors.New("it goes on though it was told to stop")
		} else if err := d.remove(v); err != nil {
			wrong = err
		}
		return wrong == nil && got < enough
	})
	if want := min(before, enough); wrong == nil && got != want {
		wrong = fmt.Errorf("it came to %d of %d", got, before)
	}
	if wrong != nil {
		return fmt.Errorf("when %d items are drained: %w", enough, wrong)
	}
	return nil
}

// look compares Len with the reference.
func (d *drill) look() error {
	if q, can := d.queue.(interface{ Len() int }); can {
		if n := q.Len(); n != len(d.items) {
			return fmt.Errorf("Len() = %d with %d items in it", n, len(d.items))
		}
	}
	return nil
}

// do makes the call that a byte stands for.
func (d *drill) do(b byte) error {
	choice, parameter := b%8, int(b/8)
	producer, consumer := parameter%len(d.producers), parameter%len(d.consumers)
	var err error
	switch choice {
	case 0, 1, 2:
		err = d.enqueue(producer)
	case 3, 4, 5:
		err = d.dequeue(consumer)
	case 6:
		err = d.enqueueN(producer, parameter%7)
	default:
		if err = d.dequeueN(consumer, parameter%7); parameter%7 == 6 && err == nil {
			err = d.drain(consumer, 1+parameter%5)
		}
	}
	if err != nil {
		return err
	}
	return d.look()
}

// run makes the calls that bytes stand for, and then dequeues all items. The error says how many
// items the queue held.
func (d *drill) run(calls []byte) error {
	for i, b := range calls {
		before := len(d.items)
		if err := d.do(b); err != nil {
			return fmt.Errorf("call %d, with %d items in it: %w", i, before, err)
		}
	}
	return d.empty()
}

// empty dequeues all items.
func (d *drill) empty() error {
	for i := 0; ; i++ {
		left := len(d.items)
		if err := d.dequeue(i % len(d.consumers)); err != nil {
			return fmt.Errorf("with %d items in it: %w", left, err)
		}
		if left == 0 {
			return d.look()
		}
	}
}

// sequential makes random calls. Phases of more enqueuing alternate with phases of more dequeuing.
func sequential(s QueueSpec, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 0))
	for _, capacity := range []int{1, 2, 3, 4, 5, 7, 8, 64, 1000} {
		calls := make([]byte, size(sequentialCalls))
		for i := range calls {
			for calls[i] = byte(random.UintN(256)); i/300%2 == 0 && calls[i]%8/3 == 1 && random.UintN(3) > 0; {
				calls[i] = byte(random.UintN(256))
			}
		}
		if err := newDrill(s, s.New(capacity), capacity).run(calls); err != nil {
			return fmt.Errorf("capacity %d: %w", capacity, err)
		}
	}
	return nil
}
