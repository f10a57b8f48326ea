package activity_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

// BenchmarkMailbox has pairs of a sender and a receiver at one mailbox, or channel, with room for
// ten messages.
func BenchmarkMailbox(b *testing.B) {
	for _, pairs := range []int{1, 64} {
		turns := func(b *testing.B) int { return b.N/pairs + 1 }
		for _, processors := range []int{1, 2} {
			b.Run(fmt.Sprintf("activities/%d/%d", processors, pairs), func(b *testing.B) {
				s := sched.New(sched.Config{Processors: processors})
				defer s.Stop(nil)
				m := activity.NewMailbox[int](10)
				var all []*activity.Activity
				for range pairs {
					all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
						for i := range turns(b) {
							m.Send(a, i)
						}
					}), activity.Go(activity.On(s), func(a *activity.Activity) {
						for range turns(b) {
							m.Receive(a)
						}
					}))
				}
				b.ResetTimer()
				s.Start()
				for _, a := range all {
					a.Wait(context.Background())
				}
			})
		}
		b.Run(fmt.Sprintf("goroutines/2/%d", pairs), func(b *testing.B) {
			c := make(chan int, 10)
			var all sync.WaitGroup
			for range pairs {
				all.Go(func() {
					for i := range turns(b) {
						c <- i
					}
				})
				all.Go(func() {
					for range turns(b) {
						<-c
					}
				})
			}
			all.Wait()
		})
	}
}
