package cluster_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// leave forgets the account, tells another one what was there, and ends as it is told to.
var leave = freerun.Op("leave", func(c *freerun.Context, a *account, p payment) (int, error) {
	err := errors.Join(cluster.Forget(c), cluster.TellAfter(c, 0, "late", deposit, 1000), deposit.Tell(c, accounts.At(c, p.To), a.Balance))
	if err != nil {
		return 0, err
	}
	left := a.Balance
	a.Balance = -1 // lost
	return left, goesAwry(p.How)
})

// TestForget holds that a unit that was forgotten begins anew, if and only if the operation has its
// effect, and that nothing runs on what was there before.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	rt, n, stop := start(t, dir)
	c := rt.Context()
	if err := cluster.Forget(c); !errors.Is(err, cluster.ErrOutside) {
		t.Error(err)
	}
	for i, how := range []string{"", "fails", "panics", "goexits"} {
		key := fmt.Sprint("leaves", i)
		u := accounts.At(c, key)
		must(t, deposit.Send(c, u, 5)) // 105
		// Each of these comes behind the one before it, in one write or several.
		a, b := deposit.Send(c, u, 1), leave.Send(c, u, payment{To: "heir" + how, How: how})
		d, e, f := deposit.Send(c, u, 10), balance.Send(c, u, struct{}{}), deposit.Send(c, u, 100)
		if v := must(t, a); v != 106 {
			t.Errorf("%s: %d", how, v)
		}
		if _, err := b.Wait(within(t)); (err != nil) != (how != "") {
			t.Errorf("%s: %v", how, err)
		}
		first := 106
		if how == "" || how == "fails" {
			first = 100
		}
		if v := must(t, d); v != first+10 {
			t.Errorf("%s: %d after it, want %d", how, v, first+10)
		}
		if v := must(t, e); v < first || v > first+110 {
			t.Errorf("%s: a read sees %d", how, v)
		}
		if v := must(t, f); v != first+110 {
			t.Errorf("%s: %d", how, v)
		}
		settle(t, rt)
		heir := 100
		if first == 100 {
			heir = 206
		}
		if v := must(t, balance.Send(c, accounts.At(c, "heir"+how), struct{}{})); v != heir {
			t.Errorf("%s: the heir has %d", how, v)
		}
	}
	gone := accounts.At(c, "gone")
	must(t, deposit.Send(c, gone, 1))
	must(t, leave.Send(c, gone, payment{To: "heir"}))
	must(t, leave.Send(c, accounts.At(c, "never there"), payment{To: "heir"}))
	if k := keys(t, n); k != "heir heirfails leaves0 leaves1 leaves2 leaves3" {
		t.Errorf("keys %s", k)
	}
	stop()
	rt, _, stop = start(t, dir)
	c = rt.Context()
	time.Sleep(10 * time.Millisecond) // timers that were not forgotten would tell now
	for key, want := range map[string]int{"leaves0": 210, "leaves1": 210, "leaves2": 216, "leaves3": 216, "gone": 100} {
		if v := must(t, balance.Send(c, accounts.At(c, key), struct{}{})); v != want {
			t.Errorf("%s has %d, want %d", key, v, want)
		}
	}
	stop()
}

// TestForgetOften has a unit forgotten again and again while others send to it.
func TestForgetOften(t *testing.T) {
	rt, _, _ := start(t, t.TempDir())
	c := rt.Context()
	var all []freerun.Future[int]
	for i := range 2000 {
		u := accounts.At(c, fmt.Sprint(i%3))
		switch i % 10 {
		case 3:
			all = append(all, leave.Send(c, u, payment{To: "heir"}))
		case 7:
			accounts.Stop(c, fmt.Sprint(i%3))
			all = append(all, balance.Send(c, u, struct{}{}))
		default:
			all = append(all, deposit.Send(c, u, 1))
		}
	}
	for _, f := range all {
		must(t, f)
	}
	settle(t, rt)
	sum, left := 0, 200
	for i := range 3 {
		sum += must(t, balance.Send(c, accounts.At(c, fmt.Sprint(i)), struct{}{})) - 100
	}
	sum += must(t, balance.Send(c, accounts.At(c, "heir"), struct{}{})) - 100 - 100*left
	if sum != 1600 {
		t.Errorf("%d deposits are left of 1600", sum)
	}
}
