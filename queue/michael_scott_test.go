package queue

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
)

func newMsUnbounded[T any](int) conformance.Total[T] { return new(UnboundedMPMC[T]) }

var msUnbounded = conformance.QueueSpec{New: newMsUnbounded[int], NewWide: newMsUnbounded[conformance.Wide], NewBoxed: newMsUnbounded[*conformance.Box]}

func TestUnboundedMPMC(t *testing.T) { conformance.Queue(t, msUnbounded) }

func FuzzUnboundedMPMC(f *testing.F) { conformance.FuzzQueue(f, msUnbounded) }

// msCarrier makes a value of any type fit for an IntrusiveMPMC.
type msCarrier[T any] struct {
	Item
	value T
}

// msCarried is an IntrusiveMPMC that takes values: carriers go from free to full and back, so the
// two queues exchange their nodes.
type msCarried[T any] struct{ full, free IntrusiveMPMC[*msCarrier[T]] }

func newMsCarried[T any](int) conformance.Total[T] { return new(msCarried[T]) }

func (q *msCarried[T]) TryEnqueue(v T) bool {
	c, ok := q.free.TryDequeue()
	if !ok {
		c = new(msCarrier[T])
	}
	c.value = v
	return q.full.TryEnqueue(c)
}

func (q *msCarried[T]) TryDequeue() (v T, ok bool) {
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

func (q *msCarried[T]) Len() int { return q.full.Len() }

var msIntrusive = conformance.QueueSpec{New: newMsCarried[int], NewWide: newMsCarried[conformance.Wide], NewBoxed: newMsCarried[*conformance.Box]}

func TestIntrusiveMPMC(t *testing.T) { conformance.Queue(t, msIntrusive) }

func FuzzIntrusiveMPMC(f *testing.F) { conformance.FuzzQueue(f, msIntrusive) }
