package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// The wrong version of a trade: each wallet gets a message of its own. Each operation is right, and
// in the end all sums are exact. But who comes between them sees a share that nobody has.
var (
	deliver = freerun.Op("deliver", func(_ *freerun.Context, seller *Wallet, t Trade) (Trade, error) {
		seller.trade(t, seller.Open[t.Ask], Sum{t.Price * t.Shares, 0})
		return t, nil
	})
	receive = freerun.Op("receive", func(_ *freerun.Context, buyer *Wallet, t Trade) (Trade, error) {
		bid := buyer.Open[t.Bid]
		buyer.trade(t, bid, Sum{(bid.Price - t.Price) * t.Shares, t.Shares})
		return t, nil
	})
)

type wallet = *freerun.Unit[Wallet]

// deal is a trade that somebody makes, and somebody looks at.
type deal struct {
	buyer, seller wallet
	trade         func(c *freerun.Context, d deal) error
}

func right(c *freerun.Context, d deal) error { return settle.Tell(c, d.buyer, d.seller, ten) }

func wrong(c *freerun.Context, d deal) error {
	return errors.Join(deliver.Tell(c, d.seller, ten), receive.Tell(c, d.buyer, ten))
}

var (
	ten     = Trade{Bid: 1, Ask: 1, Price: 9, Shares: 10}
	market  = freerun.FreeOp("market", func(c *freerun.Context, d deal) (struct{}, error) { return struct{}{}, d.trade(c, d) })
	auditor = freerun.FreeOp("auditor", func(c *freerun.Context, d deal) (Sum, error) {
		return freerun.Forward(c, audit.Send(c, []wallet{d.buyer, d.seller}, struct{}{}))
	})
)

var recording = flag.String("recording", "", "the file that gets the recording of the run of "+freeruntest.Seed)

// trades is a test in which ada and bob trade with each other, while an auditor adds up what they
// have.
func trades(t testing.TB, trade func(*freerun.Context, deal) error) func(*freerun.Runtime) {
	return func(rt *freerun.Runtime) {
		if os.Getenv(freeruntest.Seed) != "" && *recording != "" {
			defer record(t, rt)()
		}
		c := rt.Context()
		ada := freerun.NewUnit(rt, Wallet{Sum: Sum{100, 0}, Open: map[int]Order{}}, freerun.UnitName("ada"))
		bob := freerun.NewUnit(rt, Wallet{Sum: Sum{0, 10}, Open: map[int]Order{}}, freerun.UnitName("bob"))
		submit.Tell(c, ada, Order{Buy: true, Price: 10, Left: 10})
		submit.Tell(c, bob, Order{Price: 9, Left: 10})
		market.Tell(c, deal{ada, bob, trade})
		if sum, err := auditor.Send(c, deal{ada, bob, trade}).Wait(t.Context()); sum != (Sum{100, 10}) || err != nil {
			t.Errorf("there are %+v, and 100 cash and 10 shares should be: %v", sum, err)
		}
	}
}

func record(t testing.TB, rt *freerun.Runtime) (stop func()) {
	file, err := os.Create(*recording)
	if err != nil {
		t.Fatal(err)
	}
	end, err := rt.StartTrace(file)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		rt.Quiesce(t.Context())
		if err := end(); err != nil {
			t.Error(err)
		}
		file.Close()
	}
}

// TestTrade holds that a trade in one operation is right under all schedules.
func TestTrade(t *testing.T) { freeruntest.Explore(t, trades(t, right)) }

// TestWrongTrade holds that the test finds the wrong version, and that the seed which it prints
// repeats the same run. With -v it says what the test said: see README.md.
func TestWrongTrade(t *testing.T) {
	found := explore(t)
	t.Log(found)
	seed := regexp.MustCompile(freeruntest.Seed + `=(\d+)`).FindStringSubmatch(found)
	if seed == nil || !strings.Contains(found, "should be") {
		t.Fatal("the wrong version is not found")
	}
	t.Setenv(freeruntest.Seed, seed[1])
	if once, again := explore(t), explore(t); once != again || !strings.Contains(once, "should be") {
		t.Errorf("the seed %s gives\n%s\nand then\n%s", seed[1], once, again)
	}
}

// explore runs the test with the wrong version, and returns what it says.
func explore(t *testing.T) string {
	f := &failing{TB: t}
	freeruntest.Explore(f, trades(f, wrong))
	return f.text.String()
}

// failing is a test that may fail.
type failing struct {
	testing.TB
	failed bool
	text   strings.Builder
}

func (f *failing) Helper()                      {}
func (f *failing) Failed() bool                 { return f.failed }
func (f *failing) Context() context.Context     { return context.Background() }
func (f *failing) Logf(s string, args ...any)   { fmt.Fprintf(&f.text, s+"\n", args...) }
func (f *failing) Errorf(s string, args ...any) { f.failed = true; f.Logf(s, args...) }
func (f *failing) Fatalf(s string, args ...any) { f.Errorf(s, args...); runtime.Goexit() }
