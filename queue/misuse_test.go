//go:build !explore

package queue_test

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
	"github.com/freerun-go/freerun/queue"
)

// TestMisuseIsTold calls methods of zero values, and passes nil contexts and sizes that are too
// large. Each panic, or error, must say what would be right.
func TestMisuseIsTold(t *testing.T) {
	var noContext context.Context
	tooMany := "queue: NewFanOut cannot make room for more than 2147483648 items"
	if bits.UintSize == 32 {
		tooMany = "queue: NewFanOut cannot make room for 2147483647 items"
	}
	misuse.Check(t, misuse.Calls{
		"FanOut above its bound": {
			tooMany,
			func() { queue.NewFanOut[int](math.MaxInt) },
		},
		"zero FanOut.Register": {
			"queue: a nil or zero FanOut; make it with NewFanOut",
			func() { new(queue.FanOut[int]).Register() },
		},
		"zero FanOut.TryEnqueue": {
			"queue: a nil or zero FanOut; make it with NewFanOut",
			func() { new(queue.FanOut[int]).TryEnqueue(1) },
		},
		"zero FanOut.EnqueueN": {
			"queue: a nil or zero FanOut; make it with NewFanOut",
			func() { new(queue.FanOut[int]).EnqueueN([]int{1}) },
		},
		"zero FanOut.Len": {
			"queue: a nil or zero FanOut; make it with NewFanOut",
			func() { new(queue.FanOut[int]).Len() },
		},
		"zero FanOut.Consumers": {
			"queue: a nil or zero FanOut; make it with NewFanOut",
			func() { new(queue.FanOut[int]).Consumers() },
		},
		"zero FanOutConsumer.TryDequeue": {
			"queue: TryDequeue of a zero FanOutConsumer; register consumers with FanOut.Register",
			func() { new(queue.FanOutConsumer[int]).TryDequeue() },
		},
		"zero FanOutConsumer.DequeueN": {
			"queue: DequeueN of a zero FanOutConsumer; register consumers with FanOut.Register",
			func() { new(queue.FanOutConsumer[int]).DequeueN(make([]int, 1)) },
		},
		"zero FanOutConsumer.Deregister": {
			"queue: Deregister of a zero FanOutConsumer; register consumers with FanOut.Register",
			func() { new(queue.FanOutConsumer[int]).Deregister() },
		},
		"zero FanIn.Register": {
			"queue: a nil or zero FanIn; make it with NewFanIn",
			func() { new(queue.FanIn[int]).Register() },
		},
		"zero FanIn.Len": {
			"queue: a nil or zero FanIn; make it with NewFanIn",
			func() { new(queue.FanIn[int]).Len() },
		},
		"zero FanIn.Producers": {
			"queue: a nil or zero FanIn; make it with NewFanIn",
			func() { new(queue.FanIn[int]).Producers() },
		},
		"huge SPSC": {
			fmt.Sprintf("queue: NewSPSC cannot make room for %d items", 1<<(bits.UintSize-2)),
			func() { queue.NewSPSC[struct{}](1 << (bits.UintSize - 2)) },
		},
		"huge MPSC": {
			fmt.Sprintf("queue: NewMPSC cannot make room for %d items", 1<<(bits.UintSize-2)),
			func() { queue.NewMPSC[struct{}](1 << (bits.UintSize - 2)) },
		},
		"huge SPMC": {
			fmt.Sprintf("queue: NewSPMC cannot make room for %d items", 1<<(bits.UintSize-2)),
			func() { queue.NewSPMC[struct{}](1 << (bits.UintSize - 2)) },
		},
		"huge MPMC": {
			fmt.Sprintf("queue: NewMPMC cannot make room for %d items", 1<<(bits.UintSize-2)),
			func() { queue.NewMPMC[struct{}](1 << (bits.UintSize - 2)) },
		},
		"huge FanIn": {
			fmt.Sprintf("queue: NewFanIn cannot make room for %d items", 1<<(bits.UintSize-2)),
			func() { queue.NewFanIn[struct{}](1 << (bits.UintSize - 2)) },
		},
		"Blocking.Enqueue without context": {
			"queue: a nil context.Context; use context.Background() if there is none",
			func() { w := queue.NewBlocking(queue.NewMPMC[int](1)); w.TryEnqueue(1); _ = w.Enqueue(noContext, 2) },
		},
		"Blocking.Dequeue without context": {
			"queue: a nil context.Context; use context.Background() if there is none",
			func() { _, _ = queue.NewBlocking(queue.NewMPMC[int](1)).Dequeue(noContext) },
		},
		"Blocking.All without context": {
			"queue: a nil context.Context; use context.Background() if there is none",
			func() { queue.All(noContext, queue.NewBlocking(queue.NewMPMC[int](1)))(func(int) bool { return true }) },
		},
		"Synchronous.Enqueue without context": {
			"queue: a nil context.Context; use context.Background() if there is none",
			func() { _ = queue.NewSynchronous[int]().Enqueue(noContext, 1) },
		},
		"Synchronous.Dequeue without context": {
			"queue: a nil context.Context; use context.Background() if there is none",
			func() { _, _ = queue.NewSynchronous[int]().Dequeue(noContext) },
		},
		"Synchronous.All without context": {
			"queue: a nil context.Context; use context.Background() if there is none",
			func() { queue.All(noContext, queue.NewSynchronous[int]())(func(int) bool { return true }) },
		},
	})
}

// TestSynchronousAfterNilContext holds that a call that panics leaves nothing behind that another
// call would meet.
func TestSynchronousAfterNilContext(t *testing.T) {
	var noContext context.Context
	q := queue.NewSynchronous[int]()
	func() {
		defer func() { _ = recover() }()
		_ = q.Enqueue(noContext, 1)
	}()
	if v, ok := q.TryDequeue(); ok {
		t.Errorf("%d was dequeued, which the panic has kept from being enqueued", v)
	}
}
