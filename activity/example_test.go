package activity_test

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

// exampleScheduler stands for a runtime of package freerun.
func exampleScheduler() *sched.Scheduler {
	s := sched.New(sched.Config{Processors: 2})
	s.Start()
	return s
}

func ExampleMutex() {
	s := exampleScheduler()
	defer s.Stop(nil)
	var mu activity.Mutex
	count := 0
	var all []*activity.Activity
	for range 100 {
		all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
			if err := mu.Lock(a); err != nil {
				return // its scope was canceled
			}
			defer mu.Unlock()
			count++
			a.Yield() // the lock is kept
		}))
	}
	for _, a := range all {
		a.Wait(context.Background())
	}
	fmt.Println(count)
	// Output: 100
}

func ExampleSemaphore() {
	s := exampleScheduler()
	defer s.Stop(nil)
	seats := activity.NewSemaphore(3)
	party := activity.Go(activity.On(s), func(a *activity.Activity) {
		if seats.Acquire(a, 2) == nil {
			fmt.Println("two are seated")
			seats.Release(2)
		}
	})
	party.Wait(context.Background())
	fmt.Println(seats.TryAcquire(3))
	// Output:
	// two are seated
	// true
}
