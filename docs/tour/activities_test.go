package tour_test

import (
	"context"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

func Example_activity() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin activity
	ada := freerun.NewUnit(rt, Account{})
	session := activity.Go(rt, func(a *activity.Activity) { // 96 bytes, and no stack, until it runs
		c := freerun.ContextOf(a)                        // what the activity sends through
		balance, err := deposit.Send(c, ada, 5).Await(a) // waits; the processor goes on
		fmt.Println(balance, err)
		a.Sleep(time.Millisecond) // the runtime's time: virtual in tests
		a.Block(func() {          // Go code that blocks
			fmt.Println("a file or a socket, say")
		})
	}, activity.Named("session"))
	fmt.Println(session.Wait(ctx)) // the end of the activity; its panic, if it had one
	// Output:
	// 5 <nil>
	// a file or a socket, say
	// <nil>
	//tour:end
}

func Example_locks() {
	ctx := context.Background()
	rt := freerun.New()
	defer rt.Close()
	//tour:begin locks
	var mu activity.Mutex
	count := 0
	var all []*activity.Activity
	for range 100 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			if mu.Lock(a) != nil {
				return // the activity's scope was canceled
			}
			defer mu.Unlock()
			count++
			a.Yield() // others run meanwhile; the lock is kept
		}))
	}
	for _, a := range all {
		a.Wait(ctx)
	}
	fmt.Println(count)
	// Output: 100
	//tour:end
}
