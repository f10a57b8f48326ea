package clustertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// vault is the state of units of one tag, on which operations on one and on several units meet all
// else that durable units do. The sums of all are 0 together.
type vault struct {
	Sum int
	Log []int   // what it was in
	Ink float64 // cannot be encoded if it is NaN
}

// deal is what vaults are sent.
type deal struct {
	ID, Amount int
	Does, To   string
	trouble
}

// listener is the state of a unit that is not durable, and hears what vaults do.
type listener struct{ heard map[int]int }

var (
	vaults = [...]*freerun.Kind[string, vault]{
		freerun.NewKind("vault", newVault, cluster.Durable(cluster.Tagged(), cluster.OnceFor(year))),
		freerun.NewKind("crypt", newVault, cluster.Durable(cluster.Tagged(), cluster.OnceFor(year)), freerun.PassivateAfter(5*time.Millisecond), freerun.MaxActive(3)),
	}
	vaultNames = []string{"a", "bb", "c", "dd", "e1", "ff2"}

	// archives have what vaults were when they were forgotten.
	archives = freerun.NewKind("vault_archive", newVault, cluster.Durable())
	archive  = freerun.Op("archive", func(_ *freerun.Context, to *vault, v vault) (int, error) {
		to.Sum, to.Log = to.Sum+v.Sum, append(to.Log, v.Log...)
		return 0, nil
	})
	deal2 = freerun.Op2("deal2", func(c *freerun.Context, a, b *vault, x deal) (int, error) {
		a.Sum, b.Sum = a.Sum-x.Amount, b.Sum+x.Amount
		return x.done(c, a, b)
	})
	dealAll = freerun.OpAll("dealAll", func(c *freerun.Context, all []*vault, x deal) (int, error) {
		for _, v := range all {
			v.Sum += x.Amount
		}
		all[0].Sum -= x.Amount * len(all)
		return x.done(c, all...)
	})
	dealOne = freerun.Op("dealOne", func(c *freerun.Context, v *vault, x deal) (int, error) {
		if err := x.does(c, v); err != nil {
			return 0, err
		}
		return x.done(c, v)
	})
	// hears is what a vault was told by a deal, or by a timer.
	hears = freerun.Op("hears", func(_ *freerun.Context, v *vault, id int) (int, error) {
		v.Log = append(v.Log, id)
		return 0, nil
	})
	lends = freerun.Op("lends", func(_ *freerun.Context, v *vault, x deal) (int, error) {
		switch {
		case x.ID%3 == 0:
			return 0, errOdd
		case x.ID%5 == 0:
			panic(x.ID)
		}
		v.Sum += x.Amount
		return 0, nil
	})
	lent = freerun.Op("lent", func(_ *freerun.Context, v *vault, r cluster.Answer[deal, int]) (int, error) {
		if r.Err != nil {
			v.Sum += r.Arg.Amount
		}
		return 0, nil
	})
	lookAtVault = freerun.ReadOp("lookAtVault", func(_ *freerun.Context, v *vault, _ struct{}) (vault, error) {
		return vault{Sum: v.Sum, Log: slices.Clone(v.Log)}, nil
	})
	listeners sync.Map // *freerun.Runtime → *freerun.Unit[listener]
	listen    = freerun.Op("listen", func(_ *freerun.Context, l *listener, id int) (int, error) {
		l.heard[id]++
		return 0, nil
	})
)

func newVault(_ *freerun.Context, name string) (vault, error) {
	if strings.HasSuffix(name, noVault) {
		return vault{}, errNoVault
	}
	return vault{}, nil
}

// noVault is the name of no vault.
const noVault = "no"

var errNoVault = errors.New("there is no such vault")

func vaultAt(c *freerun.Context, name string) *freerun.Unit[vault] {
	return vaults[len(name)%2].At(c, "{v}"+name)
}

// does does what only operations on one unit do.
func (x deal) does(c *freerun.Context, v *vault) error {
	switch x.Does {
	case "forget":
		v.Log = append(v.Log, x.ID)
		if err := archive.Tell(c, archives.At(c, "all"), vault{Sum: v.Sum, Log: v.Log}); err != nil {
			return err // its scope was canceled
		}
		return cluster.Forget(c)
	case "timer":
		return cluster.TellAfter(c, time.Duration(x.Amount)*time.Millisecond, fmt.Sprint(x.ID), hears, -x.ID)
	case "lend":
		v.Sum -= x.Amount
		return cluster.Ask(c, lends, vaultAt(c, x.To), deal{ID: x.ID, Amount: x.Amount}, lent)
	}
	return nil
}

// done ends a deal: it is in the logs, and was told to a vault and to the listener of the life.
func (x deal) done(c *freerun.Context, all ...*vault) (int, error) {
	for _, v := range all {
		v.Log = append(v.Log, x.ID)
	}
	l, _ := listeners.Load(c.Runtime())
	if err := listen.Tell(c, l.(*freerun.Unit[listener]), x.ID); err != nil {
		return 0, err
	}
	if x.Does == "tell" {
		if err := hears.Tell(c, vaultAt(c, x.To), -x.ID); err != nil {
			return 0, err
		}
	}
	var ink book
	n, err := x.comes(c, &ink, "deal", x.ID)
	all[len(all)-1].Ink = ink.Ink
	return n, err
}

// sentDeal is a deal that was sent, to a number of units.
type sentDeal struct {
	deal
	units   int
	once    bool // it may be sent again
	cancels bool // in a scope that may be canceled
	outcome freerun.Future[int]
}

// trade is a run of vaults.
type trade struct {
	s        *Sim
	troubles *library
	ids      int
	sent     []sentDeal
	heard    []map[int]int // in each life
}

func (r *trade) name() string { return vaultNames[r.s.Random().IntN(len(vaultNames))] }

// listens gives a life a unit that is not durable.
func (r *trade) listens(rt *freerun.Runtime) {
	heard := map[int]int{}
	r.heard = append(r.heard, heard)
	listeners.Store(rt, freerun.NewUnit(rt, listener{heard}))
}

// act does something at random.
func (r *trade) act(rt *freerun.Runtime) {
	random, c := r.s.Random(), rt.Context()
	r.ids++
	x := deal{ID: r.ids, Amount: 1 + random.IntN(30), To: r.name(), trouble: r.troubles.trouble()}
	name := r.name()
	send := func(c *freerun.Context, cancels bool) (d sentDeal) {
		d = sentDeal{deal: x, units: 1, cancels: cancels}
		switch random.IntN(8) {
		case 0, 1:
			d.Does = []string{"forget", "timer", "lend"}[random.IntN(3)]
			d.outcome = dealOne.Send(c, vaultAt(c, name), d.deal)
		case 2:
			d.deal = deal{ID: x.ID, To: name} // its unit, if it is sent again
			if again := random.IntN(max(1, len(r.sent))); len(r.sent) > 0 && r.sent[again].once {
				d.deal = r.sent[again].deal
			}
			d.once = true
			d.outcome = dealOne.Send(cluster.Once(c, fmt.Sprint(d.ID)), vaultAt(c, d.To), d.deal)
		case 3, 4:
			var all []*freerun.Unit[vault]
			for _, n := range random.Perm(len(vaultNames))[:2+random.IntN(4)] {
				all = append(all, vaultAt(c, vaultNames[n]))
			}
			d.units = len(all)
			d.outcome = dealAll.Send(c, all, d.deal)
		default:
			if random.IntN(3) == 0 {
				d.Does = "tell"
			}
			n := random.Perm(len(vaultNames))
			d.units = 2
			d.outcome = deal2.Send(c, vaultAt(c, vaultNames[n[0]]), vaultAt(c, vaultNames[n[1]]), d.deal)
		}
		return d
	}
	switch random.IntN(14) {
	case 0:
		vaults[len(name)%2].Stop(c, "{v}"+name)
	case 1:
		_, _ = freerun.After(c, time.Duration(1+random.Int64N(int64(40*time.Millisecond)))).Wait(r.s.Context())
	case 2:
		lookAtVault.Send(c, vaultAt(c, name), struct{}{})
	case 3:
		freerun.Suspend(c, vaultAt(c, name), freerun.After(c, time.Duration(random.Int64N(int64(5*time.Millisecond)))))
	case 4:
		scope := rt.Scope(context.Background())
		r.sent = append(r.sent, send(scope.Context(), true))
		_, _ = freerun.After(c, time.Duration(1+random.Int64N(int64(time.Millisecond)))).Wait(r.s.Context())
		scope.Cancel(nil)
	default:
		d := send(c, false)
		r.sent = append(r.sent, d)
		if random.IntN(6) == 0 {
			_, _ = d.outcome.Wait(r.s.Context())
		}
	}
}

// runVaults has vaults deal, life after life, and holds what is promised of each deal: it is in all
// of its vaults or in none, as its outcome says, once; what it tells is there if it is; and what is
// not durable hears of it after that, once at most.
func runVaults(s *Sim) (moved int) {
	tried.Clear()
	listeners.Clear()
	r := &trade{s: s, troubles: &library{s: s}}
	for rt := range s.Lives() {
		r.listens(rt)
		begins := len(r.sent)
		for range s.Count(40) {
			r.act(rt)
		}
		if s.Random().IntN(2) == 0 && rt.Quiesce(s.Context()) == nil {
			for _, d := range r.sent[begins:] {
				_, err := d.outcome.Wait(s.Context())
				if heard := r.heard[len(r.heard)-1][d.ID]; err == nil && heard == 0 && !d.once && !d.cancels {
					s.Errorf("deal %d has an outcome, and was not heard", d.ID)
				}
			}
		}
	}
	rt, node := s.Last()
	r.listens(rt)
	_, _ = freerun.After(rt.Context(), time.Minute).Wait(s.Context()) // for the timers
	for f, err := range node.Failures() {
		if err == nil { // two processes have ended while it was delivered
			s.Logf("%s of %s: %s", f.Operation, f.Key, f.Err)
			return 0
		}
	}
	return r.check(r.logs(rt))
}

// logs returns how often each deal is in the logs of the vaults, and of the archive.
func (r *trade) logs(rt *freerun.Runtime) map[int]int {
	c, in, sum := rt.Context(), map[int]int{}, 0
	units := []*freerun.Unit[vault]{archives.At(c, "all")}
	for _, name := range vaultNames {
		units = append(units, vaultAt(c, name))
	}
	for n, u := range units {
		v, err := lookAtVault.Send(c, u, struct{}{}).Wait(r.s.Context())
		if err != nil {
			r.s.Fatalf("vault %d: %v", n, err)
		}
		sum += v.Sum
		for _, id := range v.Log {
			in[id]++
		}
	}
	if sum != 0 {
		r.s.Errorf("there are %d, and there were 0", sum)
	}
	return in
}

func (r *trade) check(in map[int]int) (moved int) {
	for _, d := range r.sent {
		_, err := d.outcome.Wait(r.s.Context())
		n, heard := in[d.ID], 0
		for _, of := range r.heard {
			heard += of[d.ID]
		}
		said := fmt.Sprintf("deal %+v, with outcome %v, is in %d logs of %d, and was heard %d times", d.deal, err, n, d.units, heard)
		switch {
		case n != 0 && n != d.units, heard > min(n, 1):
			r.s.Error(said)
		case err == nil && n == 0:
			r.s.Error(said)
		case err == nil:
			if d.Does == "tell" && in[-d.ID] != 1 {
				r.s.Errorf("%s, and has told %d times", said, in[-d.ID])
			}
			moved += boolInt(d.units > 1)
		case d.once, errors.Is(err, freerun.ErrClosed), errors.Is(err, cluster.ErrStopped), d.cancels && errors.Is(err, freerun.ErrCanceled):
		case n > 0 && !(errors.Is(err, freerun.ErrGoexit) && d.Ends):
			r.s.Error(said)
		}
	}
	return moved
}

// TestVaults holds what is promised of operations on several units while their units forget, ask,
// have timers and identities, are suspended and become passive, and scopes are canceled.
func TestVaults(t *testing.T) {
	moved := 0
	Run(t, Options{Seeds: ourSeeds}, func(s *Sim) { moved += runVaults(s) })
	if moved == 0 {
		t.Error("nothing was moved")
	}
}

// TestVaultsRepeat holds that a seed repeats its run.
func TestVaultsRepeat(t *testing.T) {
	x := newSearch(t, Options{}, func(s *Sim) { runVaults(s) })
	for seed := range uint64(ourSeeds / 10) {
		if !x.repeats(1000 + seed) {
			return
		}
	}
}
