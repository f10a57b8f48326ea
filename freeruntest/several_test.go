package freeruntest_test

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// TestExploreSeveralUnits sends operations on pairs of units, on one unit, on all units, and
// readers, under many schedules. Each sender's messages keep their order on every unit, all units
// agree on one order of the pairs, and an operation that looks at all units never sees half of a
// pair.
func TestExploreSeveralUnits(t *testing.T) {
	const units, senders, each = 4, 3, 6
	type note struct{ sender, number int }
	type book struct {
		notes []note
		pairs []int // tickets of operations on two units
		sum   int
	}
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		all := make([]*freerun.Unit[book], units)
		for i := range all {
			all[i] = freerun.NewUnit(rt, book{})
		}
		tickets, seen := 0, 0 // a deterministic runtime runs one operation at a time
		for s := range senders {
			from := freerun.NewUnit(rt, s)
			freerun.Do(rt.Context(), from, func(c *freerun.Context, s *int) (int, error) {
				for n := range each {
					a := (*s + n) % units
					b := (a + 1 + n%(units-1)) % units
					me := note{*s, n}
					switch n % 3 {
					case 0:
						freerun.When2(c, all[a], all[b], func(_ *freerun.Context, x, y *book) (int, error) {
							tickets++
							x.sum--
							y.sum++
							x.notes, y.notes = append(x.notes, me), append(y.notes, me)
							x.pairs, y.pairs = append(x.pairs, tickets), append(y.pairs, tickets)
							return 0, nil
						})
					case 1:
						freerun.Do(c, all[b], func(_ *freerun.Context, x *book) (int, error) {
							x.notes = append(x.notes, me)
							return 0, nil
						})
						freerun.WhenAll(c, all, func(_ *freerun.Context, books []*book) (int, error) {
							sum := 0
							for _, x := range books {
								sum += x.sum
							}
							if sum != 0 {
								t.Errorf("half of an operation was seen")
							}
							return 0, errors.New("all the same")
						})
					default:
						freerun.Read(c, all[a], func(_ *freerun.Context, x *book) (int, error) {
							seen++
							return len(x.notes), nil
						})
					}
				}
				return 0, nil
			})
		}
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if tickets != senders*2 || seen != senders*2 {
			t.Errorf("%d operations on two units and %d readers", tickets, seen)
		}
		for i, u := range all {
			f := freerun.Read(rt.Context(), u, func(_ *freerun.Context, x *book) (int, error) {
				last := [senders]int{-1, -1, -1}
				for _, n := range x.notes {
					if n.number <= last[n.sender] {
						t.Errorf("unit %d: %d of sender %d came after %d", i, n.number, n.sender, last[n.sender])
					}
					last[n.sender] = n.number
				}
				for k := 1; k < len(x.pairs); k++ {
					if x.pairs[k] <= x.pairs[k-1] {
						t.Errorf("unit %d ran %v", i, x.pairs)
					}
				}
				return 0, nil
			})
			if _, err := f.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}
