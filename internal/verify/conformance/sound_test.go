package conformance

import (
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if the rungs leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// channel is a correct queue, made of a Go channel.
type channel[T any] chan T

func newChannel[T any](capacity int) Total[T] {
	if capacity < 1 {
		panic("ladder: the capacity of a channel is at least 1")
	}
	return make(channel[T], capacity)
}

func (c channel[T]) TryEnqueue(v T) bool {
	select {
	case c <- v:
		return true
	default:
		return false
	}
}

func (c channel[T]) TryDequeue() (v T, ok bool) {
	select {
	case v = <-c:
		return v, true
	default:
		return v, false
	}
}

func (c channel[T]) Len() int { return len(c) }
func (c channel[T]) Cap() int { return cap(c) }

// channels is the spec of channel.
var channels = QueueSpec{New: newChannel[int], NewWide: newChannel[Wide], NewBoxed: newChannel[*Box], Bounded: true}

// TestSound runs every ladder on containers that are known to be correct.
func TestSound(t *testing.T) {
	t.Run("channel", func(t *testing.T) { Queue(t, channels) })
	t.Run("ring", func(t *testing.T) { Queue(t, rings(sound)) })
	t.Run("each producer", func(t *testing.T) { Queue(t, separate) })
	t.Run("one of each", func(t *testing.T) {
		s := channels
		s.OneProducer, s.OneConsumer = true, true
		Queue(t, s)
	})
	t.Run("many and one", func(t *testing.T) {
		s := channels
		s.OneConsumer, s.Order = true, PerProducer
		Queue(t, s)
	})
	t.Run("one and many", func(t *testing.T) {
		s := rings(sound)
		s.OneProducer, s.Order = true, Unordered
		Queue(t, s)
	})
	t.Run("stack", func(t *testing.T) { Stack(t, stacks(sound)) })
	t.Run("deque", func(t *testing.T) { Deque(t, deques(sound)) })
	t.Run("lock", func(t *testing.T) { Lock(t, locks(sound)) })
}

// producers is a queue with a ring for each producer. It needs handles, and orders only the items
// of one producer.
type producers[T any] struct {
	mu       sync.Mutex
	capacity int
	rings    []*ring[T]
}

func newProducers[T any](capacity int) Total[T] {
	newRing[T](sound, capacity) // panics if it must
	return &producers[T]{capacity: capacity}
}

func (p *producers[T]) Producer() Enqueuer[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := newRing[T](sound, p.capacity)
	p.rings = append(p.rings, r)
	return r
}

// TryEnqueue is never called, as there are handles.
func (p *producers[T]) TryEnqueue(T) bool { panic("ladder: TryEnqueue without a handle") }

func (p *producers[T]) TryDequeue() (v T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.rings {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	for i := range p.rings {
		if r := p.rings[len(p.rings)-1-i]; r.size > 0 {
			return r.take(), true
		}
	}
	return v, false
}

var separate = QueueSpec{
	New: newProducers[int], NewWide: newProducers[Wide], NewBoxed: newProducers[*Box],
	Bounded: true, Order: PerProducer, EachProducer: true,
}

func rings(f flaw) QueueSpec {
	return QueueSpec{
		New:      func(capacity int) Total[int] { return newRing[int](f, capacity) },
		NewWide:  func(capacity int) Total[Wide] { return newRing[Wide](f, capacity) },
		NewBoxed: func(capacity int) Total[*Box] { return newRing[*Box](f, capacity) },
		Bounded:  true,
	}
}

func stacks(f flaw) StackSpec {
	return StackSpec{
		New:      func() PushPopper[int] { return &pile[int]{flaw: f} },
		NewWide:  func() PushPopper[Wide] { return &pile[Wide]{flaw: f} },
		NewBoxed: func() PushPopper[*Box] { return &pile[*Box]{flaw: f} },
	}
}

func deques(f flaw) DequeSpec {
	return DequeSpec{New: pileEnds[int](f), NewWide: pileEnds[Wide](f), NewBoxed: pileEnds[*Box](f)}
}

func locks(f flaw) LockSpec {
	return LockSpec{New: func(int) Locker { return newGate(f) }, broken: f != sound}
}
