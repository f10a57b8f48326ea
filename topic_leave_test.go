package freerun_test

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// leaves are the ways in which a subscription ends while its unit, or its receiver, goes on.
var leaves = map[string]func(*freerun.Topic[int], *freerun.Subscription){
	"Unsubscribe": func(_ *freerun.Topic[int], s *freerun.Subscription) { s.Unsubscribe() },
	"Close":       func(topic *freerun.Topic[int], _ *freerun.Subscription) { topic.Close() },
}

// waiters are publishers that may wait for room.
var waiters = map[string]func(rt *freerun.Runtime, publish func(c *freerun.Context) error) (wait func() error){
	"goroutine": func(rt *freerun.Runtime, publish func(c *freerun.Context) error) func() error {
		done := make(chan error, 1)
		go func() { done <- publish(rt.Context()) }()
		return func() error { return <-done }
	},
	"activity": func(rt *freerun.Runtime, publish func(c *freerun.Context) error) func() error {
		var err error
		a := activity.Go(rt, func(a *activity.Activity) { err = publish(freerun.ContextOf(a)) })
		return func() error { return errors.Join(a.Wait(rt.Context()), err) }
	},
	"operation": func(rt *freerun.Runtime, publish func(c *freerun.Context) error) func() error {
		f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { return 0, publish(c) })
		return func() error { _, err := f.Wait(rt.Context()); return err }
	},
}

// TestTopicLeave has the subscription of a full mailbox, or a channel that nobody receives from,
// end while publishers of all sorts wait for room: they go on, and nobody has missed anything.
func TestTopicLeave(t *testing.T) {
	subscribers := map[string]func(topic *freerun.Topic[int]) *freerun.Subscription{
		"a mailbox": func(topic *freerun.Topic[int]) *freerun.Subscription {
			_, s := freerun.SubscribeMailbox(topic, 1, freerun.WaitForRoom)
			return s
		},
		"a channel": func(topic *freerun.Topic[int]) *freerun.Subscription {
			return freerun.SubscribeChannel(topic, make(chan int, 1), freerun.WaitForRoom)
		},
	}
	for of, subscribe := range subscribers {
		for by, start := range waiters {
			for how, leave := range leaves {
				t.Run(of+"/"+by+"/"+how, func(t *testing.T) {
					rt := runtimetest.Quiet(t, freerun.Processors(2))
					var topic freerun.Topic[int]
					first, last := make(chan int, 2), make(chan int, 2)
					freerun.SubscribeChannel(&topic, first, freerun.Reject)
					s := subscribe(&topic)
					freerun.SubscribeChannel(&topic, last, freerun.Reject)
					publishAll(t, &topic, rt.Context(), 1)
					wait := start(rt, func(c *freerun.Context) error { return topic.Publish(c, 2) })
					for v := range first {
						if v == 2 {
							break // and s is next
						}
					}
					leave(&topic, s)
					if err := wait(); err != nil || s.Missed() != 0 || len(last) != 2 {
						t.Errorf("%v; %d were missed, and the last one has %d of 2", err, s.Missed(), len(last))
					}
				})
			}
		}
	}
}

// TestTopicLeaveKeepsNothing has many subscriptions to a unit end that lives on: it keeps nothing
// of them.
func TestTopicLeaveKeepsNothing(t *testing.T) {
	for how, leave := range leaves {
		t.Run(how, func(t *testing.T) {
			eachSubscribe(t, func(t *testing.T, subscribe func(*freerun.Topic[int], *freerun.Unit[hearer]) *freerun.Subscription) {
				rt := runtimetest.Quiet(t)
				u := freerun.NewUnit(rt, hearer{})
				const n = 5000
				some := func() {
					for range n {
						var topic freerun.Topic[int]
						s := subscribe(&topic, u)
						leave(&topic, s)
						if s.Unsubscribe() {
							t.Error("the subscription has not ended")
						}
					}
				}
				objects := func() uint64 {
					if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
						t.Fatal(err)
					}
					n, _ := heap()
					return n
				}
				some()
				before := objects()
				some()
				if after := objects(); after > before+n {
					t.Errorf("%d more objects are kept after %d more subscriptions", after-before, n)
				}
				runtime.KeepAlive(u)
			})
		})
	}
}

// TestTopicNewestGrows subscribes for as many values as there can be: the memory is that of what
// waits.
func TestTopicNewestGrows(t *testing.T) {
	rt := runtimetest.Quiet(t)
	var topic freerun.Topic[int]
	u := freerun.NewUnit(rt, hearer{})
	s := freerun.SubscribeNewest(&topic, hears, u, math.MaxInt)
	goOn := holdUp(rt, u)
	var want []int
	for v := range 3000 { // some segments
		want = append(want, v)
	}
	publishAll(t, &topic, rt.Context(), want...)
	goOn()
	wantHeard(t, rt, u, want...)
	if s.Missed() != 0 {
		t.Errorf("%d were missed", s.Missed())
	}
}
