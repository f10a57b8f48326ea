package freerun_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// purse is the state of a unit that is saved when it is dropped, and loaded when it is made.
type purse struct {
	key   int
	sum   int64
	alive *atomic.Int32 // of the key: how many states there are
}

// vaults are what the purses are saved to: a plain array, since only the unit of a key touches
// its place.
var vaults [64]struct {
	sum   int64
	alive atomic.Int32
}

var (
	twoStates atomic.Int64
	purses    = freerun.NewKind("purse", func(c *freerun.Context, key int) (purse, error) {
		if rand.IntN(100) == 0 {
			return purse{}, errNoDisk
		}
		if vaults[key].alive.Add(1) != 1 {
			twoStates.Add(1)
		}
		return purse{key: key, sum: vaults[key].sum, alive: &vaults[key].alive}, nil
	}, freerun.PassivateAfter(time.Millisecond), freerun.MaxActive(12),
		freerun.OnStop(func(c *freerun.Context, key int, l *purse) {
			vaults[key].sum = l.sum
			l.alive.Add(-1)
		}))
	credit = freerun.Op("credit", func(c *freerun.Context, l *purse, n int64) (int64, error) {
		l.sum += n
		return l.sum, nil
	})
	handOver = freerun.Op2("handOver", func(c *freerun.Context, a, b *purse, n int64) (int64, error) {
		a.sum -= n
		b.sum += n
		return n, nil
	})
	balance = freerun.ReadOp("balance", func(c *freerun.Context, l *purse, _ struct{}) (int64, error) { return l.sum, nil })
)

// TestKindStress has callers credit purses, handOver between two of them, read and stop them, while
// they become passive by the score: no credit is lost or doubled, and no purse has two states.
func TestKindStress(t *testing.T) {
	rt := runtimetest.Quiet(t, freerun.Processors(2))
	ctx := runtimetest.Within(t)
	for i := range vaults {
		vaults[i].sum = 0
		vaults[i].alive.Store(0)
	}
	var credited, refused atomic.Int64
	var callers sync.WaitGroup
	rounds := 3000
	if testing.Short() {
		rounds = 500
	}
	for range 4 {
		callers.Go(func() {
			c := rt.Context()
			for range rounds {
				a, b := rand.IntN(len(vaults)), rand.IntN(len(vaults))
				var err error
				switch rand.IntN(10) {
				case 0:
					_, err = purses.Stop(c, a).Wait(ctx)
				case 1, 2:
					if a != b {
						_, err = handOver.Send(c, purses.At(c, a), purses.At(c, b), 5).Wait(ctx)
					}
				case 3:
					_, err = balance.Send(c, purses.At(c, a), struct{}{}).Wait(ctx)
				default:
					if _, err = credit.Send(c, purses.At(c, a), 1).Wait(ctx); err == nil {
						credited.Add(1)
					}
				}
				var why *freerun.ActivationError
				switch {
				case err == nil:
				case errors.As(err, &why) || errors.Is(err, freerun.ErrFull):
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	callers.Wait()
	for key := range vaults {
		for {
			if _, err := purses.Stop(rt.Context(), key).Wait(ctx); err == nil {
				break
			}
		}
	}
	sum := int64(0)
	for i := range vaults {
		sum += vaults[i].sum
		if n := vaults[i].alive.Load(); n != 0 {
			t.Errorf("key %d has %d states after its end", i, n)
		}
	}
	if sum != credited.Load() || twoStates.Load() != 0 {
		t.Errorf("%d credited, the purses have %d; %d times two states", credited.Load(), sum, twoStates.Load())
	}
	t.Logf("%d credited, %d refused, %+v", credited.Load(), refused.Load(), purses.Stats(rt))
}
