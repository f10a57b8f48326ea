package michaelscott

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

func newUnbounded[T any](int) conformance.Total[T] { return new(UnboundedMPMC[T]) }

var unbounded = conformance.QueueSpec{New: newUnbounded[int], NewWide: newUnbounded[conformance.Wide], NewBoxed: newUnbounded[*conformance.Box]}

func TestUnboundedMPMC(t *testing.T) { conformance.Queue(t, unbounded) }

func FuzzUnboundedMPMC(f *testing.F) { conformance.FuzzQueue(f, unbounded) }

// carrier makes a value of any type fit for an IntrusiveMPMC.
type carrier[T any] struct {
	Item
	value T
}

// carried is an IntrusiveMPMC that takes values: carriers go from free to full and back, so the
// two queues exchange their nodes.
type carried[T any] struct{ full, free IntrusiveMPMC[*carrier[T]] }

func newCarried[T any](int) conformance.Total[T] { return new(carried[T]) }

func (q *carried[T]) TryEnqueue(v T) bool {
	c, ok := q.free.TryDequeue()
	if !ok {
		c = new(carrier[T])
	}
	c.value = v
	return q.full.TryEnqueue(c)
}

func (q *carried[T]) TryDequeue() (v T, ok bool) {
	c, ok := q.full.TryDequeue()
	if !ok {
		return v, false
	}
	v = c.value
	var none T
	c.value = none
	q.free.Enqueue(c)
	return v, true
}

func (q *carried[T]) Len() int { return q.full.Len() }

var intrusive = conformance.QueueSpec{New: newCarried[int], NewWide: newCarried[conformance.Wide], NewBoxed: newCarried[*conformance.Box]}

func TestIntrusiveMPMC(t *testing.T) { conformance.Queue(t, intrusive) }

func FuzzIntrusiveMPMC(f *testing.F) { conformance.FuzzQueue(f, intrusive) }
