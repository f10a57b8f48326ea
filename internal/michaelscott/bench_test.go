package michaelscott

import (
	"runtime"
	"sync"
	"testing"
)

// benched is the interface of the queues that the benchmarks compare.
type benched interface {
	TryEnqueue(v int) bool
	TryDequeue() (int, bool)
}

// buffered is a channel that is used as a queue.
type buffered chan int

func (c buffered) TryEnqueue(v int) bool {
	select {
	case c <- v:
		return true
	default:
		return false
	}
}

func (c buffered) TryDequeue() (v int, ok bool) {
	select {
	case v = <-c:
		return v, true
	default:
		return 0, false
	}
}

// BenchmarkUnboundedMPMC passes items through a queue, beside a channel. An operation is an item
// that goes in and comes out.
func BenchmarkUnboundedMPMC(b *testing.B) {
	for _, q := range []struct {
		name string
		make func() benched
	}{
		{"UnboundedMPMC", func() benched { return new(UnboundedMPMC[int]) }},
		{"channel", func() benched { return make(buffered, 256) }},
	} {
		b.Run("alone/"+q.name, func(b *testing.B) {
			q := q.make()
			b.ReportAllocs()
			for b.Loop() {
				q.TryEnqueue(1)
				q.TryDequeue()
			}
		})
		b.Run("alone,filled/"+q.name, func(b *testing.B) {
			q := q.make()
			for range 100 {
				q.TryEnqueue(1)
			}
			b.ReportAllocs()
			for b.Loop() {
				q.TryEnqueue(1)
				q.TryDequeue()
			}
		})
		b.Run("parallel/"+q.name, func(b *testing.B) {
			q := q.make()
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					q.TryEnqueue(1)
					q.TryDequeue()
				}
			})
		})
		for _, crowd := range []struct {
			name                 string
			producers, consumers int
		}{{"1P1C", 1, 1}, {"4P1C", 4, 1}, {"1P4C", 1, 4}, {"4P4C", 4, 4}} {
			b.Run(crowd.name+"/"+q.name, func(b *testing.B) {
				b.ReportAllocs()
				pass(b, q.make(), crowd.producers, crowd.consumers)
			})
		}
	}
}

// pass lets b.N items pass from producers to consumers.
func pass(b *testing.B, q benched, producers, consumers int) {
	share := func(i, n int) int { return b.N*(i+1)/n - b.N*i/n }
	var all sync.WaitGroup
	for i := range producers {
		all.Go(func() {
			for n := share(i, producers); n > 0; {
				if q.TryEnqueue(n) {
					n--
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	for i := range consumers {
		all.Go(func() {
			for n := share(i, consumers); n > 0; {
				if _, ok := q.TryDequeue(); ok {
					n--
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkIntrusiveMPMC moves tasks between two run queues, beside channels. An operation takes a
// task out of one and puts it into the other.
func BenchmarkIntrusiveMPMC(b *testing.B) {
	const tasks = 100
	type task = carrier[int]
	both := func(b *testing.B, move func(from, to int)) {
		b.Run("alone", func(b *testing.B) {
			b.ReportAllocs()
			for from := 0; b.Loop(); from ^= 1 {
				move(from, from^1)
			}
		})
		b.Run("parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for from := 0; pb.Next(); from ^= 1 {
					move(from, from^1)
				}
			})
		})
	}
	b.Run("queue", func(b *testing.B) {
		var q [2]IntrusiveMPMC[*task]
		for i := range tasks {
			q[i%2].Enqueue(new(task))
		}
		both(b, func(from, to int) {
			if e, ok := q[from].TryDequeue(); ok {
				q[to].Enqueue(e)
			}
		})
	})
	b.Run("channel", func(b *testing.B) {
		q := [2]chan *task{make(chan *task, tasks), make(chan *task, tasks)}
		for i := range tasks {
			q[i%2] <- new(task)
		}
		both(b, func(from, to int) {
			select {
			case e := <-q[from]:
				q[to] <- e
			default:
			}
		})
	})
}
