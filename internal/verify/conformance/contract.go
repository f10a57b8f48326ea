package conformance

import "github.com/freerun-go/freerun/internal/verify/linear"

// A Total is a queue as the ladder calls it. TryEnqueue of a queue without bound always returns
// true.
//
// It is asked for more, which it may have or not:
//
//	Len() int                       number of items; exact without other calls, or as specified
//	Empty() bool                    whether it holds nothing
//	Cap() int                       of a bounded queue
//	EnqueueN(vs []T) int            takes a prefix of vs, returns how many
//	DequeueN(dst []T) int           fills a prefix of dst, returns how many
//	Drain(yield func(T) bool)       takes items out until there is none, or yield returns false
//	Producer() Enqueuer[T]          the handle of a producing goroutine (mostly made in an adapter)
//	Consumer() Dequeuer[T]          the handle that each consuming goroutine needs
//
// The handles may have the batch form too. Without Producer and Consumer all goroutines call the
// queue itself.
type Total[T any] interface {
	Enqueuer[T]
	Dequeuer[T]
}

type (
	enqueuerN[T any] interface{ EnqueueN(vs []T) int }
	dequeuerN[T any] interface{ DequeueN(dst []T) int }
)

// measured is a queue, or a handle, that says how many items it holds.
type measured interface{ Len() int }

// An Enqueuer is a producer's side of a queue.
type Enqueuer[T any] interface{ TryEnqueue(v T) bool }

// A Dequeuer is a consumer's side of a queue.
type Dequeuer[T any] interface{ TryDequeue() (v T, ok bool) }

// An Order is that in which items come out.
type Order uint8

// The orders.
const (
	FIFO        Order = iota // first in, first out
	PerProducer              // first in, first out among the items of each producer
	LIFO                     // last in, first out
	Unordered                // any
)

// A QueueSpec says what a queue promises. The zero value of each field is the strongest promise, or
// that of most queues.
type QueueSpec struct {
	// New and the others return a queue for so many items of their type; queues without bound
	// ignore it. All are needed.
	New      func(capacity int) Total[int]
	NewWide  func(capacity int) Total[Wide]
	NewBoxed func(capacity int) Total[*Box]

	Order       Order
	OneProducer bool // one goroutine at a time may enqueue
	OneConsumer bool // one goroutine at a time may dequeue

	Bounded    bool
	PowerOfTwo bool        // a bounded queue rounds its capacity up to a power of two
	Smallest   int         // capacity that a bounded queue rounds up to; 0 means 1
	Full       linear.Full // what TryEnqueue of a bounded queue means when it returns false

	// EachProducer means that the capacity is each producer's own (Order is PerProducer, and full
	// is Strict).
	EachProducer bool

	Len linear.Length // what Len means while others call
	In  linear.Batch  // what EnqueueN promises
	Out linear.Batch  // what DequeueN promises

	// NotLockFree means that a stopped thread may hold the others up. It must, in the explorer's
	// search: a queue that is better than what it says is a mistake too.
	NotLockFree bool

	// Long means that a call takes so many steps that the explorer must be content with few
	// preemptions of two threads, too.
	Long bool

	// NearOverflow, if not nil, returns an empty queue whose indices are about to overflow.
	NearOverflow func(capacity int) Total[int]
}

// A producer's handle, or the queue.
func producer[T any](q Total[T]) Enqueuer[T] {
	if q, registers := q.(interface{ Producer() Enqueuer[T] }); registers {
		return q.Producer()
	}
	return q
}

// A consumer's handle, or the queue.
func consumer[T any](q Total[T]) Dequeuer[T] {
	if q, registers := q.(interface{ Consumer() Dequeuer[T] }); registers {
		return q.Consumer()
	}
	return q
}

// fits returns how many items a queue for so many holds.
func (s QueueSpec) fits(capacity int) int {
	fits := max(capacity, s.Smallest, 1)
	if s.PowerOfTwo {
		power := 1
		for power < fits {
			power *= 2
		}
		return power
	}
	return fits
}

// producers and consumers return how many goroutines there may be of a kind, if one would like to
// have so many.
func (s QueueSpec) producers(wanted int) int {
	if s.OneProducer {
		return 1
	}
	return wanted
}

func (s QueueSpec) consumers(wanted int) int {
	if s.OneConsumer {
		return 1
	}
	return wanted
}

// model returns the specification of a queue for so many items.
func (s QueueSpec) model(capacity int) linear.Model {
	room := linear.Unbounded
	if s.Bounded {
		room = s.fits(capacity)
	}
	var m linear.Model
	switch {
	case s.EachProducer:
		m = linear.PerProducerEach(room)
	case s.Order == PerProducer:
		m = linear.PerProducer(room, s.Full)
	case s.Order == LIFO:
		m = linear.LIFO(room, s.Full)
	case s.Order == Unordered:
		m = linear.Bag(room, s.Full)
	default:
		m = linear.FIFO(room, s.Full)
	}
	return m.Measured(s.Len)
}

// ordered says whether a consumer gets the items of one producer in order.
func (s QueueSpec) ordered() bool { return s.Order == FIFO || s.Order == PerProducer }
