package clustertest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// shout tells a crier to send: an operation on a book that sends, with trouble, to units that are
// not durable.
type shout struct {
	ID    int
	Leaks bool // it sends at once: the control
	trouble
}

// square is the state of a unit that is not durable, and hears criers. It is in the memory of the
// test, that knows of all lives.
type square struct{ heard map[int][]int } // by criers

var (
	criers = freerun.NewKind("crier", newBook, cluster.Durable(), freerun.PassivateAfter(20*time.Millisecond))
	// squares has the square of each life: *freerun.Runtime → *freerun.Unit[*square].
	squares  sync.Map
	overhear = freerun.Op("overhear", func(_ *freerun.Context, s **square, x [2]int) (int, error) {
		(*s).heard[x[0]] = append((*s).heard[x[0]], x[1])
		return 0, nil
	})
	shouts = freerun.Op("shouts", func(c *freerun.Context, b *book, x shout) (int, error) {
		b.Ran = append(b.Ran, x.ID)
		by := c
		if x.Leaks {
			by = c.Runtime().Context()
		}
		if err := tellSquare(by, x); err != nil {
			return 0, err
		}
		return x.comes(c, b, "shouts", x.ID)
	})
	// gossip tells what it has seen.
	gossip = freerun.ReadOp("gossip", func(c *freerun.Context, b *book, key int) (int, error) {
		if len(b.Ran) == 0 {
			return 0, nil
		}
		u, _ := squares.Load(c.Runtime())
		return len(b.Ran), overhear.Tell(c, u.(*freerun.Unit[*square]), [2]int{-1 - key, b.Ran[len(b.Ran)-1]})
	})
)

// tellSquare tells the square of the life, in one of the ways in which one can.
func tellSquare(c *freerun.Context, x shout) error {
	u, _ := squares.Load(c.Runtime())
	to, what := u.(*freerun.Unit[*square]), [2]int{x.ID % keys, x.ID}
	switch x.ID % 5 {
	case 0:
		overhear.Send(c, to, what)
		return nil
	case 1:
		freerun.Do(c, to, func(_ *freerun.Context, s **square) (int, error) {
			(*s).heard[what[0]] = append((*s).heard[what[0]], what[1])
			return 0, nil
		})
		return nil
	default:
		return overhear.Tell(c, to, what)
	}
}

// runCriers has criers shout, life after life, and holds that what was heard has happened: it is in
// the store, once, and was heard in its order; and that all is heard of a life that comes to rest.
func runCriers(s *Sim, leaks bool) (heard int) {
	tried.Clear()
	squares.Clear()
	troubles := &library{s: s}
	var all []*square
	known, ids := map[int]freerun.Future[int]{}, 0
	for rt := range s.Lives() {
		q := &square{map[int][]int{}}
		all = append(all, q)
		squares.Store(rt, freerun.NewUnit(rt, q))
		c, random := rt.Context(), s.Random()
		mine := map[int]freerun.Future[int]{}
		for range s.Count(40) {
			switch random.IntN(8) {
			case 0:
				criers.Stop(c, random.IntN(keys))
			case 1:
				key := random.IntN(keys)
				gossip.Send(c, criers.At(c, key), key)
			case 2:
				_, _ = freerun.After(c, time.Duration(1+random.Int64N(int64(40*time.Millisecond)))).Wait(s.Context())
			default:
				ids++
				x := shout{ID: ids, Leaks: leaks, trouble: troubles.trouble()}
				mine[x.ID] = shouts.Send(c, criers.At(c, x.ID%keys), x)
			}
		}
		if random.IntN(2) == 0 && rt.Quiesce(s.Context()) == nil {
			for id, f := range mine {
				if _, err := f.Wait(s.Context()); err == nil && !slices.Contains(q.heard[id%keys], id) {
					s.Errorf("shout %d has an outcome, and was not heard: %v", id, q.heard)
				}
			}
		}
		for id, f := range mine {
			known[id] = f
		}
	}
	rt, _ := s.Last()
	for key := range keys {
		b, err := look.Send(rt.Context(), criers.At(rt.Context(), key), struct{}{}).Wait(s.Context())
		if err != nil {
			s.Fatalf("crier %d: %v", key, err)
		}
		for life, q := range all {
			last := -1
			for _, id := range q.heard[key] {
				at := slices.Index(b.Ran, id)
				switch {
				case at < 0:
					s.Errorf("life %d: shout %d was heard, and has not happened", life+1, id)
				case at <= last:
					s.Errorf("life %d: shout %d was heard too late, or twice: %v", life+1, id, q.heard[key])
				}
				last = at
				heard++
			}
			for _, id := range q.heard[-1-key] {
				if !slices.Contains(b.Ran, id) {
					s.Errorf("life %d: a read has told of shout %d, which has not happened", life+1, id)
				}
			}
		}
	}
	for id, f := range known {
		_, err := f.Wait(s.Context())
		if err == nil || errors.Is(err, freerun.ErrClosed) || errors.Is(err, cluster.ErrStopped) || errors.Is(err, freerun.ErrGoexit) {
			continue
		}
		for _, q := range all {
			if slices.Contains(q.heard[id%keys], id) {
				s.Errorf("shout %d has failed with %v, and was heard", id, err)
			}
		}
	}
	return heard
}

// TestCriers holds that what durable units send to units that are not durable leaves after the
// write, at most once, in order.
func TestCriers(t *testing.T) {
	heard := 0
	Run(t, Options{Seeds: ourSeeds}, func(s *Sim) { heard += runCriers(s, false) })
	if heard == 0 {
		t.Error("nothing was heard")
	}
}

// TestCriersControl holds that the simulation finds operations that send before their write.
func TestCriersControl(t *testing.T) {
	x := newSearch(t, Options{}, func(s *Sim) { runCriers(s, true) })
	for seed := range uint64(usualSeeds) {
		if x.run(seed, &plan{}, false).recorder.failed {
			t.Logf("found under seed %d", seed)
			return
		}
	}
	t.Error("it is not found")
}
