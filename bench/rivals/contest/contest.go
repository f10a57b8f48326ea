// Package contest asks the three questions of the benchmarks in rivals. It imports no rival, so
// that rivals that one process cannot hold can be asked in several.
package contest

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Entity starts an entity that calls receive for every message, one call at a time. It returns two
// functions: send sends a message to the entity, from any goroutine, and stop ends the entity.
type Entity func(receive func()) (send, stop func())

// Pair starts two entities. The entity that receives the ball calls hop and, if hop returns true,
// sends the ball to the other. Pair returns two functions: serve sends the first ball, and stop
// ends both entities.
type Pair func(hop func() bool) (serve, stop func())

// Pool starts a pool of as many workers as GOMAXPROCS. It returns three functions: submit submits a
// task, wait waits until all submitted tasks have run, and stop ends the pool. One goroutine calls
// them.
type Pool func() (submit func(task func()), wait, stop func())

// senders is the number of goroutines that send in FanIn.
const senders = 4

// FanIn lets four goroutines send that many messages. It returns how many messages the entity
// received by the time it received the last, or more if some arrive twice.
func FanIn(start Entity, messages int) int {
	received, done := 0, make(chan struct{})
	send, stop := start(func() {
		if received++; received == messages {
			close(done)
		}
	})
	var group sync.WaitGroup
	for from := range senders {
		share := messages / senders
		if from < messages%senders {
			share++
		}
		group.Go(func() {
			for range share {
				send()
			}
		})
	}
	<-done
	group.Wait()
	stop()
	return received
}

// PingPong lets two entities pass a ball that many times and returns how often they received it.
func PingPong(start Pair, hops int) int {
	received, done := 0, make(chan struct{})
	serve, stop := start(func() bool {
		if received++; received == hops {
			close(done)
		}
		return received < hops
	})
	serve()
	<-done
	stop()
	return received
}

// Submit submits that many tasks and returns how many have run once the pool says that all have.
func Submit(start Pool, tasks int) int {
	var ran atomic.Int64
	submit, wait, stop := start()
	task := func() { ran.Add(1) }
	for range tasks {
		submit(task)
	}
	wait()
	stop()
	return int(ran.Load())
}

// Named is a rival's adapter with the rival's name.
type Named[T any] struct {
	Name    string // the rival's name
	Adapter T      // one of [Entity], [Pair] and [Pool]
}

// Bench benchmarks rivals on one question. run is [FanIn], [PingPong] or [Submit].
func Bench[T any](b *testing.B, rivals []Named[T], run func(T, int) int) {
	for _, rival := range rivals {
		b.Run(rival.Name, func(b *testing.B) {
			b.ReportAllocs()
			runtime.GC()
			b.ResetTimer()
			if got := run(rival.Adapter, b.N); got != b.N {
				b.Fatalf("%d of %d", got, b.N)
			}
		})
	}
}

// Check tests rivals on one question: every message must arrive once.
func Check[T any](t *testing.T, rivals []Named[T], run func(T, int) int) {
	for _, rival := range rivals {
		t.Run(rival.Name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 5, 5000} {
				if got := run(rival.Adapter, n); got != n {
					t.Errorf("%d of %d", got, n)
				}
			}
		})
	}
}
