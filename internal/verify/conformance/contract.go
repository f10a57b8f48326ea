package conformance

import "github.com/freerun-go/freerun/internal/verify/linear"

// A Total is a queue as the ladder calls it: no call waits. TryEnqueue of an unbounded queue always
// returns true.
//
// The ladder also calls these methods, if the queue has them:
//
//	Len() int                       number of items; exact without other calls, or as specified
//	Empty() bool                    whether it holds nothing
//	Cap() int                       of a bounded queue
//	EnqueueN(vs []T) int            takes a prefix of vs, returns how many
//	DequeueN(dst []T) int           fills a prefix of dst, returns how many
//	Drain(yield func(T) bool)       takes items out until there is none, or yield returns false
//	Producer() Enqueuer[T]          the handle of a producing goroutine (mostly from an adapter)
//	Consumer() Dequeuer[T]          the handle that each consuming goroutine needs
//
// The handles may have the batch methods too. Without Producer and Consumer all goroutines call the
// queue itself.
type Total[T any] interface {
	Enqueuer[T]
	Dequeuer[T]
}

type (
	enqueuerN[T any] interface{ EnqueueN(vs []T) int }
	dequeuerN[T any] interface{ DequeueN(dst []T) int }
)

// measured is a queue, or a handle, with a method Len.
type measured interface{ Len() int }

// An Enqueuer is a producer's side of a queue.
type Enqueuer[T any] interface{ TryEnqueue(v T) bool }

// A Dequeuer is a consumer's side of a queue.
type Dequeuer[T any] interface{ TryDequeue() (v T, ok bool) }

// An Order is the order in which items come out.
type Order uint8

// The orders.
const (
	FIFO        Order = iota // first in, first out
	PerProducer              // first in, first out among the items of each producer
	LIFO                     // last in, first out
	Unordered                // any
)

// A QueueSpec describes the promises of a queue. The zero value of each field is the strongest
// promise, or the promise of most queues.
type QueueSpec struct {
	// New, NewWide and NewBoxed return a queue with this capacity for items of their type.
	// Unbounded queues ignore the capacity. All three are needed.
	New      func(capacity int) Total[int]
	NewWide  func(capacity int) Total[Wide]
	NewBoxed func(capacity int) Total[*Box]

	Order       Order
	OneProducer bool // one goroutine at a time may enqueue
	OneConsumer bool // one goroutine at a time may dequeue

	Bounded    bool
	PowerOfTwo bool        // a bounded queue rounds its capacity up to a power of two
	Smallest   int         // smallest capacity, to which a bounded queue rounds up; 0 means 1
	Full       linear.Full // the meaning of false from TryEnqueue of a bounded queue

	// EachProducer means that each producer has the capacity for itself (Order must be PerProducer,
	// Full must be Strict).
	EachProducer bool

	Len linear.Length // the meaning of Len during other calls
	In  linear.Batch  // the promise of EnqueueN
	Out linear.Batch  // the promise of DequeueN

	// NotLockFree means that a stopped thread may hold the others up. The explorer must then find a
	// thread that does: a spec that promises too little is a mistake too.
	NotLockFree bool

	// Long means that a call takes many steps. The explorer then bounds the preemptions of two
	// threads too.
	Long bool

	// NearOverflow, if not nil, returns an empty queue whose indices are about to overflow.
	NearOverflow func(capacity int) Total[int]
}

// producer returns a new producer's handle of the queue, or the queue if it has no handles.
func producer[T any](q Total[T]) Enqueuer[T] {
	if q, registers := q.(interface{ Producer() Enqueuer[T] }); registers {
		return q.Producer()
	}
	return q
}

// consumer returns a new consumer's handle of the queue, or the queue if it has no handles.
func consumer[T any](q Total[T]) Dequeuer[T] {
	if q, registers := q.(interface{ Consumer() Dequeuer[T] }); registers {
		return q.Consumer()
	}
	return q
}

// fits returns the number of items that a queue made with this capacity holds.
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

// producers and consumers return wanted, or 1 if the queue allows one such goroutine only.
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

// model returns the model of a queue with this capacity.
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

// ordered reports whether a consumer gets the items of one producer in order.
func (s QueueSpec) ordered() bool { return s.Order == FIFO || s.Order == PerProducer }
