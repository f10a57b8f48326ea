package nats_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// purse is what a unit has left, and the payments that it has made and got.
type purse struct {
	Sum      int
	Ran, Got []string
}

type payment struct {
	ID, To string
	Sum    int
}

const mostPurses = 8

var (
	purses = freerun.NewKind("purse", func(*freerun.Context, string) (purse, error) { return purse{Sum: 1000}, nil }, cluster.Durable())
	pay    = freerun.Op("pay", func(c *freerun.Context, p *purse, x payment) (int, error) {
		p.Sum -= x.Sum
		p.Ran = append(p.Ran, x.ID)
		return p.Sum, earn.Tell(c, purses.At(c, x.To), x)
	})
	earn = freerun.Op("earn", func(_ *freerun.Context, p *purse, x payment) (int, error) {
		p.Sum += x.Sum
		p.Got = append(p.Got, x.ID)
		return p.Sum, nil
	})
	// spend tells nobody: so it stays beside the log.
	spend = freerun.Op("spend", func(_ *freerun.Context, p *purse, x payment) (int, error) {
		p.Ran, p.Got = append(p.Ran, x.ID), append(p.Got, x.ID)
		return p.Sum, nil
	})
	look = freerun.ReadOp("look", func(_ *freerun.Context, p *purse, _ struct{}) (purse, error) {
		return purse{p.Sum, slices.Clone(p.Ran), slices.Clone(p.Got)}, nil
	})
)

// plug is what connects a node to its servers, until it is pulled.
type plug struct {
	mu     sync.Mutex
	pulled bool
	all    []net.Conn
}

var errPulled = errors.New("the plug is pulled")

func (p *plug) Dial(network, address string) (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pulled {
		return nil, errPulled
	}
	c, err := net.Dial(network, address)
	p.all = append(p.all, c)
	return c, err
}

// pull cuts the node off for good.
func (p *plug) pull() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pulled = true
	for _, c := range p.all {
		c.Close()
	}
}

// payer is a node that makes payments.
type payer struct {
	*joined
	plug *plug
}

// kill ends a node in the middle: the others hear nothing of it.
func (p *payer) kill() {
	p.plug.pull()
	_ = p.rt.Close()
	_ = p.node.Close()
}

// records has the outcomes of payments.
type records struct {
	mu      sync.Mutex
	paid    map[string]bool // acknowledged
	open    map[string]bool // uncertain
	not     map[string]bool // without an effect
	strange []error
}

// pays makes payments one after another until ctx is done.
func (b *records) pays(ctx context.Context, p *payer, name string) {
	random := rand.New(rand.NewPCG(7, uint64(len(name))))
	for i := 0; ctx.Err() == nil; i++ {
		c := p.rt.Context()
		x := payment{fmt.Sprint(name, "-", i), fmt.Sprint(random.IntN(mostPurses)), random.IntN(9)}
		op := pay
		switch i % 3 {
		case 1:
			c = cluster.Direct(c)
		case 2:
			c, op = cluster.Direct(c), spend
		}
		wait, cancel := context.WithTimeout(context.Background(), time.Minute)
		_, err := op.Send(c, purses.At(c, fmt.Sprint(random.IntN(mostPurses))), x).Wait(wait)
		cancel()
		if b.notes(x.ID, err); errors.Is(err, freerun.ErrClosed) || errors.Is(err, cluster.ErrClosed) || errors.Is(err, cluster.ErrNoStore) {
			return
		}
	}
}

func (b *records) notes(id string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil:
		b.paid[id] = true
	case errors.Is(err, cluster.ErrNotRun):
		b.not[id] = true
	case errors.Is(err, cluster.ErrUncertain), errors.Is(err, freerun.ErrClosed), errors.Is(err, cluster.ErrClosed), errors.Is(err, cluster.ErrNoStore):
		b.open[id] = true
	default:
		b.strange = append(b.strange, fmt.Errorf("payment %s: %w", id, err))
	}
}

// check holds what a node finds in the purses against the outcomes.
func (b *records) check(t *testing.T, p *payer) {
	t.Helper()
	for _, err := range b.strange {
		t.Error(err)
	}
	ran, got, sum := map[string]int{}, map[string]int{}, 0
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		clear(ran)
		clear(got)
		sum = 0
		for i := range mostPurses {
			u := purses.At(p.rt.Context(), fmt.Sprint(i))
			have, err := look.Call(context.Background(), u, struct{}{})
			if err != nil {
				t.Fatal(err)
			}
			sum += have.Sum
			for _, id := range have.Ran {
				ran[id]++
			}
			for _, id := range have.Got {
				got[id]++
			}
		}
		if sum == 1000*mostPurses && len(ran) == len(got) || time.Now().After(deadline) {
			break // what was told has come
		}
	}
	if sum != 1000*mostPurses {
		t.Errorf("the purses have %d", sum)
	}
	for id := range b.paid {
		if ran[id] != 1 {
			t.Errorf("payment %s was acknowledged, and has run %d times", id, ran[id])
		}
	}
	for id := range b.not {
		if ran[id] != 0 {
			t.Errorf("payment %s has not run, it was said, and has", id)
		}
	}
	for id, n := range ran {
		if n != 1 || got[id] != 1 {
			t.Errorf("payment %s has run %d times, and has come %d times", id, n, got[id])
		}
	}
	if len(b.paid) == 0 {
		t.Error("nothing was paid")
	}
	t.Logf("%d payments acknowledged, %d uncertain, %d not run", len(b.paid), len(b.open), len(b.not))
}

// holdsThrough has nodes pay, of which one is killed, one leaves and one comes. node makes one.
func holdsThrough(t *testing.T, node func(plug *plug) *joined) {
	t.Helper()
	b := &records{paid: map[string]bool{}, open: map[string]bool{}, not: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all sync.WaitGroup
	begin := func(name string) *payer {
		p := &payer{plug: &plug{}}
		p.joined = node(p.plug)
		for i := range 3 {
			all.Go(func() { b.pays(ctx, p, fmt.Sprint(name, i)) })
		}
		return p
	}
	first, second, third := begin("a"), begin("bb"), begin("ccc")
	time.Sleep(2 * time.Second)
	first.kill()
	time.Sleep(2 * time.Second)
	second.leave(t)
	fourth := begin("dddd")
	time.Sleep(2 * time.Second)
	cancel()
	all.Wait()
	b.check(t, third)
	b.check(t, fourth)
	third.leave(t)
	b.check(t, fourth)
	fourth.leave(t)
}

// TestNodes kills one of three nodes and has another one leave, while all of them pay: no payment
// is lost or doubled, and none comes that was refused.
func TestNodes(t *testing.T) {
	t.Parallel()
	url := serve(t, nil)
	holdsThrough(t, func(p *plug) *joined {
		return join(t, "pay", url, nats.Create(1), nats.Partitions(8), nats.Connection(natsgo.SetCustomDialer(p)))
	})
}
