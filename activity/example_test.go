package activity_test

import (
	"context"
	"fmt"
	"time"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

// exampleRuntime stands for a runtime of package freerun, which this package cannot import.
type exampleRuntime struct{ *activity.Plain }

// newRuntime stands for freerun.New.
func newRuntime() exampleRuntime {
	s := sched.New(sched.Config{Processors: 2})
	s.Start()
	return exampleRuntime{activity.On(s)}
}

func (rt exampleRuntime) Close() { rt.Stop(nil) }

// An activity is a function that may wait in its middle. It starts others, and waits for their end.
func ExampleGo() {
	rt := newRuntime() // freerun.New()
	defer rt.Close()
	sum := activity.Go(rt, func(a *activity.Activity) {
		parts := make([]int, 3)
		var all []*activity.Activity
		for i := range parts {
			all = append(all, activity.Go(a, func(part *activity.Activity) {
				if part.Sleep(time.Millisecond) == nil { // keeps no processor
					parts[i] = i + 1
				}
			}))
		}
		for _, part := range all {
			if part.Wait(a) != nil {
				return // the scope of a was canceled
			}
		}
		fmt.Println(parts)
	}, activity.Named("sum"))
	fmt.Println(sum.Wait(context.Background()))
	// Output:
	// [1 2 3]
	// <nil>
}

// Activities lock a Mutex with themselves as context, and keep it while they yield.
func ExampleMutex() {
	rt := newRuntime() // freerun.New()
	defer rt.Close()
	var mu activity.Mutex
	count := 0
	var all []*activity.Activity
	for range 100 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			if err := mu.Lock(a); err != nil {
				return // the scope of a was canceled
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

// Readers are in at the same time; a writer is alone.
func ExampleRWMutex() {
	ctx := context.Background()
	var mu activity.RWMutex
	fmt.Println(mu.RLock(ctx), mu.TryRLock(), mu.TryLock())
	mu.RUnlock()
	mu.RUnlock()
	fmt.Println(mu.TryLock())
	// Output:
	// <nil> true false
	// true
}

func ExampleSemaphore() {
	rt := newRuntime() // freerun.New()
	defer rt.Close()
	seats := activity.NewSemaphore(3)
	party := activity.Go(rt, func(a *activity.Activity) {
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

// A consumer waits under a lock until there is something to consume.
func ExampleCond() {
	rt := newRuntime() // freerun.New()
	defer rt.Close()
	var mu activity.Mutex
	filled := activity.NewCond(&mu)
	var items []string
	consumer := activity.Go(rt, func(a *activity.Activity) {
		if mu.Lock(a) != nil {
			return
		}
		defer mu.Unlock()
		for len(items) == 0 {
			if filled.Wait(a) != nil {
				return // mu is locked in any case
			}
		}
		fmt.Println(items[0])
	})
	ctx := context.Background()
	_ = mu.Lock(ctx) // an ordinary goroutine passes any context
	items = append(items, "bread")
	mu.Unlock()
	filled.Signal()
	consumer.Wait(ctx)
	// Output: bread
}

// An Event can be set and reset any number of times.
func ExampleEvent() {
	ctx := context.Background()
	var open activity.Event
	open.Set()
	fmt.Println(open.Wait(ctx))
	open.Reset()
	fmt.Println(open.IsSet())
	// Output:
	// <nil>
	// false
}

// A Latch opens when it was counted down to 0.
func ExampleLatch() {
	rt := newRuntime() // freerun.New()
	defer rt.Close()
	done := activity.NewLatch(3)
	for range 3 {
		activity.Go(rt, func(*activity.Activity) { done.CountDown() })
	}
	fmt.Println(done.Wait(context.Background()))
	// Output: <nil>
}

// A Barrier lets all pass when the last one has arrived, round after round.
func ExampleBarrier() {
	rt := newRuntime() // freerun.New()
	defer rt.Close()
	round := activity.NewBarrier(2)
	other := activity.Go(rt, func(a *activity.Activity) {
		for range 3 {
			round.Arrive(a)
		}
	})
	for range 3 {
		_, err := round.Arrive(context.Background())
		fmt.Println("passed", err)
	}
	other.Wait(context.Background())
	// Output:
	// passed <nil>
	// passed <nil>
	// passed <nil>
}
