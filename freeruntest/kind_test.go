package freeruntest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// A disk keeps what units of the kind purses have in them while they are passive. It is a unit, of
// which each run has its own: theDisk.
type disk struct {
	money map[string]int
	made  map[string]int // by key: how many states there are
	many  int            // how often a key had two states
}

var theDisk *freerun.Unit[disk]

type purse struct{ money int }

type saving struct {
	key   string
	money int
}

var (
	load = freerun.Op("load", func(_ *freerun.Context, d *disk, key string) (purse, error) {
		if d.made[key]++; d.made[key] > 1 {
			d.many++
		}
		return purse{d.money[key]}, nil
	})
	save = freerun.Op("save", freerun.NoResult(func(_ *freerun.Context, d *disk, s saving) error {
		d.made[s.key]--
		d.money[s.key] = s.money
		return nil
	}))
	purses = freerun.NewKind("purse", func(c *freerun.Context, key string) (purse, error) {
		return freerun.Forward(c, load.Send(c, theDisk, key))
	}, freerun.PassivateAfter(4*time.Millisecond), freerun.MaxActive(2), freerun.OnStop(func(c *freerun.Context, key string, p *purse) {
		save.Tell(c, theDisk, saving{key, p.money})
	}))
	earn = freerun.Op("earn", func(_ *freerun.Context, p *purse, n int) (int, error) {
		p.money += n
		return p.money, nil
	})
	give = freerun.Op2("give", func(_ *freerun.Context, from, to *purse, n int) (int, error) {
		from.money -= n
		to.money += n
		return from.money, nil
	})
)

// TestKindLosesNothing has units of a kind become active and passive, by Stop, for room and idle,
// while they are sent to, alone and in pairs. The money stays, and no key has two states.
func TestKindLosesNothing(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		ctx, c := t.Context(), rt.Context()
		theDisk = freerun.NewUnit(rt, disk{money: map[string]int{}, made: map[string]int{}})
		random := freeruntest.Random(rt)
		keys := []string{"a", "b", "d"}
		earned := 0
		var sent []freerun.Future[int]
		for range 12 {
			one, other := random.IntN(3), 1+random.IntN(2)
			switch random.IntN(5) {
			case 0:
				purses.Stop(c, keys[one])
			case 1:
				sent = append(sent, give.Send(c, purses.At(c, keys[one]), purses.At(c, keys[(one+other)%3]), 1))
			case 2:
				freerun.After(c, time.Duration(random.IntN(8))*time.Millisecond).Wait(ctx)
			default:
				earned++
				sent = append(sent, earn.Send(c, purses.At(c, keys[one]), 1))
			}
		}
		for i, f := range sent {
			if _, err := f.Wait(ctx); err != nil {
				t.Errorf("message %d: %v", i, err)
			}
		}
		freerun.After(c, time.Second).Wait(ctx)
		if n := purses.Len(rt); n != 0 {
			t.Errorf("%d units are active after a second", n)
		}
		sum, err := freerun.Read(c, theDisk, func(_ *freerun.Context, d *disk) (int, error) {
			return d.money["a"] + d.money["b"] + d.money["d"] + 1000*d.many, nil
		}).Wait(ctx)
		if sum != earned || err != nil {
			t.Errorf("%d earned, %d on the disk, %v", earned, sum, err)
		}
	}, freeruntest.Processors(3))
}

// TestKindFindsCycles has units whose states wait for each other, through messages and through a
// message to several units: whatever the order, all that waits gets an outcome, and a cycle is
// called one.
func TestKindFindsCycles(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		ctx, c := t.Context(), rt.Context()
		neighbor = freerun.NewUnit(rt, 1)
		both := func(_ *freerun.Context, x, y *int) (int, error) { return *x + *y, nil }
		asked := []freerun.Future[int]{
			ask.Send(c, linked.At(c, 0), struct{}{}),
			ask.Send(c, linked.At(c, 1), struct{}{}),
			freerun.When2(c, neighbor, linked.At(c, 2), both),
			freerun.When2(c, linked.At(c, 0), neighbor, both),
		}
		cycles := 0
		for i, f := range asked {
			switch _, err := f.Wait(ctx); {
			case errors.Is(err, freerun.ErrCycle):
				cycles++
			case err != nil && i != 2:
				t.Errorf("message %d: %v", i, err)
			}
		}
		if cycles < 2 {
			t.Errorf("%d cycles", cycles)
		}
	}, freeruntest.Processors(3))
}

var (
	neighbor *freerun.Unit[int]
	linked   = freerun.NewKind[int, int]("linked", nil)
	ask      = freerun.Op("ask", func(_ *freerun.Context, n *int, _ struct{}) (int, error) { return *n, nil })

	_ = freerun.Define(linked, func(c *freerun.Context, key int) (int, error) {
		if key == 2 {
			return freerun.Forward(c, ask.Send(c, neighbor, struct{}{}))
		}
		return freerun.Forward(c, ask.Send(c, linked.At(c, 1-key), struct{}{}))
	})
)
