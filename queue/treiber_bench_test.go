package queue_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/queue"
)

// lockedStack is the rival: a slice under a lock.
type lockedStack struct {
	mu     sync.Mutex
	values []int
}

func (s *lockedStack) Push(v int) {
	s.mu.Lock()
	s.values = append(s.values, v)
	s.mu.Unlock()
}

func (s *lockedStack) TryPop() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.values) - 1
	if last < 0 {
		return 0, false
	}
	v := s.values[last]
	s.values = s.values[:last]
	return v, true
}

// BenchmarkStack measures a push and a pop by each of several goroutines, beside a slice under a
// lock.
func BenchmarkStack(b *testing.B) {
	for _, hands := range []int{1, 2, 8} {
		work := func(b *testing.B, push func(int), pop func() (int, bool)) {
			var all sync.WaitGroup
			b.ResetTimer()
			for hand := range hands {
				all.Go(func() {
					for i := hand; i < b.N; i += hands {
						push(i)
						pop()
					}
				})
			}
			all.Wait()
		}
		b.Run(fmt.Sprintf("%d/stack", hands), func(b *testing.B) {
			var s queue.Stack[int]
			b.ReportAllocs()
			work(b, s.Push, s.TryPop)
		})
		b.Run(fmt.Sprintf("%d/mutex", hands), func(b *testing.B) {
			var s lockedStack
			b.ReportAllocs()
			work(b, s.Push, s.TryPop)
		})
	}
}

// BenchmarkStackEmpty measures how a thousand values leave a stack, one at a time or all at once.
// An operation is one value.
func BenchmarkStackEmpty(b *testing.B) {
	const values = 1000
	for name, empty := range map[string]func(s *queue.Stack[int]) int{
		"TryPop": func(s *queue.Stack[int]) (n int) {
			for _, ok := s.TryPop(); ok; _, ok = s.TryPop() {
				n++
			}
			return n
		},
		"TakeAll": func(s *queue.Stack[int]) (n int) {
			for range s.TakeAll() {
				n++
			}
			return n
		},
	} {
		b.Run(name, func(b *testing.B) {
			for done := 0; done < b.N; {
				var s queue.Stack[int]
				b.StopTimer()
				for v := range values {
					s.Push(v)
				}
				b.StartTimer()
				done += empty(&s)
			}
		})
	}
}
