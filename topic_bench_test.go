package freerun_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// listener counts what it hears up to the last of it.
type listener struct {
	last int
	done *sync.WaitGroup
}

var benchHear = freerun.Op("benchHear", func(_ *freerun.Context, l *listener, v int) (int, error) {
	if v == l.last {
		l.done.Done()
	}
	return 0, nil
})

// speaker publishes in its operations, one each: a turn of the unit publishes as many as a turn of
// a subscriber hears, so that a mailbox without a limit does not grow for ever.
type speaker struct {
	self *freerun.Unit[speaker]
	news *freerun.Topic[int]
	last int
}

var benchSpeak = freerun.Op[speaker, int, int]("benchSpeak", nil)

var _ = freerun.Define(benchSpeak, func(c *freerun.Context, s *speaker, next int) (int, error) {
	if err := s.news.Publish(c, next); err != nil || next == s.last {
		return 0, err
	}
	return 0, benchSpeak.Tell(c, s.self, next+1)
})

// BenchmarkTopic reports the time for each subscriber and message, until all of them have it, and
// beside it what programs without a Topic do: a loop of sends to the channels of goroutines, and
// the same under a lock, so that others may subscribe.
func BenchmarkTopic(b *testing.B) {
	const room = 1024
	ctx := context.Background()
	report := func(b *testing.B, subscribers int) {
		b.ReportAllocs()
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(subscribers), "ns/delivery")
	}
	for _, n := range []int{1, 8, 64} {
		// with publishes b.N times, from outside or in operations, to units that subscribe.
		with := func(b *testing.B, inside bool, subscribe func(*freerun.Topic[int], *freerun.Unit[listener]), options ...freerun.UnitOption) {
			rt := freerun.New()
			defer rt.Close()
			var news freerun.Topic[int]
			var done sync.WaitGroup
			done.Add(n)
			for range n {
				subscribe(&news, freerun.NewUnit(rt, listener{b.N, &done}, options...))
			}
			b.ResetTimer()
			if inside {
				u := freerun.NewUnit(rt, speaker{news: &news, last: b.N})
				freerun.Do(rt.Context(), u, func(_ *freerun.Context, s *speaker) (int, error) { s.self = u; return 0, nil })
				if _, err := benchSpeak.Send(rt.Context(), u, 1).Wait(ctx); err != nil {
					b.Fatal(err)
				}
			} else {
				for i := range b.N {
					if err := news.Publish(rt.Context(), i+1); err != nil {
						b.Fatal(err)
					}
				}
			}
			done.Wait()
			report(b, n)
		}
		plain := func(t *freerun.Topic[int], u *freerun.Unit[listener]) { freerun.Subscribe(t, benchHear, u) }
		newest := func(t *freerun.Topic[int], u *freerun.Unit[listener]) { freerun.SubscribeNewest(t, benchHear, u, room) }
		limit := freerun.MailboxLimit(room, freerun.WaitForRoom)
		b.Run(fmt.Sprintf("%d/operation", n), func(b *testing.B) { with(b, true, plain) })
		b.Run(fmt.Sprintf("%d/operation-waits", n), func(b *testing.B) { with(b, true, plain, limit) })
		b.Run(fmt.Sprintf("%d/operation-newest", n), func(b *testing.B) { with(b, true, newest) })
		b.Run(fmt.Sprintf("%d/outside", n), func(b *testing.B) { with(b, false, plain) })
		b.Run(fmt.Sprintf("%d/outside-waits", n), func(b *testing.B) { with(b, false, plain, limit) })
		b.Run(fmt.Sprintf("%d/outside-newest", n), func(b *testing.B) { with(b, false, newest) })
		b.Run(fmt.Sprintf("%d/activities", n), func(b *testing.B) {
			rt := freerun.New()
			defer rt.Close()
			var news freerun.Topic[int]
			var done sync.WaitGroup
			done.Add(n)
			for range n {
				m, _ := freerun.SubscribeMailbox(&news, room, freerun.WaitForRoom)
				activity.Go(rt, func(a *activity.Activity) {
					for v := 0; v != b.N; v, _ = m.Receive(a) {
					}
					done.Done()
				})
			}
			b.ResetTimer()
			activity.Go(rt, func(a *activity.Activity) {
				for i := range b.N {
					news.Publish(freerun.ContextOf(a), i+1)
				}
			})
			done.Wait()
			report(b, n)
		})
		goroutines := func(done *sync.WaitGroup) (all []chan int) {
			done.Add(n)
			for range n {
				ch := make(chan int, room)
				all = append(all, ch)
				go func() {
					for v := range ch {
						_ = v
					}
					done.Done()
				}()
			}
			return all
		}
		b.Run(fmt.Sprintf("%d/topic-channels", n), func(b *testing.B) {
			rt := freerun.New()
			defer rt.Close()
			var news freerun.Topic[int]
			var done sync.WaitGroup
			all := goroutines(&done)
			for _, ch := range all {
				freerun.SubscribeChannel(&news, ch, freerun.WaitForRoom)
			}
			b.ResetTimer()
			for i := range b.N {
				news.Publish(rt.Context(), i+1)
			}
			for _, ch := range all {
				close(ch)
			}
			done.Wait()
			report(b, n)
		})
		b.Run(fmt.Sprintf("%d/channels", n), func(b *testing.B) {
			var done sync.WaitGroup
			all := goroutines(&done)
			b.ResetTimer()
			for i := range b.N {
				for _, ch := range all {
					ch <- i + 1
				}
			}
			for _, ch := range all {
				close(ch)
			}
			done.Wait()
			report(b, n)
		})
		b.Run(fmt.Sprintf("%d/mutex-channels", n), func(b *testing.B) {
			var mu sync.RWMutex
			var done sync.WaitGroup
			all := goroutines(&done)
			b.ResetTimer()
			for i := range b.N {
				mu.RLock()
				for _, ch := range all {
					ch <- i + 1
				}
				mu.RUnlock()
			}
			for _, ch := range all {
				close(ch)
			}
			done.Wait()
			report(b, n)
		})
	}
}
