package jet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// vault has a state of some bytes.
type vault struct {
	Ran, Came int
	Pad       string
}

// bulk is how large things are that a vault is told to make: bytes, but for Count.
type bulk struct {
	Pad, Result, Told, Count int
	Filler                   string
}

var (
	vaults = freerun.NewKind("vault", func(*freerun.Context, string) (vault, error) { return vault{}, nil }, cluster.Durable())
	fill   = freerun.Op("fill", func(c *freerun.Context, v *vault, x bulk) (string, error) {
		v.Ran++
		v.Pad = strings.Repeat("p", x.Pad)
		for range x.Count {
			if err := comes.Tell(c, vaults.At(c, "other"), strings.Repeat("t", x.Told)); err != nil {
				return "", err
			}
		}
		return strings.Repeat("r", x.Result), nil
	})
	comes = freerun.Op("comes", func(_ *freerun.Context, v *vault, _ string) (int, error) {
		v.Came++
		return v.Came, nil
	})
	open1 = freerun.ReadOp("open1", func(_ *freerun.Context, v *vault, _ struct{}) (vault, error) { return *v, nil })
)

// TestLarge holds that what a server does not take in one message is refused by name, and changes
// nothing, and that what it takes together is taken one after another.
func TestLarge(t *testing.T) {
	n := newProcess(t, serve(t, 1).url(), "large", "one")
	defer n.leave()
	const kb = 1 << 10
	ran := 0
	for _, x := range []struct {
		bulk
		refused bool
	}{
		{bulk{Pad: 440 * kb}, false},
		{bulk{Pad: 460 * kb}, true},
		{bulk{Pad: 2 << 20}, true},
		{bulk{Pad: 440 * kb, Result: 240 * kb}, false},
		{bulk{Result: 300 * kb}, true},
		{bulk{Pad: 440 * kb, Told: 120 * kb, Count: 2}, false},
		{bulk{Told: 120 * kb, Count: 3}, true},
		{bulk{Filler: strings.Repeat("f", 500*kb)}, false},
		{bulk{Filler: strings.Repeat("f", 600*kb)}, true},
	} {
		for _, direct := range []bool{false, true} {
			c := n.rt.Context()
			if direct {
				c = cluster.Direct(c)
			}
			_, err := fill.Send(c, vaults.At(c, "ada"), x.bulk).Wait(context.Background())
			if err == nil {
				ran++
			}
			if x.refused != errors.Is(err, cluster.ErrTooLarge) || !x.refused && err != nil {
				t.Errorf("%.100v, direct: %v: %v", x, direct, err)
			}
		}
	}
	c := n.rt.Context()
	var all []freerun.Future[string]
	for range 10 {
		all = append(all, fill.Send(c, vaults.At(c, "ada"), bulk{Pad: 400 * kb, Result: 100 * kb, Told: 100 * kb, Count: 1}))
	}
	for _, f := range all {
		if r, err := f.Wait(context.Background()); len(r) != 100*kb || err != nil {
			t.Errorf("a result of %d bytes, %v", len(r), err)
		}
	}
	ran += len(all)
	if v, err := open1.Call(context.Background(), vaults.At(c, "ada"), struct{}{}); v.Ran != ran || err != nil {
		t.Errorf("%d have run, want %d: %v", v.Ran, ran, err)
	}
}

// TestManyAtOnce holds that many commands with identities are stored, which have two entries each:
// a server takes 1,000 at once.
func TestManyAtOnce(t *testing.T) {
	n := newProcess(t, serve(t, 1).url(), "many", "one")
	defer n.leave()
	c := n.rt.Context()
	var all []freerun.Future[string]
	for i := range 600 { // of two entries each
		once := cluster.Once(c, fmt.Sprint(i))
		all = append(all, fill.Send(once, vaults.At(once, "ada"), bulk{}))
	}
	for i, f := range all {
		if _, err := f.Wait(context.Background()); err != nil {
			t.Fatalf("command %d: %v", i, err)
		}
	}
	if v, err := open1.Call(context.Background(), vaults.At(c, "ada"), struct{}{}); v.Ran != len(all) || err != nil {
		t.Errorf("%d have run, want %d: %v", v.Ran, len(all), err)
	}
}
