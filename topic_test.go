package freerun_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// hearer is the state of units that subscribe: what they have heard.
type hearer struct{ heard []int }

// hears is what subscribers are told: they note it. A negative number is a panic.
var hears = freerun.Op("topic.hears", func(_ *freerun.Context, h *hearer, v int) (int, error) {
	if v < 0 {
		panic("a number below zero")
	}
	h.heard = append(h.heard, v)
	return len(h.heard), nil
})

// heard returns what the unit has heard up to now.
func heard(t *testing.T, rt *freerun.Runtime, u *freerun.Unit[hearer]) []int {
	t.Helper()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	return runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, h *hearer) ([]int, error) {
		return slices.Clone(h.heard), nil
	}))
}

// holdUp has the unit be busy until the function that it returns is called.
func holdUp(rt *freerun.Runtime, u *freerun.Unit[hearer]) (goOn func()) {
	begun, release := make(chan bool), make(chan bool)
	freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *hearer) (int, error) {
		close(begun)
		c.Block(func() { <-release })
		return 0, nil
	})
	<-begun
	return func() { close(release) }
}

func publishAll(t *testing.T, topic *freerun.Topic[int], c *freerun.Context, all ...int) {
	t.Helper()
	for _, v := range all {
		if err := topic.Publish(c, v); err != nil {
			t.Fatal(err)
		}
	}
}

func wantHeard(t *testing.T, rt *freerun.Runtime, u *freerun.Unit[hearer], want ...int) {
	t.Helper()
	if got := heard(t, rt, u); !slices.Equal(got, want) {
		t.Errorf("heard %v, and should have heard %v", got, want)
	}
}

// TestTopicPolicies has subscribers of all policies be too slow: each misses what its policy says.
func TestTopicPolicies(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	var topic freerun.Topic[int]
	c := rt.Context()
	strict := freerun.NewUnit(rt, hearer{}, freerun.MailboxLimit(2, freerun.Reject), freerun.UnitName("strict"))
	newest := freerun.NewUnit(rt, hearer{})
	free := freerun.NewUnit(rt, hearer{})
	a := freerun.Subscribe(&topic, hears, strict)
	b := freerun.SubscribeNewest(&topic, hears, newest, 2)
	freerun.Subscribe(&topic, hears, free)
	full := make(chan int, 3)
	d := freerun.SubscribeChannel(&topic, full, freerun.Reject)
	ring := make(chan int, 3)
	e := freerun.SubscribeChannel(&topic, ring, freerun.DropOldest)
	box, f := freerun.SubscribeMailbox(&topic, 1, freerun.DropOldest)
	goOn := []func(){holdUp(rt, strict), holdUp(rt, newest), holdUp(rt, free)}
	publishAll(t, &topic, c, 1, 2)
	var missed *freerun.PublishError
	if err := topic.Publish(c, 3); !errors.As(err, &missed) || !errors.Is(err, freerun.ErrFull) || missed.Subscribers != 6 ||
		!slices.Equal(missed.Missed, []*freerun.Subscription{a}) || missed.Missed[0].String() != "freerun_test.topic.hears on strict" {
		t.Errorf("a full mailbox: %v", err)
	}
	if err := topic.Publish(c, 4); !errors.As(err, &missed) || !slices.Equal(missed.Missed, []*freerun.Subscription{a, d}) {
		t.Errorf("a full mailbox, and a full channel: %v", err)
	}
	for _, f := range goOn {
		f()
	}
	wantHeard(t, rt, strict, 1, 2)
	wantHeard(t, rt, newest, 3, 4)
	wantHeard(t, rt, free, 1, 2, 3, 4)
	if got := []int{<-full, <-full, <-full, <-ring, <-ring, <-ring}; !slices.Equal(got, []int{1, 2, 3, 2, 3, 4}) {
		t.Errorf("the channels have %v", got)
	}
	if v, err := box.Receive(c); v != 4 || err != nil {
		t.Errorf("the mailbox has %d, %v", v, err)
	}
	if got := []uint64{a.Missed(), b.Missed(), d.Missed(), e.Missed(), f.Missed()}; !slices.Equal(got, []uint64{2, 2, 1, 1, 3}) {
		t.Errorf("missed %v", got)
	}
}

// TestTopicHoldsBack has an operation publish more than a subscriber has room for: its unit is held
// back meanwhile, and no message is lost.
func TestTopicHoldsBack(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	var topic freerun.Topic[int]
	slow := freerun.NewUnit(rt, hearer{}, freerun.MailboxLimit(2, freerun.WaitForRoom))
	freerun.Subscribe(&topic, hears, slow)
	publisher := freerun.NewUnit(rt, hearer{})
	goOn := holdUp(rt, slow)
	publish := func(all ...int) freerun.Future[int] {
		return freerun.Do(rt.Context(), publisher, func(c *freerun.Context, _ *hearer) (int, error) {
			for _, v := range all {
				if err := topic.Publish(c, v); err != nil {
					return 0, err
				}
			}
			return 0, topic.Publish(c.NoWait(), 0)
		})
	}
	if _, err := publish(1, 2, 3).Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrFull) {
		t.Errorf("a publish that does not wait: %v", err)
	}
	next := publish(4)
	for !publisher.Stats().HeldBack {
		time.Sleep(time.Millisecond)
	}
	if _, err := next.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
		t.Errorf("the next operation of a unit that is held back: %v", err)
	}
	goOn()
	next.Wait(runtimetest.Within(t))
	if got := heard(t, rt, slow); !slices.Equal(got, []int{1, 2, 3, 4}) && !slices.Equal(got, []int{1, 2, 3, 4, 0}) {
		t.Errorf("heard %v", got)
	}
}

// TestTopicWaits has an operation, an activity and a goroutine publish to a full mailbox and a full
// channel, which wait until there is room: each operation gives its processor away meanwhile.
func TestTopicWaits(t *testing.T) {
	for name, start := range waiters {
		t.Run(name, func(t *testing.T) {
			rt := runtimetest.Quiet(t, freerun.Processors(1))
			var topic freerun.Topic[int]
			box, _ := freerun.SubscribeMailbox(&topic, 1, freerun.WaitForRoom)
			ch := make(chan int, 1)
			freerun.SubscribeChannel(&topic, ch, freerun.WaitForRoom)
			publishAll(t, &topic, rt.Context(), 1)
			wait := start(rt, func(c *freerun.Context) error { return topic.Publish(c, 2) })
			for i := range 2 {
				// The one processor is free for this operation.
				runtimetest.Must(t, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, nil }))
				if v, err := box.Receive(rt.Context()); v != i+1 || err != nil {
					t.Errorf("the mailbox has %d, %v", v, err)
				}
			}
			if got := []int{<-ch, <-ch}; !slices.Equal(got, []int{1, 2}) {
				t.Errorf("the channel has %v", got)
			}
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTopicWaitEnds has publishers wait for room when the runtime ends, or the receiver does.
func TestTopicWaitEnds(t *testing.T) {
	var topic freerun.Topic[int]
	rt := freerun.New()
	freerun.SubscribeChannel(&topic, make(chan int), freerun.WaitForRoom)
	done := make(chan error)
	s := rt.Scope(runtimetest.Within(t))
	go func() { done <- topic.Publish(s.Context(), 1) }()
	s.Cancel(nil)
	if err := <-done; err == nil {
		t.Error("a publish has waited for the receiver of a scope that was canceled, and says nothing")
	}
	rt.Close()

	rt = runtimetest.Quiet(t)
	var other freerun.Topic[int]
	box, s2 := freerun.SubscribeMailbox(&other, 1, freerun.WaitForRoom)
	publishAll(t, &other, rt.Context(), 1)
	go func() { done <- other.Publish(rt.Context(), 2) }()
	box.Close()
	if err := <-done; err != nil || other.Len() != 0 || s2.Unsubscribe() {
		t.Errorf("the receiver has closed its mailbox: %v, and %d have subscribed", err, other.Len())
	}
	for _, full := range []freerun.FullPolicy{freerun.Reject, freerun.DropOldest} {
		box, _ := freerun.SubscribeMailbox(&other, 1, full)
		box.Close()
		if err := other.Publish(rt.Context(), 3); err != nil || other.Len() != 0 {
			t.Errorf("the receiver has closed its mailbox: %v, and %d have subscribed", err, other.Len())
		}
	}
}

// TestTopicOperationsWhoSubscribe has a subscriber subscribe another one, and itself unsubscribe,
// in the operation that it is told: the other hears from the next on.
func TestTopicOperationsWhoSubscribe(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Deterministic(1))
	var topic freerun.Topic[int]
	u, v := freerun.NewUnit(rt, hearer{}), freerun.NewUnit(rt, hearer{})
	box, s := freerun.SubscribeMailbox(&topic, 8, freerun.Reject)
	publish := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *hearer) (int, error) {
		publishAll(t, &topic, c, 1)
		first := freerun.Subscribe(&topic, hears, v)
		publishAll(t, &topic, c, 2)
		if !first.Unsubscribe() || first.Unsubscribe() || !s.Unsubscribe() {
			t.Error("a subscription has ended before")
		}
		publishAll(t, &topic, c, 3)
		freerun.SubscribeNewest(&topic, hears, v, 1)
		publishAll(t, &topic, c, 4, 5)
		return 0, hears.Tell(c, v, 6)
	})
	runtimetest.Must(t, publish)
	wantHeard(t, rt, v, 2, 5, 6)
	for _, want := range []int{1, 2} {
		if v, ok := box.TryReceive(); v != want || !ok {
			t.Errorf("the mailbox has %d, %v", v, ok)
		}
	}
	if _, err := box.Receive(runtimetest.Within(t)); !errors.Is(err, activity.ErrMailboxClosed) {
		t.Errorf("the mailbox of one who has unsubscribed: %v", err)
	}
}

// TestTopicClose closes a topic: what was published before comes, and nothing after.
func TestTopicClose(t *testing.T) {
	rt := runtimetest.Quiet(t)
	var topic freerun.Topic[int]
	u := freerun.NewUnit(rt, hearer{})
	freerun.Subscribe(&topic, hears, u)
	box, _ := freerun.SubscribeMailbox(&topic, 2, freerun.Reject)
	publishAll(t, &topic, rt.Context(), 1)
	topic.Close()
	topic.Close()
	if err := topic.Publish(rt.Context(), 2); !errors.Is(err, freerun.ErrTopicClosed) || topic.Len() != 0 {
		t.Errorf("a publish after Close: %v, with %d subscribers", err, topic.Len())
	}
	if v, err := box.Receive(runtimetest.Within(t)); v != 1 || err != nil {
		t.Errorf("the mailbox has %d, %v", v, err)
	}
	late, s := freerun.SubscribeMailbox(&topic, 2, freerun.Reject)
	for _, box := range []*activity.Mailbox[int]{box, late} {
		if _, err := box.Receive(runtimetest.Within(t)); !errors.Is(err, activity.ErrMailboxClosed) {
			t.Errorf("a mailbox of a closed topic: %v", err)
		}
	}
	if s.Unsubscribe() || freerun.Subscribe(&topic, hears, u).Unsubscribe() || freerun.SubscribeChannel(&topic, make(chan int), freerun.Reject).Unsubscribe() {
		t.Error("a subscription to a closed topic")
	}
	wantHeard(t, rt, u, 1)
}
