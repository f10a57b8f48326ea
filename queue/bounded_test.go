package queue_test

import (
	"math"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/linear"
	"github.com/freerun-go/freerun/queue"
)

// The constructors of the four bounded queues, with the type that the conformance tests take.

func newSPSC[T any](capacity int) conformance.Total[T] { return queue.NewSPSC[T](capacity) }

func newMPSC[T any](capacity int) conformance.Total[T] { return queue.NewMPSC[T](capacity) }

func newSPMC[T any](capacity int) conformance.Total[T] { return queue.NewSPMC[T](capacity) }

func newMPMC[T any](capacity int) conformance.Total[T] { return queue.NewMPMC[T](capacity) }

// nearOverflow is the position of a queue's first item. Positions overflow 21 items later. Words
// that count two for each item overflow at other positions: TestBoundedStartAnywhere begins near
// those, too.
const nearOverflow = math.MaxUint64 - 20

var (
	spsc = conformance.QueueSpec{
		New: newSPSC[int], NewWide: newSPSC[conformance.Wide], NewBoxed: newSPSC[*conformance.Box],
		Bounded: true, PowerOfTwo: true, Full: linear.Strict, OneProducer: true, OneConsumer: true,
		Len: linear.Near, In: linear.Batch{AtOnce: true}, Out: linear.Batch{AtOnce: true},
		NearOverflow: func(capacity int) conformance.Total[int] { return queue.NewSPSCAt[int](capacity, nearOverflow) },
	}
	mpsc = conformance.QueueSpec{
		New: newMPSC[int], NewWide: newMPSC[conformance.Wide], NewBoxed: newMPSC[*conformance.Box],
		Bounded: true, PowerOfTwo: true, Full: linear.Strict, OneConsumer: true, NotLockFree: true,
		Len: linear.NotFewer, In: linear.Batch{AtOnce: true}, Out: linear.Batch{Busy: true},
		NearOverflow: func(capacity int) conformance.Total[int] { return queue.NewMPSCAt[int](capacity, nearOverflow) },
	}
	spmc = conformance.QueueSpec{
		New: newSPMC[int], NewWide: newSPMC[conformance.Wide], NewBoxed: newSPMC[*conformance.Box],
		Bounded: true, PowerOfTwo: true, Full: linear.Strict, OneProducer: true, NotLockFree: true,
		Len: linear.Near, In: linear.Batch{Busy: true}, Out: linear.Batch{AtOnce: true},
		NearOverflow: func(capacity int) conformance.Total[int] { return queue.NewSPMCAt[int](capacity, nearOverflow) },
	}
	mpmc = conformance.QueueSpec{
		New: newMPMC[int], NewWide: newMPMC[conformance.Wide], NewBoxed: newMPMC[*conformance.Box],
		Bounded: true, PowerOfTwo: true, Full: linear.Strict, NotLockFree: true,
		Len: linear.NotFewer, In: linear.Batch{AtOnce: true, Busy: true}, Out: linear.Batch{AtOnce: true, Busy: true},
		NearOverflow: func(capacity int) conformance.Total[int] { return queue.NewMPMCAt[int](capacity, nearOverflow) },
	}
)

func TestSPSC(t *testing.T) { conformance.Queue(t, spsc) }

func TestMPSC(t *testing.T) { conformance.Queue(t, mpsc) }

func TestSPMC(t *testing.T) { conformance.Queue(t, spmc) }

func TestMPMC(t *testing.T) { conformance.Queue(t, mpmc) }

func FuzzSPSC(f *testing.F) { conformance.FuzzQueue(f, spsc) }

func FuzzMPSC(f *testing.F) { conformance.FuzzQueue(f, mpsc) }

func FuzzSPMC(f *testing.F) { conformance.FuzzQueue(f, spmc) }

func FuzzMPMC(f *testing.F) { conformance.FuzzQueue(f, mpmc) }
