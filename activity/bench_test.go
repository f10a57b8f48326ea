package activity_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

// BenchmarkCreate has one activity start b.N empty ones, and waits for all; then the same with
// goroutines.
func BenchmarkCreate(b *testing.B) {
	for _, processors := range []int{1, 2} {
		b.Run(fmt.Sprint("activities/", processors), func(b *testing.B) {
			s := started(b, processors)
			b.ReportAllocs()
			b.ResetTimer()
			var all sync.WaitGroup
			all.Add(b.N)
			activity.Go(activity.On(s), func(a *activity.Activity) {
				for range b.N {
					activity.Go(a, func(*activity.Activity) { all.Done() })
					a.Check(100)
				}
			})
			all.Wait()
		})
		b.Run(fmt.Sprint("goroutines/", processors), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			b.ReportAllocs()
			var all sync.WaitGroup
			all.Add(b.N)
			for range b.N {
				go func() { all.Done() }()
			}
			all.Wait()
		})
	}
}

// BenchmarkSwitch has tasks do nothing but yield.
func BenchmarkSwitch(b *testing.B) {
	for _, processors := range []int{1, 2} {
		for _, tasks := range []int{1, 2, 10, 100, 1000, 10000} {
			b.Run(fmt.Sprint("activities/", processors, "/", tasks), func(b *testing.B) {
				s := sched.New(sched.Config{Processors: processors})
				defer s.Stop(nil)
				each := b.N/tasks + 1
				var all []*activity.Activity
				for range tasks {
					all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
						for range each {
							a.Yield()
						}
					}))
				}
				b.ResetTimer()
				s.Start()
				for _, a := range all {
					a.Wait(context.Background())
				}
			})
			b.Run(fmt.Sprint("goroutines/", processors, "/", tasks), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				each := b.N/tasks + 1
				var all sync.WaitGroup
				begin := make(chan struct{})
				for range tasks {
					all.Go(func() {
						<-begin
						for range each {
							runtime.Gosched()
						}
					})
				}
				b.ResetTimer()
				close(begin)
				all.Wait()
			})
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	s := started(b, 1)
	activity.Go(activity.On(s), func(a *activity.Activity) {
		for b.Loop() {
			a.Check(1)
		}
	}).Wait(context.Background())
}
