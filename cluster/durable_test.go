package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// account is the state of the units of these tests.
type account struct {
	Balance int
	Log     []int
}

var errPoor = errors.New("insufficient funds")

var (
	accounts = freerun.NewKind("account", func(*freerun.Context, string) (account, error) { return account{Balance: 100}, nil }, cluster.Durable())
	deposit  = freerun.Op("deposit", func(_ *freerun.Context, a *account, n int) (int, error) {
		a.Balance += n
		a.Log = append(a.Log, n)
		return a.Balance, nil
	})
	withdraw = freerun.Op("withdraw", func(_ *freerun.Context, a *account, n int) (int, error) {
		if a.Balance < n {
			return 0, errPoor
		}
		a.Balance -= n
		return a.Balance, nil
	})
	balance = freerun.ReadOp("balance", func(_ *freerun.Context, a *account, _ struct{}) (int, error) { return a.Balance, nil })
	history = freerun.ReadOp("history", func(_ *freerun.Context, a *account, _ struct{}) ([]int, error) { return a.Log, nil })
)

type transfer struct {
	To     string
	Amount int
}

// pay tells another account.
var pay = freerun.Op("pay", func(c *freerun.Context, a *account, t transfer) (int, error) {
	if a.Balance < t.Amount {
		return 0, errPoor
	}
	a.Balance -= t.Amount
	return a.Balance, deposit.Tell(c, accounts.At(c, t.To), t.Amount)
})

// start returns a runtime that has joined the store in dir. stop ends both.
func start(t testing.TB, dir string, options ...cluster.LocalOption) (rt *freerun.Runtime, n *cluster.Node, stop func()) {
	t.Helper()
	rt = freerun.New()
	n, err := cluster.Join(rt, cluster.Local(dir, append(options, cluster.Create())...))
	if err != nil {
		rt.Close()
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		t.Helper()
		if err := rt.Shutdown(within(t)); err != nil {
			t.Error(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return rt, n, stop
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// must returns the value of a future.
func must[T any](t testing.TB, f freerun.Future[T]) T {
	t.Helper()
	v, err := f.Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// settle waits until nothing is under way.
func settle(t testing.TB, rt *freerun.Runtime) {
	t.Helper()
	if err := rt.Quiesce(within(t)); err != nil {
		t.Fatal(err)
	}
}

// TestDurable holds that a state outlives its runtime, with all ways to send that are taken.
func TestDurable(t *testing.T) {
	dir := t.TempDir()
	rt, n, stop := start(t, dir)
	c := rt.Context()
	if v := must(t, balance.Send(c, accounts.At(c, "ada"), struct{}{})); v != 100 {
		t.Errorf("a new account has %d", v)
	}
	if v := must(t, deposit.Send(c, accounts.At(c, "ada"), 5)); v != 105 {
		t.Errorf("%d", v)
	}
	if err := deposit.Tell(c, accounts.At(c, "ada"), 6); err != nil {
		t.Error(err)
	}
	if v, err := deposit.Call(within(t), accounts.At(c, "ada"), 7); err != nil || v != 118 {
		t.Errorf("%d, %v", v, err)
	}
	f, _ := deposit.SendAfter(c, time.Millisecond, accounts.At(c, "bob"), 1)
	must(t, f)
	if _, err := withdraw.Send(c, accounts.At(c, "bob"), 1000).Wait(within(t)); !errors.Is(err, errPoor) {
		t.Errorf("%v", err)
	}
	must(t, balance.Send(c, accounts.At(c, "read only"), struct{}{}))
	if k := keys(t, n); k != "ada bob" {
		t.Errorf("keys %s", k)
	}
	stop()

	rt, n, _ = start(t, dir)
	c = rt.Context()
	if v := must(t, balance.Send(c, accounts.At(c, "ada"), struct{}{})); v != 118 {
		t.Errorf("ada has %d", v)
	}
	if v := must(t, balance.Send(c, accounts.At(c, "bob"), struct{}{})); v != 101 {
		t.Errorf("bob has %d", v)
	}
	if k := keys(t, n); k != "ada bob" {
		t.Errorf("keys %s", k)
	}
	for range cluster.Keys(n, accounts, "ad") {
		return // leaving the loop early is no error
	}
	t.Error("no key begins with ad")
}

func keys(t *testing.T, n *cluster.Node) string {
	var all []string
	for k, err := range cluster.Keys(n, accounts, "") {
		if err != nil {
			t.Error(err)
		}
		all = append(all, k)
	}
	return strings.Join(all, " ")
}

// TestDurablePassive has units become passive again and again while they are in use.
func TestDurablePassive(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	const rounds, units = 300, 5
	var all []freerun.Future[int]
	for i := range rounds {
		for u := range units {
			key := fmt.Sprint(u)
			all = append(all, deposit.Send(c, accounts.At(c, key), 1))
			if (i+u)%3 == 0 {
				accounts.Stop(c, key)
			}
		}
		if i%17 == 0 {
			runtime.GC()
		}
	}
	for i, f := range all {
		if v := must(t, f); v != 101+i/units {
			t.Fatalf("deposit %d: %d, want %d", i, v, 101+i/units)
		}
	}
	for u := range units {
		if v := must(t, balance.Send(c, accounts.At(c, fmt.Sprint(u)), struct{}{})); v != 100+rounds {
			t.Errorf("%d: %d", u, v)
		}
	}
}

// TestTell holds that what a unit tells another takes effect once, in order.
func TestTell(t *testing.T) {
	dir := t.TempDir()
	rt, _, stop := start(t, dir)
	c := rt.Context()
	const n = 500
	for i := range n {
		must(t, deposit.Send(c, accounts.At(c, "from"), i))
		if err := pay.Tell(c, accounts.At(c, "from"), transfer{"to", i}); err != nil {
			t.Fatal(err)
		}
		if i%50 == 0 {
			accounts.Stop(c, "to")
		}
	}
	settle(t, rt)
	check := func() {
		t.Helper()
		got := must(t, history.Send(c, accounts.At(c, "to"), struct{}{}))
		if len(got) != n {
			t.Fatalf("%d came, want %d", len(got), n)
		}
		for i, v := range got {
			if i != v {
				t.Fatalf("the one with index %d is %d", i, v)
			}
		}
		if v := must(t, balance.Send(c, accounts.At(c, "from"), struct{}{})); v != 100 {
			t.Errorf("from has %d", v)
		}
	}
	check()
	stop()
	rt, _, _ = start(t, dir)
	c = rt.Context()
	check()
}

var (
	panics     atomic.Int64 // how many runs of unsteady are to panic
	runs       atomic.Int64 // of unsteady
	errStrange = errors.New("strange")

	unsteady = freerun.Op("unsteady", func(c *freerun.Context, a *account, n int) (int, error) {
		runs.Add(1)
		a.Balance += n
		if err := deposit.Tell(c, accounts.At(c, "told"), n); err != nil {
			return 0, err
		}
		if panics.Add(-1) >= 0 {
			panic(errStrange)
		}
		return a.Balance, nil
	})
	ends = freerun.Op("ends", func(_ *freerun.Context, a *account, n int) (int, error) {
		a.Balance += n
		runtime.Goexit()
		return 0, nil
	})
	forwards = freerun.Op("forwards", func(c *freerun.Context, a *account, n int) (int, error) {
		a.Balance += n
		if err := deposit.Tell(c, accounts.At(c, "told in vain"), n); err != nil {
			return 0, err
		}
		return freerun.Forward(c, freerun.Then(c, freerun.After(c, 10*time.Millisecond), func(*freerun.Context, time.Time) (int, error) {
			return 1, nil
		}))
	})
)

// TestPanic holds that a panic undoes what the operation has changed and told, and nothing else.
func TestPanic(t *testing.T) {
	for _, times := range []int64{1, 2, 3} {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			rt, _, _ := start(t, t.TempDir())
			c := rt.Context()
			u := accounts.At(c, "u")
			panics.Store(times)
			runs.Store(0)
			var before, after []freerun.Future[int]
			for range 10 {
				before = append(before, deposit.Send(c, u, 1))
			}
			read := balance.Send(c, u, struct{}{})
			f := unsteady.Send(c, u, 1000)
			later := balance.Send(c, u, struct{}{})
			for range 10 {
				after = append(after, deposit.Send(c, u, 1))
			}
			for i, f := range before {
				if v := must(t, f); v != 101+i {
					t.Errorf("before %d: %d", i, v)
				}
			}
			if v, err := read.Wait(within(t)); err == nil && v != 110 {
				t.Errorf("read %d", v)
			}
			gain := 1000
			v, err := f.Wait(within(t))
			var p *freerun.PanicError
			switch {
			case times == 3:
				gain = 0
				if !errors.As(err, &p) || !errors.Is(err, errStrange) || !strings.Contains(p.Operation, "unsteady") {
					t.Errorf("%v", err)
				}
			case err != nil || v != 1110:
				t.Errorf("%d, %v", v, err)
			}
			if v := must(t, later); v != 110+gain {
				t.Errorf("read later: %d", v)
			}
			for i, f := range after {
				if v := must(t, f); v != 111+gain+i {
					t.Errorf("after %d: %d", i, v)
				}
			}
			settle(t, rt)
			if v := must(t, balance.Send(c, accounts.At(c, "told"), struct{}{})); v != 100+gain {
				t.Errorf("told has %d", v)
			}
			if n := runs.Load(); n != min(times+1, 3) {
				t.Errorf("it has run %d times", n)
			}
		})
	}
}

// TestGoexit holds that what an operation has changed that ends its goroutine is undone, and that
// one which returns an open future is refused.
func TestGoexit(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	u := accounts.At(c, "u")
	for range 20 {
		a, f, g, b := deposit.Send(c, u, 1), ends.Send(c, u, 1000), forwards.Send(c, u, 1000), deposit.Send(c, u, -1)
		must(t, a)
		if _, err := f.Wait(within(t)); !errors.Is(err, freerun.ErrGoexit) {
			t.Errorf("%v", err)
		}
		if _, err := g.Wait(within(t)); !errors.Is(err, cluster.ErrForwarded) {
			t.Errorf("%v", err)
		}
		if v := must(t, b); v != 100 {
			t.Fatalf("%d", v)
		}
	}
	settle(t, rt)
	if v := must(t, balance.Send(c, accounts.At(c, "told in vain"), struct{}{})); v != 100 {
		t.Errorf("what was undone has told %d", v-100)
	}
}

// TestRefused holds that what cannot be stored is refused.
func TestRefused(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	u := accounts.At(c, "u")
	fails := func(name string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := freerun.Do(c, u, func(*freerun.Context, *account) (int, error) { return 0, nil }).Wait(within(t))
	fails("Do", err, cluster.ErrNotDurable)
	_, err = freerun.Read(c, u, func(*freerun.Context, *account) (int, error) { return 0, nil }).Wait(within(t))
	fails("Read", err, cluster.ErrNotDurable)
	_, err = freerun.When2(c, u, freerun.NewUnit(rt, 0), func(*freerun.Context, *account, *int) (int, error) { return 0, nil }).Wait(within(t))
	fails("When2", err, cluster.ErrNotDurable)
	_, err = sends.Send(c, u, 0).Wait(within(t))
	fails("Send within", err, cluster.ErrWithin)
	_, err = deposit.Send(c, accounts.At(c, strings.Repeat("x", 513)), 1).Wait(within(t))
	if err == nil || !strings.Contains(err.Error(), "513") {
		t.Errorf("a long key: %v", err)
	}
	plain := freerun.New()
	defer plain.Close()
	_, err = deposit.Send(plain.Context(), accounts.At(plain.Context(), "u"), 1).Wait(within(t))
	fails("no store", err, cluster.ErrNoStore)
	if _, err := cluster.Join(rt, cluster.Local(t.TempDir(), cluster.Create())); err == nil {
		t.Error("a second Join")
	}
}

var sends = freerun.Op("sends", func(c *freerun.Context, _ *account, _ int) (int, error) {
	_, err := deposit.Send(c, accounts.At(c, "other"), 1).Result()
	return 0, err
})

// TestClosed holds that units fail with ErrClosed once the node is closed, whether they are in
// memory or not, and that the runtime joins no store any more.
func TestClosed(t *testing.T) {
	rt := freerun.New()
	defer rt.Close()
	n, err := cluster.Join(rt, cluster.Local(t.TempDir(), cluster.Create()))
	if err != nil {
		t.Fatal(err)
	}
	c := rt.Context()
	if _, err := deposit.Call(c, accounts.At(c, "active"), 1); err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"active", "passive", "active"} {
		if _, err := deposit.Send(c, accounts.At(c, key), 1).Wait(within(t)); !errors.Is(err, cluster.ErrClosed) {
			t.Errorf("the %s one: %v", key, err)
		}
	}
	if _, err := balance.Send(c, accounts.At(c, "passive"), struct{}{}).Wait(within(t)); !errors.Is(err, cluster.ErrClosed) {
		t.Errorf("a read: %v", err)
	}
	if _, err := cluster.Join(rt, cluster.Local(t.TempDir(), cluster.Create())); err == nil {
		t.Error("it joins again")
	}
}

// TestCloseFirst holds that nothing hangs if the store is closed before the runtime is, in the
// middle of its work.
func TestCloseFirst(t *testing.T) {
	for _, hard := range []bool{false, true} {
		rt := freerun.New()
		n, err := cluster.Join(rt, cluster.Local(t.TempDir(), cluster.Create()))
		if err != nil {
			t.Fatal(err)
		}
		c := rt.Context()
		var all []freerun.Future[int]
		for i := range 2000 {
			all = append(all, pay.Send(c, accounts.At(c, fmt.Sprint(i%10)), transfer{fmt.Sprint(i % 7), 1}))
			if i == 1000 {
				go n.Close()
			}
		}
		if hard {
			rt.Close()
		}
		last := map[int]bool{} // accounts of which one has failed
		for i, f := range all {
			_, err := f.Wait(within(t))
			switch {
			case err == nil && last[i%10]:
				t.Fatalf("%d is done, and an earlier one to the unit has failed", i)
			case err == nil, errors.Is(err, errPoor):
			case errors.Is(err, cluster.ErrClosed), hard && errors.Is(err, freerun.ErrClosed):
				last[i%10] = true
			default:
				t.Fatalf("%d: %v", i, err)
			}
		}
		if err := rt.Shutdown(within(t)); err != nil && !hard {
			t.Error(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}
