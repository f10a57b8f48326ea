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

// BenchmarkLockAlone locks and unlocks without contention.
func BenchmarkLockAlone(b *testing.B) {
	ctx := context.Background()
	b.Run("sync.Mutex", func(b *testing.B) {
		var m sync.Mutex
		count := 0
		for b.Loop() {
			m.Lock()
			count++
			m.Unlock()
		}
	})
	b.Run("Mutex", func(b *testing.B) {
		var m activity.Mutex
		count := 0
		for b.Loop() {
			m.Lock(ctx)
			count++
			m.Unlock()
		}
	})
	b.Run("FairMutex", func(b *testing.B) {
		var m activity.FairMutex
		count := 0
		for b.Loop() {
			m.Lock(ctx)
			count++
			m.Unlock()
		}
	})
	b.Run("Mutex by an activity", func(b *testing.B) {
		var m activity.Mutex
		count := 0
		s := started(b, 1)
		activity.Go(activity.On(s), func(a *activity.Activity) {
			for b.Loop() {
				m.Lock(a)
				count++
				m.Unlock()
			}
		}).Wait(ctx)
	})
	b.Run("sync.RWMutex", func(b *testing.B) {
		var m sync.RWMutex
		count := 0
		for b.Loop() {
			m.RLock()
			count++
			m.RUnlock()
		}
	})
	b.Run("RWMutex", func(b *testing.B) {
		var m activity.RWMutex
		count := 0
		for b.Loop() {
			m.RLock(ctx)
			count++
			m.RUnlock()
		}
	})
	b.Run("Semaphore", func(b *testing.B) {
		m := activity.NewSemaphore(3)
		for b.Loop() {
			m.Acquire(ctx, 1)
			m.Release(1)
		}
	})
	b.Run("channel", func(b *testing.B) {
		c := make(chan int, 1)
		for b.Loop() {
			c <- 1
			<-c
		}
	})
	b.Run("Mailbox", func(b *testing.B) {
		m := activity.NewMailbox[int](1)
		for b.Loop() {
			m.Send(ctx, 1)
			m.Receive(ctx)
		}
	})
}

// BenchmarkLockContended has 2 to 1000 tasks lock one lock, add one to a count, and unlock, again
// and again. The activities check their quantum each time, as programs that `freerun build`
// compiles do. In some of the sections the holder lets others run.
func BenchmarkLockContended(b *testing.B) {
	for _, tasks := range []int{2, 64, 1000} {
		for _, yields := range []int{0, 100} {
			turns := func(b *testing.B) int { return b.N/tasks + 1 }
			check := func(b *testing.B, count int) {
				if count != tasks*turns(b) {
					b.Errorf("counted %d of %d", count, tasks*turns(b))
				}
			}
			b.Run(fmt.Sprintf("sync.Mutex/%d/%d", tasks, yields), func(b *testing.B) {
				var m sync.Mutex
				var all sync.WaitGroup
				count := 0
				for range tasks {
					all.Go(func() {
						for i := range turns(b) {
							m.Lock()
							count++
							if yields != 0 && i%yields == 0 {
								runtime.Gosched()
							}
							m.Unlock()
						}
					})
				}
				all.Wait()
				check(b, count)
			})
			b.Run(fmt.Sprintf("Mutex/%d/%d", tasks, yields), func(b *testing.B) {
				check(b, contended(b, tasks, turns(b), yields))
			})
			b.Run(fmt.Sprintf("FairMutex/%d/%d", tasks, yields), func(b *testing.B) {
				check(b, contendedFairly(b, tasks, turns(b), yields))
			})
		}
	}
}

// contended has the given number of activities take turns with a Mutex, and returns what they have
// counted to. It is not generic: calls of a type parameter's methods are not inlined.
func contended(b *testing.B, tasks, turns, yields int) (count int) {
	var m activity.Mutex
	runAll(b, tasks, func(a *activity.Activity) {
		for i := range turns {
			m.Lock(a)
			count++
			if yields != 0 && i%yields == 0 {
				a.Yield()
			}
			m.Unlock()
			a.Check(3)
		}
	})
	return count
}

// contendedFairly is contended with a FairMutex.
func contendedFairly(b *testing.B, tasks, turns, yields int) (count int) {
	var m activity.FairMutex
	runAll(b, tasks, func(a *activity.Activity) {
		for i := range turns {
			m.Lock(a)
			count++
			if yields != 0 && i%yields == 0 {
				a.Yield()
			}
			m.Unlock()
			a.Check(3)
		}
	})
	return count
}

// runAll runs the given number of activities on two processors.
func runAll(b *testing.B, tasks int, task func(a *activity.Activity)) {
	s := sched.New(sched.Config{Processors: 2})
	defer s.Stop(nil)
	var all []*activity.Activity
	for range tasks {
		all = append(all, activity.Go(activity.On(s), task))
	}
	b.ResetTimer()
	s.Start()
	for _, a := range all {
		a.Wait(context.Background())
	}
}
