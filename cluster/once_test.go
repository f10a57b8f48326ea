package cluster_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// TestOnce holds that of the operations with one identity one has an effect, and that all have its
// outcome: those that come together, those that come later, and those that come to a later process.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	for life := range 3 {
		rt, _, stop := start(t, dir)
		c := rt.Context()
		var all []freerun.Future[int]
		for i := range 200 {
			key, id := fmt.Sprint("a", i%7), fmt.Sprint(i%50)
			all = append(all, deposit.Send(cluster.Once(c, id), accounts.At(c, key), 1))
			if i%10 == 0 {
				all = append(all, deposit.Send(c, accounts.At(c, key), 0)) // behind it
			}
		}
		for i, f := range all {
			if v := must(t, f); v < 101 || v > 150 {
				t.Errorf("life %d, %d: %d", life, i, v)
			}
		}
		sum := 0
		for i := range 7 {
			sum += must(t, balance.Send(c, accounts.At(c, fmt.Sprint("a", i)), struct{}{})) - 100
		}
		if sum != 200 { // each of 50 identities comes to four of the 7 accounts
			t.Errorf("life %d: %d deposits, want 200", life, sum)
		}
		stop()
	}
}

// TestOnceOutcomes has operations with an identity that fail, and others with the same one.
func TestOnceOutcomes(t *testing.T) {
	rt, _, stop := start(t, t.TempDir())
	c := rt.Context()
	pays := func(id string, p payment) (int, error) {
		return receive.Send(cluster.Once(c, id), accounts.At(c, "ada"), p).Wait(within(t))
	}
	for range 2 {
		if _, err := pays("an error", payment{How: "fails"}); !errors.Is(err, errFailed) {
			t.Errorf("%v", err)
		}
	}
	if v, err := pays("an error", payment{Amount: 1}); !errors.Is(err, errFailed) {
		t.Errorf("%d, %v: the argument is not compared", v, err)
	}
	for _, how := range []string{"panics", "goexits"} {
		for range 2 {
			if _, err := pays(how, payment{How: how}); err == nil || errors.Is(err, errFailed) {
				t.Errorf("%s: %v", how, err)
			}
		}
		if v, err := pays(how, payment{Amount: 1}); err != nil {
			t.Errorf("%s had no effect: %d, %v", how, v, err)
		}
		if v, err := pays(how, payment{Amount: 1}); err != nil || v != must(t, balance.Send(c, accounts.At(c, "ada"), struct{}{})) {
			t.Errorf("%d, %v", v, err)
		}
	}
	if _, err := deposit.Send(cluster.Once(c, "an error"), accounts.At(c, "ada"), 1).Wait(within(t)); !errors.Is(err, cluster.ErrOtherOperation) {
		t.Errorf("%v", err)
	}
	a, b := deposit.Send(cluster.Once(c, "two"), accounts.At(c, "bob"), 1), withdraw.Send(cluster.Once(c, "two"), accounts.At(c, "bob"), 1)
	_, err1 := a.Wait(within(t))
	_, err2 := b.Wait(within(t))
	if errors.Is(err1, cluster.ErrOtherOperation) == errors.Is(err2, cluster.ErrOtherOperation) {
		t.Errorf("%v, %v", err1, err2)
	}
	for _, id := range []string{"", strings.Repeat("x", 257)} {
		if _, err := deposit.Send(cluster.Once(c, id), accounts.At(c, "ada"), 1).Wait(within(t)); !errors.Is(err, cluster.ErrNotDurable) {
			t.Errorf("%d bytes: %v", len(id), err)
		}
	}
	if _, err := deposit.Send(cluster.Once(c, strings.Repeat("x", 256)), accounts.At(c, "ada"), 1).Wait(within(t)); err != nil {
		t.Error(err)
	}
	if _, err := channels.Send(cluster.Once(c, "channel"), accounts.At(c, "ada"), 1).Wait(within(t)); !errors.Is(err, cluster.ErrNotDurable) {
		t.Error(err)
	}
	if v := must(t, balance.Send(cluster.Once(c, "two"), accounts.At(c, "bob"), struct{}{})); v != 101 && v != 99 {
		t.Errorf("%d", v)
	}
	stop()
}

// channels has a result that cannot be stored.
var channels = freerun.Op("channels", func(*freerun.Context, *account, int) (chan int, error) { return nil, nil })

// brief forgets outcomes soon.
var (
	brief = freerun.NewKind("brief", func(*freerun.Context, string) (int, error) { return 0, nil }, cluster.Durable(cluster.OnceFor(time.Second)))
	count = freerun.Op("count", func(_ *freerun.Context, n *int, _ struct{}) (int, error) {
		*n++
		return *n, nil
	})
)

// TestOnceFor holds that outcomes are forgotten when their time has passed: after a start, as the
// next sweep comes a minute later.
func TestOnceFor(t *testing.T) {
	dir := t.TempDir()
	rt, _, stop := start(t, dir)
	c := rt.Context()
	for range 3 {
		if v := must(t, count.Send(cluster.Once(c, "id"), brief.At(c, "x"), struct{}{})); v != 1 {
			t.Errorf("%d", v)
		}
	}
	stop()
	time.Sleep(time.Second)
	rt, _, stop = start(t, dir)
	c = rt.Context()
	for v := 1; v < 2; time.Sleep(time.Millisecond) {
		v = must(t, count.Send(cluster.Once(c, "id"), brief.At(c, "x"), struct{}{}))
	}
	stop()
}

// TestOnceStops has units stopped, and panics, while they ask the store.
func TestOnceStops(t *testing.T) {
	rt, _, stop := start(t, t.TempDir())
	c := rt.Context()
	var sum atomic.Int64
	var all []freerun.Future[int]
	for i := range 1000 {
		u := accounts.At(c, fmt.Sprint(i%5))
		switch i % 6 {
		case 0:
			accounts.Stop(c, fmt.Sprint(i%5))
		case 1:
			all = append(all, receive.Send(c, u, payment{How: "panics"}))
		default:
			all = append(all, receive.Send(cluster.Once(c, fmt.Sprint(i%100)), u, payment{Amount: 1}))
		}
	}
	var panicked *freerun.PanicError
	for _, f := range all {
		if _, err := f.Wait(within(t)); err != nil && !errors.As(err, &panicked) {
			t.Error(err)
		}
	}
	ids := map[string]bool{}
	for i := range 1000 {
		if i%6 > 1 {
			ids[fmt.Sprint(i%5, " ", i%100)] = true
		}
	}
	for i := range 5 {
		sum.Add(int64(must(t, balance.Send(c, accounts.At(c, fmt.Sprint(i)), struct{}{})) - 100))
	}
	if sum.Load() != int64(len(ids)) {
		t.Errorf("%d deposits of %d identities", sum.Load(), len(ids))
	}
	stop()
}
