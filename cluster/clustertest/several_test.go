package clustertest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// drawer is the state of units that are changed together. It has the moves that it was in, in
// order.
type drawer struct {
	Sum   int
	Moves []int
	Ink   float64 // cannot be encoded if it is NaN
}

// shift moves an amount from one drawer to another.
type shift struct {
	ID, Amount int
	Tells      *target // a drawer of another tag, which is told and counts
	trouble
}

var (
	drawers = [...]*freerun.Kind[string, drawer]{
		freerun.NewKind("drawer", newDrawer, cluster.Durable(cluster.Tagged())),
		freerun.NewKind("box", newDrawer, cluster.Durable(cluster.Tagged()), freerun.PassivateAfter(10*time.Millisecond)),
	}
	shifts = freerun.Op2("shifts", func(c *freerun.Context, a, b *drawer, x shift) (int, error) {
		a.Sum, b.Sum = a.Sum-x.Amount, b.Sum+x.Amount
		a.Moves, b.Moves = append(a.Moves, x.ID), append(b.Moves, x.ID)
		if x.Tells != nil {
			if err := shifted.Tell(c, drawers[x.Tells.Of].At(c, drawerKey("told", x.Tells.Key)), x.ID); err != nil {
				return 0, err
			}
		}
		var ink book
		n, err := x.comes(c, &ink, "shifts", x.ID)
		b.Ink = ink.Ink
		return n, err
	})
	levels = freerun.OpAll("levels", func(_ *freerun.Context, all []*drawer, id int) (int, error) {
		sum := 0
		for _, d := range all {
			sum += d.Sum
			d.Moves = append(d.Moves, id)
		}
		for _, d := range all {
			d.Sum = sum / len(all)
		}
		all[0].Sum += sum % len(all)
		return 0, nil
	})
	shifted = freerun.Op("shifted", func(_ *freerun.Context, d *drawer, id int) (int, error) {
		d.Moves = append(d.Moves, id)
		return 0, nil
	})
	// uses is an operation on one of the drawers.
	uses = freerun.Op("uses", func(c *freerun.Context, d *drawer, x shift) (int, error) {
		d.Moves = append(d.Moves, x.ID)
		return x.comes(c, &book{}, "uses", x.ID)
	})
	lookIn = freerun.ReadOp("lookIn", func(_ *freerun.Context, d *drawer, _ struct{}) (drawer, error) {
		return drawer{Sum: d.Sum, Moves: slices.Clone(d.Moves)}, nil
	})
)

func newDrawer(*freerun.Context, string) (drawer, error) { return drawer{Sum: 100}, nil }

func drawerKey(tag string, key int) string { return fmt.Sprintf("{%s}/%d", tag, key) }

// sentShift holds a shift that was sent, its drawers, and its outcome.
type sentShift struct {
	id      int
	tells   *target
	of, key [2]int
	one     bool
	outcome freerun.Future[int]
}

// runSeveral moves money between units of one tag, and holds that there is as much as before, that
// a move is in both units or in none, and what else is promised of each.
func runSeveral(s *Sim) (moved int) {
	tried.Clear()
	troubles := &library{s: s}
	var sent []sentShift
	ids := 0
	for rt := range s.Lives() {
		c, random := rt.Context(), s.Random()
		at := func() (of, key int) { return random.IntN(len(drawers)), random.IntN(keys) }
		unit := func(of, key int) *freerun.Unit[drawer] { return drawers[of].At(c, drawerKey("a", key)) }
		for range s.Count(30) {
			ids++
			of, key := at()
			x := shift{ID: ids, Amount: random.IntN(30), trouble: troubles.trouble()}
			switch random.IntN(10) {
			case 0:
				drawers[of].Stop(c, drawerKey("a", key))
			case 1:
				_, _ = freerun.After(c, time.Duration(1+random.Int64N(int64(20*time.Millisecond)))).Wait(s.Context())
			case 2, 3:
				x.Spoils = false
				sent = append(sent, sentShift{id: x.ID, of: [2]int{of, of}, key: [2]int{key, key}, one: true, outcome: uses.Send(c, unit(of, key), x)})
			case 4:
				lookIn.Send(c, unit(of, key), struct{}{})
			case 5:
				var all []*freerun.Unit[drawer]
				for of := range drawers {
					for key := range keys {
						all = append(all, unit(of, key))
					}
				}
				sent = append(sent, sentShift{id: x.ID, key: [2]int{0, 1}, outcome: levels.Send(c, all, x.ID)})
			default:
				of2, key2 := at()
				if of2 == of && key2 == key {
					key2 = (key2 + 1) % keys
				}
				if random.IntN(3) == 0 {
					to, k := at()
					x.Tells = &target{Of: to, Key: k}
				}
				f := shifts.Send(c, unit(of, key), unit(of2, key2), x)
				sent = append(sent, sentShift{x.ID, x.Tells, [2]int{of, of2}, [2]int{key, key2}, false, f})
				if random.IntN(4) == 0 {
					_, _ = f.Wait(s.Context())
				}
			}
		}
		if random.IntN(2) == 0 {
			_ = rt.Quiesce(s.Context())
		}
	}
	rt, node := s.Last()
	final, told, sum := map[[2]int]drawer{}, map[int]int{}, 0
	for of := range drawers {
		for key := range keys {
			for _, tag := range []string{"a", "told"} {
				d, err := lookIn.Send(rt.Context(), drawers[of].At(rt.Context(), drawerKey(tag, key)), struct{}{}).Wait(s.Context())
				if err != nil {
					s.Fatal(err)
				}
				if tag == "told" {
					for _, id := range d.Moves {
						told[id]++
					}
					continue
				}
				final[[2]int{of, key}] = d
				sum += d.Sum
				if !slices.IsSorted(d.Moves) || len(slices.Compact(slices.Clone(d.Moves))) != len(d.Moves) {
					s.Errorf("drawer %d of kind %d has done %v", key, of, d.Moves)
				}
			}
		}
	}
	if want := len(drawers) * keys * 100; sum != want {
		s.Errorf("there are %d, and there were %d", sum, want)
	}
	for f, err := range node.Failures() { // two processes have ended while it was delivered
		if err != nil {
			s.Fatal(err)
		}
		id, _ := strconv.Atoi(string(f.Arg))
		told[id]++
	}
	for _, x := range sent {
		a := slices.Contains(final[[2]int{x.of[0], x.key[0]}].Moves, x.id)
		b := slices.Contains(final[[2]int{x.of[1], x.key[1]}].Moves, x.id)
		if a != b {
			s.Errorf("move %d is in one unit, and not in the other", x.id)
		}
		if want := boolInt(a && x.tells != nil); told[x.id] != want {
			s.Errorf("move %d was told %d times, want %d", x.id, told[x.id], want)
		}
		_, err := x.outcome.Wait(s.Context())
		switch {
		case err == nil && !a:
			s.Errorf("move %d was acknowledged, and is not there", x.id)
		case err == nil:
			moved += boolInt(!x.one)
		case errors.Is(err, freerun.ErrClosed), errors.Is(err, cluster.ErrStopped):
		case a && !errors.Is(err, freerun.ErrGoexit):
			s.Errorf("move %d has failed with %v, and is there", x.id, err)
		}
	}
	return moved
}

// TestSeveral holds that operations on several units have their effect on all of them, or on none.
func TestSeveral(t *testing.T) {
	moved := 0
	Run(t, Options{Seeds: ourSeeds}, func(s *Sim) { moved += runSeveral(s) })
	if moved == 0 {
		t.Error("nothing was moved")
	}
}

// TestSeveralRepeats holds that a seed repeats its run.
func TestSeveralRepeats(t *testing.T) {
	x := newSearch(t, Options{}, func(s *Sim) { runSeveral(s) })
	for seed := range uint64(ourSeeds / 10) {
		if !x.repeats(1000 + seed) {
			return
		}
	}
}

// TestSeveralControl holds that the simulation finds records that are written one by one.
func TestSeveralControl(t *testing.T) {
	x := newSearch(t, Options{conduct: newFlawed(splits)}, func(s *Sim) { runSeveral(s) })
	for seed := range uint64(usualSeeds) {
		if s := x.run(seed, &plan{}, false); s.recorder.failed {
			t.Logf("found under seed %d: %s", seed, s.recorder.said[0])
			return
		}
	}
	t.Error("it is not found")
}
