//go:build !wasm

package cluster_test

import (
	"slices"
	"testing"

	"github.com/freerun-go/freerun"
)

// gazette is what durable units publish in.
var gazette freerun.Topic[int]

// announce publishes in an operation of a durable unit. One that panics is undone; an error is an
// outcome as others are.
var announce = freerun.Op("gazette.announce", func(c *freerun.Context, a *account, n int) (int, error) {
	a.Log = append(a.Log, n)
	if err := gazette.Publish(c, n); err != nil {
		return 0, err
	}
	switch {
	case n%10 == 7:
		panic(n)
	case n%10 == 9:
		return 0, errPoor
	}
	return n, nil
})

var reads = freerun.Op("gazette.reads", func(_ *freerun.Context, all *[]int, n int) (int, error) {
	*all = append(*all, n)
	return len(*all), nil
})

// TestTopic has an operation of a durable unit publish. What it publishes comes once it is kept,
// and never if it is undone. A durable subscriber keeps what it is told.
func TestTopic(t *testing.T) {
	dir := t.TempDir()
	rt, _, stop := start(t, dir)
	c := rt.Context()
	told, newest := freerun.NewUnit(rt, []int(nil)), freerun.NewUnit(rt, []int(nil))
	ch := make(chan int, 8)
	box, boxed := freerun.SubscribeMailbox(&gazette, 8, freerun.Reject)
	all := []*freerun.Subscription{
		freerun.Subscribe(&gazette, deposit, accounts.At(c, "gazette's reader")),
		freerun.Subscribe(&gazette, reads, told),
		freerun.SubscribeNewest(&gazette, reads, newest, 8),
		freerun.SubscribeChannel(&gazette, ch, freerun.Reject), boxed,
	}
	for _, n := range []int{1, 7, 2, 9, 3} {
		announce.Send(c, accounts.At(c, "gazette"), n).Wait(within(t))
	}
	settle(t, rt)
	close(ch)
	inChannel, inBox := []int{}, []int{}
	for n := range ch {
		inChannel = append(inChannel, n)
	}
	for n, ok := box.TryReceive(); ok; n, ok = box.TryReceive() {
		inBox = append(inBox, n)
	}
	kept := func(c *freerun.Context) []int {
		return must(t, history.Send(c, accounts.At(c, "gazette's reader"), struct{}{}))
	}
	heard := map[string][]int{
		"a durable unit": kept(c), "a channel": inChannel, "a mailbox": inBox,
		"a unit":          must(t, freerun.Do(c, told, func(_ *freerun.Context, all *[]int) ([]int, error) { return *all, nil })),
		"a unit's newest": must(t, freerun.Do(c, newest, func(_ *freerun.Context, all *[]int) ([]int, error) { return *all, nil })),
	}
	for who, got := range heard {
		if !slices.Equal(got, []int{1, 2, 9, 3}) {
			t.Errorf("%s has heard %v", who, got)
		}
	}
	for _, s := range all {
		s.Unsubscribe()
	}
	stop()
	rt, _, _ = start(t, dir)
	if got := kept(rt.Context()); !slices.Equal(got, []int{1, 2, 9, 3}) {
		t.Errorf("the store has kept %v", got)
	}
}

// TestTopicNewestDurable has a durable unit ask for the newest only, which it does not get.
func TestTopicNewestDurable(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	var topic freerun.Topic[int]
	s := freerun.SubscribeNewest(&topic, deposit, accounts.At(c, "gazette's newest"), 8)
	err := topic.Publish(c, 1)
	settle(t, rt)
	if n := must(t, balance.Send(c, accounts.At(c, "gazette's newest"), struct{}{})); n != 100 || err == nil || s.Missed() != 1 {
		t.Errorf("a durable unit was told of the newest only: %d, %v, missed %d", n, err, s.Missed())
	}
}
