package freerun_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestMultiStress mixes all sorts of messages to few units, some with limits or policies, from
// goroutines and from operations, with panics, with futures in arguments, and with a close in the
// middle of some rounds. It accounts for all of it: each message was run or failed with a named
// error, no money came into being or was lost, no unit was touched by two operations at a time,
// and nothing is left.
func TestMultiStress(t *testing.T) {
	const rounds, senders, each, units = 12, 4, 400, 6
	for round := range rounds {
		seed := rand.Uint64()
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rt, _ := runtimetest.Start(t, freerun.Processors(1+round%4))
			c := rt.Context()
			all := make([]*freerun.Unit[till], units)
			for i := range all {
				var options []freerun.UnitOption
				switch i {
				case 1:
					options = append(options, freerun.MailboxLimit(8, freerun.WaitForRoom))
				case 2:
					options = append(options, freerun.MailboxLimit(20, freerun.Reject))
				case 3:
					options = append(options, freerun.OnPanic(func(freerun.PanicReport) {}))
				}
				all[i] = freerun.NewUnit(rt, till{money: 1000}, options...)
			}
			var wg sync.WaitGroup
			outcomes := make([][]freerun.Future[int], senders)
			for s := range senders {
				random := rand.New(rand.NewPCG(seed, uint64(s)))
				wg.Go(func() {
					for i := range each {
						if round%3 == 2 && s == 0 && i == each/2 {
							go rt.Close()
						}
						outcomes[s] = append(outcomes[s], sendAnything(c, all, random)...)
					}
				})
			}
			wg.Wait()
			if round%3 == 2 {
				rt.Close()
			} else if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
				t.Fatal(err)
			}
			failed := 0
			for _, futures := range outcomes {
				for _, f := range futures {
					_, err := f.Wait(runtimetest.Within(t))
					var crash *freerun.PanicError
					switch {
					case err == nil:
					case errors.As(err, &crash), errors.Is(err, errOnPurpose), errors.Is(err, freerun.ErrFull), errors.Is(err, freerun.ErrClosed):
						failed++
					default:
						t.Errorf("%v", err)
					}
				}
			}
			if s := rt.Stats(); s.Sent != s.Done {
				t.Errorf("%d of %d messages are done", s.Done, s.Sent)
			}
			if round%3 == 2 {
				return
			}
			sum := runtimetest.Must(t, freerun.WhenAll(c, all, func(_ *freerun.Context, tills []*till) (int, error) {
				sum := 0
				for i, x := range tills {
					if sum += x.money; x.wrong > 0 {
						t.Errorf("unit %d was touched by two at a time", i)
					}
				}
				return sum, nil
			}))
			if sum != units*1000 {
				t.Errorf("%d of %d is there, after %d failures", sum, units*1000, failed)
			}
			for i, u := range all {
				if s := u.Stats(); s.Waiting != 0 || s.HeldBack {
					t.Errorf("unit %d: %+v", i, s)
				}
			}
		})
	}
}

// till holds money, and a mark that an operation is at it.
type till struct {
	money, wrong int
	busy         bool
}

func (x *till) enter() {
	if x.busy {
		x.wrong++
	}
	x.busy = true
}

var errOnPurpose = errors.New("on purpose")

// crashSometimes fails, panics or ends its goroutine. It does so before any money has moved.
func crashSometimes(n int) error {
	switch n {
	case 0:
		panic("on purpose")
	case 1:
		runtime.Goexit()
	case 2:
		return errOnPurpose
	}
	return nil
}

var giveAmount = freerun.Op2("giveAmount", func(_ *freerun.Context, x, y *till, n freerun.Future[int]) (int, error) {
	x.enter()
	y.enter()
	x.money -= n.Value()
	y.money += n.Value()
	x.busy, y.busy = false, false
	return n.Value(), nil
})

// sendAnything sends one message, or a few, through c.
func sendAnything(c *freerun.Context, all []*freerun.Unit[till], random *rand.Rand) []freerun.Future[int] {
	one := func(f freerun.Future[int]) []freerun.Future[int] { return []freerun.Future[int]{f} }
	order := random.Perm(len(all))
	a, b, d := all[order[0]], all[order[1]], all[order[2]]
	fate, amount := random.IntN(40), random.IntN(50)
	switch random.IntN(8) {
	case 0:
		return one(freerun.When2(c, a, b, func(_ *freerun.Context, x, y *till) (int, error) {
			if err := crashSometimes(fate); err != nil {
				return 0, err
			}
			x.enter()
			y.enter()
			x.money -= amount
			runtime.Gosched()
			y.money += amount
			x.busy, y.busy = false, false
			return amount, nil
		}))
	case 1:
		return one(freerun.WhenAll(c, []*freerun.Unit[till]{a, b, d}, func(c *freerun.Context, three []*till) (int, error) {
			x, y, z := three[0], three[1], three[2]
			x.enter()
			y.enter()
			z.enter()
			x.money, y.money, z.money = y.money, z.money, x.money
			x.busy, y.busy, z.busy = false, false, false
			// sent by an operation, to units that it holds
			freerun.When2(c, a, b, func(_ *freerun.Context, x, y *till) (int, error) {
				x.money, y.money = y.money, x.money
				return 0, nil
			})
			return 0, crashSometimes(fate)
		}))
	case 2:
		return one(freerun.Read(c, a, func(_ *freerun.Context, x *till) (int, error) {
			if x.busy {
				return 0, errors.New("a reader met a writer")
			}
			return x.money, crashSometimes(fate)
		}))
	case 3:
		return one(freerun.WhenAll(c, all[:1+random.IntN(len(all))], func(_ *freerun.Context, tills []*till) (int, error) {
			for _, x := range tills {
				x.enter()
				x.busy = false
			}
			return len(tills), crashSometimes(fate)
		}))
	case 4:
		n := freerun.Go(c, func(*freerun.Context) (int, error) { return amount, crashSometimes(fate) })
		return []freerun.Future[int]{n, giveAmount.Send(c, a, b, n)}
	case 5:
		giveAmount.Tell(c, a, b, freerun.Resolved(amount))
		return nil
	case 6:
		return one(freerun.Do(c, a, func(c *freerun.Context, x *till) (int, error) {
			x.enter()
			x.busy = false
			for range fate / 8 {
				freerun.Read(c, b, func(_ *freerun.Context, x *till) (int, error) { return x.money, nil })
				giveAmount.Tell(c, b, d, freerun.Resolved(1))
			}
			return 0, crashSometimes(fate)
		}))
	default:
		return one(freerun.Do(c, b, func(c *freerun.Context, x *till) (int, error) {
			return freerun.Forward(c, giveAmount.Send(c, a, b, freerun.Resolved(amount)))
		}))
	}
}
