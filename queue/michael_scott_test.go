package queue

import (
	"testing"

	"github.com/freerun-go/freerun/internal/ladder"
)

func newMsUnbounded[T any](int) ladder.Total[T] { return new(UnboundedMPMC[T]) }

var msUnbounded = ladder.QueueSpec{New: newMsUnbounded[int], NewWide: newMsUnbounded[ladder.Wide], NewBoxed: newMsUnbounded[*ladder.Box]}

func TestUnboundedMPMC(t *testing.T) { ladder.Queue(t, msUnbounded) }

func FuzzUnboundedMPMC(f *testing.F) { ladder.FuzzQueue(f, msUnbounded) }

// msCarrier is an item that carries a value.
type msCarrier[T any] struct {
	Item
	value T
}

// msCarried is an IntrusiveMPMC that takes values: carriers go to and fro between two queues, which so exchange their nodes.
type msCarried[T any] struct{ full, free IntrusiveMPMC[*msCarrier[T]] }

func newMsCarried[T any](int) ladder.Total[T] { return new(msCarried[T]) }

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

var msIntrusive = ladder.QueueSpec{New: newMsCarried[int], NewWide: newMsCarried[ladder.Wide], NewBoxed: newMsCarried[*ladder.Box]}

func TestIntrusiveMPMC(t *testing.T) { ladder.Queue(t, msIntrusive) }

func FuzzIntrusiveMPMC(f *testing.F) { ladder.FuzzQueue(f, msIntrusive) }
