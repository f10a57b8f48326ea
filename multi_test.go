package freerun_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// The tests of this file are about operations on several units at once.

type ledger struct{ balance, in, out int }

var transfer = freerun.Op2("transfer", func(_ *freerun.Context, from, to *ledger, amount int) (int, error) {
	amount = min(amount, from.balance)
	from.balance -= amount
	from.out++
	to.balance += amount
	to.in++
	return amount, nil
})

func newAccounts(rt *freerun.Runtime, n, balance int) []*freerun.Unit[ledger] {
	all := make([]*freerun.Unit[ledger], n)
	for i := range all {
		all[i] = freerun.NewUnit(rt, ledger{balance: balance})
	}
	return all
}

func TestWhen(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	n, text, flag := freerun.NewUnit(rt, 1), freerun.NewUnit(rt, "a"), freerun.NewUnit(rt, false)
	two := freerun.When2(c, n, text, func(_ *freerun.Context, n *int, text *string) (int, error) {
		*n, *text = *n+1, *text+"b"
		return *n, nil
	})
	then := freerun.When2(c, text, flag, func(_ *freerun.Context, text *string, flag *bool) (string, error) {
		*flag = *text == "ab"
		return *text, nil
	})
	if v := runtimetest.Must(t, two); v != 2 {
		t.Errorf("two: %d", v)
	}
	if v := runtimetest.Must(t, then); v != "ab" {
		t.Errorf("then: %q", v)
	}
	if !runtimetest.Must(t, freerun.Do(c, flag, func(_ *freerun.Context, flag *bool) (bool, error) { return *flag, nil })) {
		t.Error("the last unit was not written, or the two operations ran in the wrong order")
	}
	for units := range 6 {
		all := newAccounts(rt, units, 7)
		sum := freerun.WhenAll(c, all, func(_ *freerun.Context, states []*ledger) (int, error) {
			sum := 0
			for i, s := range states {
				sum += s.balance
				s.in = i + 1
			}
			return sum, nil
		})
		if v := runtimetest.Must(t, sum); v != 7*units {
			t.Errorf("%d units: sum %d", units, v)
		}
		for i, u := range all {
			if in := runtimetest.Must(t, freerun.Do(c, u, func(_ *freerun.Context, a *ledger) (int, error) { return a.in, nil })); in != i+1 {
				t.Errorf("unit %d got the state of unit %d", i, in-1)
			}
			if ops := u.Stats().Operations; ops != 2 {
				t.Errorf("unit %d counts %d operations", i, ops)
			}
		}
	}
}

func TestOperationsOnSeveral(t *testing.T) {
	rt, j := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	all := newAccounts(rt, 3, 100)
	if v := runtimetest.Must(t, transfer.Send(c, all[0], all[1], 30)); v != 30 {
		t.Errorf("%d transferred", v)
	}
	if err := transfer.Tell(c, all[2], all[0], 5); err != nil {
		t.Error(err)
	}
	if v := runtimetest.Must(t, shareOut.Send(c, all, 10)); v != 20 {
		t.Errorf("%d shared", v)
	}
	if err := shareOut.Tell(c, []*freerun.Unit[ledger]{all[2], all[1], all[0]}, 1); err != nil {
		t.Error(err)
	}
	if v := runtimetest.Must(t, totalOf.Send(c, all, "total")); v != "total 300" {
		t.Error(v)
	}
	if err := totalOf.Tell(c, all, ""); err != nil {
		t.Error(err)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != 6 || s.Done != 6 || s.Lost != 1 {
		t.Errorf("%+v", s)
	}
	if log := strings.Join(j.Texts(), "\n"); !strings.Contains(log, "freerun_test.total") || !strings.Contains(log, "no text") {
		t.Errorf("a lost failure was not logged: %s", log)
	}
}

var shareOut = freerun.OpAll("share.out", func(_ *freerun.Context, all []*ledger, amount int) (int, error) {
	for _, a := range all[1:] {
		all[0].balance -= amount
		a.balance += amount
	}
	return (len(all) - 1) * amount, nil
})

var totalOf = freerun.OpAll("total", func(_ *freerun.Context, all []*ledger, text string) (string, error) {
	if text == "" {
		return "", errors.New("no text")
	}
	sum := 0
	for _, a := range all {
		sum += a.balance
	}
	return text + " " + itoa(sum), nil
})

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestMultiRefused(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	other, _ := runtimetest.Start(t)
	c := rt.Context()
	all := newAccounts(rt, 4, 1)
	foreign := freerun.NewUnit(other, ledger{})
	twice := []*freerun.Unit[ledger]{all[0], all[1], all[2], all[1]}
	never := func(*freerun.Context, *ledger, *ledger) (int, error) { t.Error("run"); return 0, nil }
	neverAll := func(*freerun.Context, []*ledger) (int, error) { t.Error("run"); return 0, nil }
	refused := func(name string, f freerun.Future[int], want error) {
		t.Helper()
		if _, err := f.Result(); !errors.Is(err, want) { // at once
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	refused("When2", freerun.When2(c, all[0], all[0], never), freerun.ErrSameUnit)
	refused("WhenAll", freerun.WhenAll(c, []*freerun.Unit[ledger]{all[0], all[1], all[0]}, neverAll), freerun.ErrSameUnit)
	refused("WhenAll", freerun.WhenAll(c, twice, neverAll), freerun.ErrSameUnit)
	refused("Send", transfer.Send(c, all[1], all[1], 1), freerun.ErrSameUnit)
	refused("When2", freerun.When2(c, all[0], foreign, never), freerun.ErrOtherRuntime)
	refused("WhenAll", freerun.WhenAll(c, []*freerun.Unit[ledger]{foreign, all[0]}, neverAll), freerun.ErrOtherRuntime)
	if err := transfer.Tell(c, all[2], all[2], 1); !errors.Is(err, freerun.ErrSameUnit) {
		t.Errorf("Tell: %v", err)
	}
	if err := transfer.Tell(c, foreign, all[2], 1); !errors.Is(err, freerun.ErrOtherRuntime) {
		t.Errorf("Tell: %v", err)
	}
	rt.Close()
	refused("When2", freerun.When2(c, all[0], all[1], never), freerun.ErrClosed)
	if err := transfer.Tell(c, all[0], all[2], 1); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Tell: %v", err)
	}
	if s := rt.Stats(); s.Sent != 0 || s.Done != 0 {
		t.Errorf("%+v", s)
	}
}

// TestMultiWaitForTheirArgument holds that a message with an open future does not keep its
// units from other messages meanwhile.
func TestMultiWaitForTheirArgument(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	g := runtimetest.NewGate()
	amount := freerun.Go(c, func(*freerun.Context) (int, error) { g.Pass(); return 40, nil })
	<-g.Entered
	all := newAccounts(rt, 2, 100)
	late := transferLater.Send(c, all[0], all[1], lateAmount{amount})
	if err := transferLater.Tell(c, all[0], all[1], lateAmount{amount}); err != nil {
		t.Error(err)
	}
	runtimetest.Must(t, transfer.Send(c, all[0], all[1], 50))
	close(g.Opened)
	if v := runtimetest.Must(t, late); v != 40 {
		t.Errorf("%d transferred", v)
	}
	failed := transferLater.Send(c, all[0], all[1], lateAmount{freerun.Failed[int](errors.New("no amount"))})
	if _, err := failed.Wait(runtimetest.Within(t)); err == nil || !strings.Contains(err.Error(), "freerun_test.transferLater received: no amount") {
		t.Error(err)
	}
	if err := transferLater.Tell(c, all[0], all[1], lateAmount{freerun.Failed[int](errors.New("no amount"))}); err != nil {
		t.Error(err)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done || s.Failed != 2 || s.Lost != 1 {
		t.Errorf("%+v", s)
	}
	balance := func(_ *freerun.Context, a *ledger) (int, error) { return a.balance, nil }
	if a, b := runtimetest.Must(t, freerun.Do(c, all[0], balance)), runtimetest.Must(t, freerun.Do(c, all[1], balance)); a != 0 || b != 200 {
		t.Errorf("%d and %d", a, b)
	}
}

type lateAmount struct{ n freerun.Future[int] }

var transferLater = freerun.Op2("transferLater", func(_ *freerun.Context, from, to *ledger, a lateAmount) (int, error) {
	n := min(a.n.Value(), from.balance)
	from.balance -= n
	to.balance += n
	return n, nil
})

// TestMultiCrash holds that units go on, however an operation on them ends.
func TestMultiCrash(t *testing.T) {
	for _, processors := range []int{1, 3} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		c := rt.Context()
		all := newAccounts(rt, 3, 100)
		const rounds = 100
		var crashed []freerun.Future[int]
		for i := range rounds {
			for _, u := range all {
				addIn.Tell(c, u, 1)
			}
			crashed = append(crashed, freerun.WhenAll(c, all, func(c *freerun.Context, s []*ledger) (int, error) {
				for _, a := range s {
					a.out++
				}
				switch i % 3 {
				case 0:
					panic("boom")
				case 1:
					runtime.Goexit()
				}
				return 0, errors.New("no")
			}))
			crashTell.Tell(c, all[i%3], all[(i+1)%3], i)
		}
		for i, f := range crashed {
			_, err := f.Wait(runtimetest.Within(t))
			var p *freerun.PanicError
			if errors.As(err, &p) != (i%3 < 2) || err == nil {
				t.Fatalf("%d: %v", i, err)
			}
			if errors.Is(err, freerun.ErrGoexit) != (i%3 == 1) {
				t.Fatalf("%d: %v", i, err)
			}
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		for _, u := range all {
			s := runtimetest.Must(t, freerun.Do(c, u, func(_ *freerun.Context, a *ledger) (ledger, error) { return *a, nil }))
			if s.in != rounds || s.out != rounds {
				t.Errorf("%+v", s)
			}
		}
		if s := rt.Stats(); s.Sent != s.Done || s.Lost != rounds {
			t.Errorf("%+v", s)
		}
	}
}

var addIn = freerun.Op("addIn", freerun.NoResult(func(_ *freerun.Context, a *ledger, n int) error {
	a.in += n
	return nil
}))

var crashTell = freerun.Op2("crashTell", func(_ *freerun.Context, _, _ *ledger, i int) (int, error) {
	if i%2 == 0 {
		panic("boom")
	}
	runtime.Goexit()
	return 0, nil
})

// TestBank is a check in the manner of linearizability: every audit, an operation on all
// accounts, sees all of the money, and each transfer whole.
func TestBank(t *testing.T) {
	const accounts, opening, clients, each = 5, 1000, 4, 1500
	for _, processors := range []int{1, 2, 4} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		c := rt.Context()
		all := newAccounts(rt, accounts, opening)
		var wg sync.WaitGroup
		for client := range clients {
			wg.Go(func() {
				for i := range each {
					from := (client*7 + i*3) % accounts
					to := (from + 1 + i%(accounts-1)) % accounts
					switch {
					case i%50 == 0:
						if v := runtimetest.Must(t, freerun.WhenAll(c, all, func(_ *freerun.Context, s []*ledger) (int, error) {
							sum, in, out := 0, 0, 0
							for _, a := range s {
								sum, in, out = sum+a.balance, in+a.in, out+a.out
							}
							if in != out {
								return 0, errors.New("a transfer in halves")
							}
							return sum, nil
						})); v != accounts*opening {
							t.Errorf("%d in the bank", v)
						}
					case i%4 == 0:
						transfer.Send(c, all[from], all[to], i%100)
					default:
						transfer.Tell(c, all[from], all[to], i%100)
					}
				}
			})
		}
		wg.Wait()
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 || s.Sent != clients*each {
			t.Errorf("%+v", s)
		}
	}
}

// TestMultiOrder holds that messages of one sender, to single units and to several, run on each
// unit in the order in which they were sent.
func TestMultiOrder(t *testing.T) {
	const units, senders, each = 4, 4, 3000
	for _, processors := range []int{1, 3} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		c := rt.Context()
		all := make([]*freerun.Unit[runtimetest.Sequence], units)
		for i := range all {
			all[i] = freerun.NewUnit(rt, runtimetest.Sequence{Next: map[int]int{}})
		}
		var wg sync.WaitGroup
		var sent [units][senders]int
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					a, b := (s+i)%units, (s+i+1+i%(units-1))%units
					if i%3 == 0 {
						runtimetest.Record.Tell(c, all[a], runtimetest.Stamp{Sender: s, Number: sent[a][s]})
						sent[a][s]++
						continue
					}
					recordTwo.Tell(c, all[a], all[b], stamps{runtimetest.Stamp{Sender: s, Number: sent[a][s]}, runtimetest.Stamp{Sender: s, Number: sent[b][s]}})
					sent[a][s]++
					sent[b][s]++
				}
			})
		}
		wg.Wait()
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		for i, u := range all {
			runtimetest.Must(t, freerun.Do(c, u, func(_ *freerun.Context, q *runtimetest.Sequence) (int, error) {
				if len(q.Wrong) > 0 {
					t.Errorf("%d messages out of order on unit %d, first %v", len(q.Wrong), i, q.Wrong[0])
				}
				for s := range senders {
					if q.Next[s] != sent[i][s] {
						t.Errorf("unit %d had %d messages of sender %d, of %d", i, q.Next[s], s, sent[i][s])
					}
				}
				return 0, nil
			}))
		}
	}
}

type stamps struct{ a, b runtimetest.Stamp }

var recordTwo = freerun.Op2("recordTwo", func(_ *freerun.Context, p, q *runtimetest.Sequence, m stamps) (struct{}, error) {
	for i, s := range []*runtimetest.Sequence{p, q} {
		n := []runtimetest.Stamp{m.a, m.b}[i]
		if s.Next[n.Sender] != n.Number {
			s.Wrong = append(s.Wrong, n)
		}
		s.Next[n.Sender] = n.Number + 1
	}
	return struct{}{}, nil
})

// TestMultiAgree has two senders send to the same two units, in opposite order of arguments, and
// after each message one to each unit alone. Each message appends its number. The messages to both
// units come in one order on both, and on each unit those of a sender in the order of its sends: no
// message has passed another on one unit alone.
func TestMultiAgree(t *testing.T) {
	const each = 2000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	x, y := freerun.NewUnit(rt, []int(nil)), freerun.NewUnit(rt, []int(nil))
	push := func(id int) func(*freerun.Context, *[]int, *[]int) (int, error) {
		return func(_ *freerun.Context, a, b *[]int) (int, error) {
			*a, *b = append(*a, id), append(*b, id)
			return 0, nil
		}
	}
	pushAlone := func(id int) func(*freerun.Context, *[]int) (int, error) {
		return func(_ *freerun.Context, a *[]int) (int, error) { *a = append(*a, id); return 0, nil }
	}
	var wg sync.WaitGroup
	for s := range 2 {
		wg.Go(func() {
			for i := range each {
				both, alone := 4*i+s, 4*i+2+s
				if s == 0 {
					freerun.When2(c, x, y, push(both))
				} else {
					freerun.When2(c, y, x, push(both))
				}
				freerun.Do(c, x, pushAlone(alone))
				freerun.Do(c, y, pushAlone(alone))
			}
		})
	}
	wg.Wait()
	get := func(_ *freerun.Context, s *[]int) ([]int, error) { return *s, nil }
	a, b := runtimetest.Must(t, freerun.Do(c, x, get)), runtimetest.Must(t, freerun.Do(c, y, get))
	var both [2][]int
	for i, all := range [][]int{a, b} {
		if len(all) != 4*each {
			t.Fatalf("%d messages on unit %d, want %d", len(all), i, 4*each)
		}
		var next [2]int // by sender
		for _, id := range all {
			if s := id % 2; id != 2*next[s]+s {
				t.Fatalf("unit %d has message %d of sender %d where its message %d should be", i, id/2, s, next[s])
			}
			next[id%2]++
			if id%4 < 2 {
				both[i] = append(both[i], id)
			}
		}
	}
	if !slices.Equal(both[0], both[1]) {
		t.Error("the messages to both units came in another order on each")
	}
}

// TestMultiUnderClose closes the runtime in the middle of transfers: each transfer was run or
// failed with ErrClosed.
func TestMultiUnderClose(t *testing.T) {
	const senders, each = 4, 1000
	for round := range 10 {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		all := newAccounts(rt, 6, 1000)
		var okay, closed atomic.Int64
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				var futures []freerun.Future[int]
				for i := range each {
					futures = append(futures, transfer.Send(rt.Context(), all[i%6], all[(i+1+(s+i)%5)%6], 1))
					addIn.Tell(rt.Context(), all[i%6], 0)
					if s == 0 && i == 90*(round+1) {
						go rt.Close()
					}
				}
				for _, f := range futures {
					switch _, err := f.Wait(runtimetest.Within(t)); {
					case err == nil:
						okay.Add(1)
					case errors.Is(err, freerun.ErrClosed):
						closed.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		rt.Close()
		if okay.Load()+closed.Load() != senders*each {
			t.Fatalf("%d and %d of %d", okay.Load(), closed.Load(), senders*each)
		}
		if s := rt.Stats(); s.Sent != s.Done {
			t.Errorf("%+v", s)
		}
	}
}
