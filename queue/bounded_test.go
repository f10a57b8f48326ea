package queue_test

import (
	"math"
	"testing"

	"github.com/freerun-go/freerun/internal/ladder"
	"github.com/freerun-go/freerun/internal/linear"
	"github.com/freerun-go/freerun/queue"
)

// The four bounded queues, generic functions of the ladder's types.

func newSPSC[T any](capacity int) ladder.Total[T] { return queue.NewSPSC[T](capacity) }

func newMPSC[T any](capacity int) ladder.Total[T] { return queue.NewMPSC[T](capacity) }

func newSPMC[T any](capacity int) ladder.Total[T] { return queue.NewSPMC[T](capacity) }

func newMPMC[T any](capacity int) ladder.Total[T] { return queue.NewMPMC[T](capacity) }

// nearOverflow is where a queue starts that wraps around after some laps. Words that count by two have wrapped by then; those
// that start at halfway do so as soon.
const nearOverflow = math.MaxUint64 - 20

var (
	spsc = ladder.QueueSpec{
		New: newSPSC[int], NewWide: newSPSC[ladder.Wide], NewBoxed: newSPSC[*ladder.Box],
		Bounded: true, PowerOfTwo: true, Full: linear.Strict, OneProducer: true, OneConsumer: true,
		Len: linear.Near, In: linear.Batch{AtOnce: true}, Out: linear.Batch{AtOnce: true},
		NearOverflow: func(capacity int) ladder.Total[int] { return queue.NewSPSCAt[int](capacity, nearOverflow) },
	}
	mpsc = ladder.QueueSpec{
		New: newMPSC[int], NewWide: newMPSC[ladder.Wide], NewBoxed: newMPSC[*ladder.Box],
		Bounded: true, PowerOfTwo: true, Full: linear.Strict, OneConsumer: true, NotLockFree: true,
		Len: linear.NotFewer, In: linear.Batch{AtOnce: true}, Out: linear.Batch{Busy: true},
		NearOverflow: func(capacity int) ladder.Total[int] { return queue.NewMPSCAt[int](capacity, nearOverflow) },
	}
	spmc = ladder.QueueSpec{
		New: newSPMC[int], NewWide: newSPMC[ladder.Wide], NewBoxed: newSPMC[*ladder.Box],
		Bounded: true, PowerOfTwo: true, Full: linear.Strict, OneProducer: true, NotLockFree: true,
		Len: linear.Near, In: linear.Batch{Busy: true}, Out: linear.Batch{AtOnce: true},
		NearOverflow: func(capacity int) ladder.Total[int] { return queue.NewSPMCAt[int](capacity, nearOverflow) },
	}
	mpmc = ladder.QueueSpec{
		New: newMPMC[int], NewWide: newMPMC[ladder.Wide], NewBoxed: newMPMC[*ladder.Box],
		Bounded: true, PowerOfTwo: true, Full: linear.Strict, NotLockFree: true,
		Len: linear.NotFewer, In: linear.Batch{AtOnce: true, Busy: true}, Out: linear.Batch{AtOnce: true, Busy: true},
		NearOverflow: func(capacity int) ladder.Total[int] { return queue.NewMPMCAt[int](capacity, nearOverflow) },
	}
)

func TestSPSC(t *testing.T) { ladder.Queue(t, spsc) }

func TestMPSC(t *testing.T) { ladder.Queue(t, mpsc) }

func TestSPMC(t *testing.T) { ladder.Queue(t, spmc) }

func TestMPMC(t *testing.T) { ladder.Queue(t, mpmc) }

func FuzzSPSC(f *testing.F) { ladder.FuzzQueue(f, spsc) }

func FuzzMPSC(f *testing.F) { ladder.FuzzQueue(f, mpsc) }

func FuzzSPMC(f *testing.F) { ladder.FuzzQueue(f, spmc) }

func FuzzMPMC(f *testing.F) { ladder.FuzzQueue(f, mpmc) }
