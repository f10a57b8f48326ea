package freerun_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// eachSubscribe has test subscribe a unit in both ways.
func eachSubscribe(t *testing.T, test func(t *testing.T, subscribe func(*freerun.Topic[int], *freerun.Unit[hearer]) *freerun.Subscription)) {
	t.Run("Subscribe", func(t *testing.T) {
		test(t, func(topic *freerun.Topic[int], u *freerun.Unit[hearer]) *freerun.Subscription {
			return freerun.Subscribe(topic, hears, u)
		})
	})
	t.Run("SubscribeNewest", func(t *testing.T) {
		test(t, func(topic *freerun.Topic[int], u *freerun.Unit[hearer]) *freerun.Subscription {
			return freerun.SubscribeNewest(topic, hears, u, 8)
		})
	})
}

// TestTopicEndsWithUnit ends units that have subscribed: their subscriptions end, and those of
// units that go on do not.
func TestTopicEndsWithUnit(t *testing.T) {
	fresh := func() hearer { return hearer{} }
	panics := func(c *freerun.Context, topic *freerun.Topic[int], _ *freerun.Unit[hearer]) { topic.Publish(c, -1) }
	ends := map[string]struct {
		options []freerun.UnitOption
		end     func(c *freerun.Context, topic *freerun.Topic[int], u *freerun.Unit[hearer])
		left    int
	}{
		"Stop":        {nil, func(c *freerun.Context, _ *freerun.Topic[int], u *freerun.Unit[hearer]) { freerun.Stop(c, u) }, 0},
		"Retire":      {nil, func(c *freerun.Context, _ *freerun.Topic[int], u *freerun.Unit[hearer]) { freerun.Retire(c, u) }, 0},
		"StopOnPanic": {[]freerun.UnitOption{freerun.StopOnPanic()}, panics, 0},
		"a panic":     {nil, panics, 1},
		"a restart":   {[]freerun.UnitOption{freerun.RestartOnPanic(fresh, 1, time.Hour)}, panics, 1},
		"too many restarts": {
			[]freerun.UnitOption{freerun.RestartOnPanic(fresh, 1, time.Hour)},
			func(c *freerun.Context, topic *freerun.Topic[int], u *freerun.Unit[hearer]) {
				panics(c, topic, u)
				panics(c, topic, u)
			}, 0,
		},
	}
	for name, x := range ends {
		t.Run(name, func(t *testing.T) {
			eachSubscribe(t, func(t *testing.T, subscribe func(*freerun.Topic[int], *freerun.Unit[hearer]) *freerun.Subscription) {
				rt := runtimetest.Quiet(t, freerun.Logger(slog.New(slog.DiscardHandler)))
				var topic freerun.Topic[int]
				u := freerun.NewUnit(rt, hearer{}, x.options...)
				s := subscribe(&topic, u)
				publishAll(t, &topic, rt.Context(), 1)
				x.end(rt.Context(), &topic, u)
				rt.Quiesce(runtimetest.Within(t))
				if n := topic.Len(); n != x.left {
					t.Errorf("%d subscribers are left", n)
				}
				publishAll(t, &topic, rt.Context(), 2)
				if x.left > 0 {
					if all := heard(t, rt, u); len(all) == 0 || all[len(all)-1] != 2 {
						t.Errorf("heard %v", all)
					}
				} else if s.Unsubscribe() {
					t.Error("the subscription has not ended")
				}
				if subscribe(&topic, u); x.left == 0 {
					rt.Quiesce(runtimetest.Within(t))
					if n := topic.Len(); n != 0 {
						t.Errorf("a unit that has ended subscribes")
					}
				}
			})
		})
	}
}

var topicKind = freerun.NewKind("topic.kind", func(*freerun.Context, int) (hearer, error) { return hearer{[]int{100}}, nil })

// TestTopicKind has a unit of a kind subscribe: it stays subscribed while it is passive, and what
// is published makes it active.
func TestTopicKind(t *testing.T) {
	eachSubscribe(t, func(t *testing.T, subscribe func(*freerun.Topic[int], *freerun.Unit[hearer]) *freerun.Subscription) {
		rt := runtimetest.Quiet(t)
		var topic freerun.Topic[int]
		u := topicKind.At(rt.Context(), 1)
		subscribe(&topic, u)
		publishAll(t, &topic, rt.Context(), 1)
		wantHeard(t, rt, u, 100, 1)
		runtimetest.Must(t, freerun.Stop(rt.Context(), u))
		publishAll(t, &topic, rt.Context(), 2)
		wantHeard(t, rt, u, 100, 2)
	})
}

// TestTopicRuntimeEnds has what runs during a Shutdown publish: its subscribers get it. Afterwards
// the subscriptions of the runtime end, and those of another one go on.
func TestTopicRuntimeEnds(t *testing.T) {
	eachSubscribe(t, func(t *testing.T, subscribe func(*freerun.Topic[int], *freerun.Unit[hearer]) *freerun.Subscription) {
		rt, other := freerun.New(), runtimetest.Quiet(t)
		var topic freerun.Topic[int]
		var got []int
		u := freerun.NewUnit(rt, hearer{}, freerun.OnEnd(func(_ *freerun.Context, h *hearer) { got = h.heard }))
		subscribe(&topic, u)
		release := make(chan bool)
		freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			c.Block(func() { <-release })
			return 0, topic.Publish(c, 1)
		})
		over := make(chan error)
		go func() { over <- rt.Shutdown(runtimetest.Within(t)) }()
		<-rt.Draining()
		if err := topic.Publish(rt.Context(), 2); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("a goroutine publishes during a Shutdown: %v", err)
		}
		close(release)
		if err := <-over; err != nil || !slices.Equal(got, []int{1}) {
			t.Errorf("heard %v during the Shutdown, which has ended with %v", got, err)
		}
		if err := topic.Publish(other.Context(), 3); err != nil || topic.Len() != 0 {
			t.Errorf("a publish to units of a runtime that has ended: %v, and %d have subscribed", err, topic.Len())
		}
		v := freerun.NewUnit(other, hearer{})
		subscribe(&topic, v)
		publishAll(t, &topic, other.Context(), 4)
		wantHeard(t, other, v, 4)
	})
}

// TestTopicOtherRuntime publishes through another runtime than that of a unit.
func TestTopicOtherRuntime(t *testing.T) {
	eachSubscribe(t, func(t *testing.T, subscribe func(*freerun.Topic[int], *freerun.Unit[hearer]) *freerun.Subscription) {
		rt, other := runtimetest.Quiet(t), runtimetest.Quiet(t)
		var topic freerun.Topic[int]
		u := freerun.NewUnit(rt, hearer{})
		s := subscribe(&topic, u)
		if err := topic.Publish(other.Context(), 1); !errors.Is(err, freerun.ErrOtherRuntime) || s.Missed() == 0 {
			t.Errorf("%v", err)
		}
		publishAll(t, &topic, rt.Context(), 2)
		wantHeard(t, rt, u, 2)
	})
}

// TestTopicScope publishes in a scope that is canceled: a unit is told as by each Tell in it.
func TestTopicScope(t *testing.T) {
	rt := runtimetest.Quiet(t)
	var topic freerun.Topic[int]
	u, v := freerun.NewUnit(rt, hearer{}), freerun.NewUnit(rt, hearer{})
	told := freerun.Subscribe(&topic, hears, u)
	freerun.SubscribeNewest(&topic, hears, v, 8)
	s := rt.Scope(context.Background())
	goOn := holdUp(rt, u)
	publishAll(t, &topic, s.Context(), 1)
	s.Cancel(nil)
	var missed *freerun.PublishError
	if err := topic.Publish(s.Context(), 2); !errors.As(err, &missed) || !errors.Is(err, freerun.ErrCanceled) ||
		!slices.Equal(missed.Missed, []*freerun.Subscription{told}) {
		t.Errorf("a publish in a scope that was canceled: %v", err)
	}
	goOn()
	wantHeard(t, rt, u)
	wantHeard(t, rt, v, 1, 2)
}

// TestTopicIntercepted has interceptors around the operations of subscribers: they see what was
// published as the argument.
func TestTopicIntercepted(t *testing.T) {
	eachSubscribe(t, func(t *testing.T, subscribe func(*freerun.Topic[int], *freerun.Unit[hearer]) *freerun.Subscription) {
		rt := runtimetest.Quiet(t, freerun.Logger(slog.New(slog.DiscardHandler)))
		var topic freerun.Topic[int]
		names := map[string]bool{}
		u := freerun.NewUnit(rt, hearer{}, freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
			if v, is := i.Arg().(*int); is {
				names[i.Operation] = true
				if *v++; *v > 10 {
					return errors.New("too much")
				}
			}
			return i.Next(c)
		}))
		subscribe(&topic, u)
		publishAll(t, &topic, rt.Context(), 1, 2, 10, 3, -3, 4)
		wantHeard(t, rt, u, 2, 3, 4, 5)
		if len(names) != 1 || !names[freerun.NameOf(hears)] {
			t.Errorf("operations %v", names)
		}
	})
}

var tally = freerun.Op("topic.tally", func(_ *freerun.Context, sum *int, v int) (int, error) { *sum += v; return *sum, nil })

// TestTopicPublishAllocatesNothing publishes to all sorts of subscribers.
func TestTopicPublishAllocatesNothing(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	var topic freerun.Topic[int]
	freerun.Subscribe(&topic, tally, freerun.NewUnit(rt, 0))
	freerun.Subscribe(&topic, tally, freerun.NewUnit(rt, 0, freerun.MailboxLimit(100, freerun.WaitForRoom)))
	freerun.SubscribeNewest(&topic, tally, freerun.NewUnit(rt, 0), 4)
	freerun.SubscribeMailbox(&topic, 4, freerun.DropOldest)
	freerun.SubscribeChannel(&topic, make(chan int, 4), freerun.DropOldest)
	if n := allocations(func() {
		topic.Publish(rt.Context(), 1)
		awaitDone(rt)
	}); n != 0 {
		t.Errorf("%v allocations per Publish", n)
	}
}

// TestTopicMisuse uses the functions wrongly.
func TestTopicMisuse(t *testing.T) {
	rt := runtimetest.Quiet(t)
	var topic freerun.Topic[int]
	u := freerun.NewUnit(rt, hearer{})
	for name, use := range map[string]func(){
		"nil context":    func() { topic.Publish(nil, 1) },
		"nil unit":       func() { freerun.Subscribe(&topic, hears, nil) },
		"none":           func() { freerun.SubscribeNewest(&topic, hears, u, 0) },
		"no room":        func() { freerun.SubscribeMailbox(&topic, 0, freerun.Reject) },
		"no policy":      func() { freerun.SubscribeMailbox(&topic, 1, 0) },
		"nil channel":    func() { freerun.SubscribeChannel(&topic, nil, freerun.Reject) },
		"no policy here": func() { freerun.SubscribeChannel(&topic, make(chan int), 7) },
		"no buffer":      func() { freerun.SubscribeChannel(&topic, make(chan int), freerun.DropOldest) },
		"a unit's limit": func() { freerun.MailboxLimit(1, freerun.DropOldest) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			use()
		}()
	}
	if topic.Len() != 0 {
		t.Errorf("%d have subscribed", topic.Len())
	}
}
