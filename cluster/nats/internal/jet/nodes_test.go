package jet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// purse is the state of the units of TestNodes: what has run, and what it has left.
type purse struct {
	Sum int
	Ran []string
}

// payment takes something from a purse, for another one.
type payment struct {
	ID, To string
	Sum    int
}

var (
	purses = freerun.NewKind("purse", func(*freerun.Context, string) (purse, error) { return purse{Sum: 1000}, nil }, cluster.Durable(cluster.Tagged()))
	pay    = freerun.Op("pay", func(c *freerun.Context, p *purse, x payment) (int, error) {
		p.Sum -= x.Sum
		p.Ran = append(p.Ran, x.ID)
		if x.To != "" {
			if err := earn.Tell(c, purses.At(c, x.To), payment{ID: x.ID, Sum: x.Sum}); err != nil {
				return 0, err
			}
		} else {
			p.Sum += x.Sum
		}
		return len(p.Ran), nil
	})
	// trade takes something from a purse, for another one of its tag, at once.
	trade = freerun.Op2("trade", func(_ *freerun.Context, from, to *purse, x payment) (int, error) {
		from.Sum, to.Sum = from.Sum-x.Sum, to.Sum+x.Sum
		from.Ran, to.Ran = append(from.Ran, x.ID), append(to.Ran, x.ID+otherHalf)
		return len(from.Ran), nil
	})
	earn = freerun.Op("earn", func(_ *freerun.Context, p *purse, x payment) (int, error) {
		p.Sum += x.Sum
		return 0, nil
	})
	peek = freerun.ReadOp("peek", func(_ *freerun.Context, p *purse, _ struct{}) (purse, error) {
		return purse{p.Sum, slices.Clone(p.Ran)}, nil
	})
)

const (
	mostPurses = 12
	purseTags  = 4
	otherHalf  = ", the other half"
)

// purseName returns the key of a purse.
func purseName(i int) string { return fmt.Sprintf("{t%d}%d", i%purseTags, i) }

// joined is a node of the tests.
type joined struct {
	nc   *nats.Conn
	rt   *freerun.Runtime
	node *cluster.Node
}

func (s *servers) join(t testing.TB, program string) *joined {
	t.Helper()
	n := &joined{nc: s.connect(t), rt: freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))}
	e := open(t, n.nc, Options{Program: program, Replicas: len(s.places)})
	var err error
	n.node, err = cluster.Join(n.rt, engine.SharedStore[cluster.Store](func() (engine.Shared, error) { return e.Shared(func() {}), nil }))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// leave ends a node that the others need not wait for.
func (n *joined) leave(t testing.TB) {
	if err := n.node.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := n.rt.Shutdown(context.Background()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	n.nc.Close()
}

// kill ends a node in the middle.
func (n *joined) kill() {
	n.nc.Close()
	_ = n.rt.Close()
	_ = n.node.Close()
}

// sums are the outcomes of the payments of a load.
type sums struct {
	mu      sync.Mutex
	known   map[string]bool // the payments that were acknowledged
	unknown map[string]bool // those of which it is not known
	refused map[string]bool // those that did not run
}

// load pays until ctx is done. direct: also beside the log.
func (n *joined) load(ctx context.Context, t testing.TB, name string, all *sums) {
	random := rand.New(rand.NewPCG(1, uint64(len(name))))
	for i := 0; ctx.Err() == nil; i++ {
		id := fmt.Sprint(name, "-", i)
		c, x := n.rt.Context(), payment{ID: id, Sum: random.IntN(9)}
		if i%4 == 0 {
			c = cluster.Direct(c)
		}
		if i%3 > 0 {
			x.To = purseName(random.IntN(mostPurses))
		}
		from := random.IntN(mostPurses)
		wait, cancel := context.WithTimeout(context.Background(), time.Minute)
		f := freerun.Future[int]{}
		if i%5 == 0 {
			f = trade.Send(c, purses.At(c, purseName(from)), purses.At(c, purseName((from+purseTags)%mostPurses)), x)
		} else {
			f = pay.Send(c, purses.At(c, purseName(from)), x)
		}
		_, err := f.Wait(wait)
		cancel()
		all.mu.Lock()
		switch {
		case err == nil:
			all.known[id] = true
		case errors.Is(err, freerun.ErrClosed), errors.Is(err, engine.ErrUncertain), errors.Is(err, engine.ErrClosed), errors.Is(err, cluster.ErrNoStore):
			all.unknown[id] = true
		case errors.Is(err, cluster.ErrNotRun):
			all.refused[id] = true
		default:
			t.Errorf("payment %s: %v", id, err)
		}
		all.mu.Unlock()
		if errors.Is(err, freerun.ErrClosed) || errors.Is(err, engine.ErrClosed) || errors.Is(err, cluster.ErrNoStore) {
			return
		}
	}
}

// check holds that each acknowledged payment ran once, that none ran twice, and that nothing was
// lost of what was paid.
func (n *joined) check(t testing.TB, all *sums) {
	t.Helper()
	ran := map[string]int{}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		sum := 0
		clear(ran)
		for i := range mostPurses {
			p, err := peek.Send(n.rt.Context(), purses.At(n.rt.Context(), purseName(i)), struct{}{}).Wait(context.Background())
			if err != nil {
				t.Fatalf("purse %d: %v", i, err)
			}
			sum += p.Sum
			for _, id := range p.Ran {
				ran[id]++
			}
		}
		if sum == 1000*mostPurses { // what was told has come
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("the purses have %d in all, and not %d", sum, 1000*mostPurses)
			break
		}
	}
	for id := range all.known {
		if ran[id] != 1 {
			t.Errorf("payment %s was acknowledged, and ran %d times", id, ran[id])
		}
	}
	for id := range all.refused {
		if ran[id] > 0 {
			t.Errorf("payment %s was not to run, and ran", id)
		}
	}
	for id, times := range ran {
		if times > 1 {
			t.Errorf("payment %s ran %d times", id, times)
		}
	}
	trades := 0
	for id := range ran {
		if half, is := strings.CutSuffix(id, otherHalf); is {
			if trades++; ran[half] != 1 {
				t.Errorf("half of trade %s ran", half)
			}
		}
	}
	t.Logf("%d trades ran, %d payments acknowledged, %d not known, %d ran", trades, len(all.known), len(all.unknown), len(ran))
}

// TestNodes has durable units on several nodes over a server: one is killed, one leaves, two come.
func TestNodes(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	all := &sums{known: map[string]bool{}, unknown: map[string]bool{}, refused: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var loads sync.WaitGroup
	begin := func(name string) *joined {
		n := s.join(t, "nodes")
		for i := range 4 {
			loads.Go(func() { n.load(ctx, t, fmt.Sprint(name, i), all) })
		}
		return n
	}
	first, second := begin("a"), begin("bb")
	time.Sleep(2 * time.Second)
	third := begin("ccc")
	time.Sleep(2 * time.Second)
	first.kill()
	time.Sleep(2 * time.Second)
	second.leave(t)
	fourth := begin("dddd")
	time.Sleep(2 * time.Second)
	cancel()
	loads.Wait()
	third.check(t, all)
	third.leave(t)
	fourth.check(t, all)
	fourth.leave(t)
}

// till is the state of the units of the benchmarks: with what the store has beside it, some 112
// bytes.
type till struct {
	Sum int
	Pad string
}

var (
	tills = freerun.NewKind("till", func(*freerun.Context, int) (till, error) {
		return till{Pad: strings.Repeat("x", 80)}, nil
	}, cluster.Durable())
	put = freerun.Op("put", func(_ *freerun.Context, t *till, n int) (int, error) {
		t.Sum += n
		return t.Sum, nil
	})
)

// BenchmarkDurable sends operations to durable units of one node, many at once: through the log,
// and beside it.
func BenchmarkDurable(b *testing.B) {
	for name, direct := range map[string]bool{"logged": false, "direct": true} {
		b.Run(name, func(b *testing.B) {
			n := serve(b, 1).join(b, "bench")
			defer n.leave(b)
			c := n.rt.Context()
			if direct {
				c = cluster.Direct(c)
			}
			var open [inFlight]freerun.Future[int]
			send := func(i int) {
				if i >= inFlight {
					if _, err := open[i%inFlight].Wait(context.Background()); err != nil {
						b.Error(err)
					}
				}
				open[i%inFlight] = put.Send(c, tills.At(c, i%benchUnits), 1)
			}
			for i := range benchUnits { // all units are loaded
				send(i)
			}
			b.ResetTimer()
			for i := range b.N {
				send(benchUnits + i)
			}
			for i := range inFlight {
				_, _ = open[i].Wait(context.Background())
			}
		})
	}
}
