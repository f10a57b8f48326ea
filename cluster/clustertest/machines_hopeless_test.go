package clustertest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

// shelf is the state of units of which the function of the kind makes some, and no others.
type shelf struct{ Sum int }

var (
	errNoShelf = errors.New("there is no such shelf")
	shelves    = freerun.NewKind("shelf", func(_ *freerun.Context, key string) (shelf, error) {
		if strings.HasSuffix(key, "none") {
			return shelf{}, errNoShelf
		}
		return shelf{}, nil
	}, cluster.Durable(cluster.Tagged()))
	stack = freerun.Op("stack", func(_ *freerun.Context, s *shelf, n int) (int, error) {
		s.Sum += n
		return s.Sum, nil
	})
	stackAll = freerun.OpAll("stackAll", func(_ *freerun.Context, all []*shelf, n int) (int, error) {
		for _, s := range all {
			s.Sum += n
		}
		return len(all), nil
	})
	carry = freerun.Op2("carry", func(_ *freerun.Context, from, to *shelf, n int) (int, error) {
		from.Sum, to.Sum = from.Sum-n, to.Sum+n
		return from.Sum, nil
	})
	pass = freerun.Op("pass", func(c *freerun.Context, s *shelf, to string) (int, error) {
		s.Sum--
		return s.Sum, stack.Tell(c, shelves.At(c, to), 1)
	})
)

// crammed is a kind that has room for two units.
var crammed = freerun.NewKind("crammed", func(*freerun.Context, string) (shelf, error) { return shelf{}, nil }, cluster.Durable(cluster.Tagged()), freerun.MaxActive(1))

// TestMachinesCrammed holds that an operation on more units than a kind has room for fails, and
// holds up no other.
func TestMachinesCrammed(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c := m.rt.Context()
		var all []*freerun.Unit[shelf]
		for _, name := range []string{"{c}1", "{c}2", "{c}3"} {
			all = append(all, crammed.At(c, name))
		}
		if _, err := stackAll.Send(c, all, 1).Wait(context.Background()); !errors.Is(err, freerun.ErrFull) {
			s.Errorf("three units: %v", err)
		}
		for n := range 2 {
			if _, err := stackAll.Send(c, all[n:n+2], 1).Wait(context.Background()); err != nil {
				s.Errorf("two units: %v", err)
			}
		}
		if n, err := stack.Send(c, all[1], 0).Wait(context.Background()); n != 2 || err != nil {
			s.Errorf("%d, %v", n, err)
		}
	})
}

// TestMachinesHopeless holds that what is sent to a unit whose state the function of the kind does
// not make fails with the error of that, as on one machine, and holds up nothing else; and that
// what a unit tells it is a recorded failure after a while.
func TestMachinesHopeless(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c := m.rt.Context()
		at := func(name string) *freerun.Unit[shelf] { return shelves.At(c, "{s}"+name) }
		fails := func(what string, f freerun.Future[int]) {
			t.Helper()
			began := s.Now()
			if _, err := f.Wait(context.Background()); err == nil || !strings.Contains(err.Error(), errNoShelf.Error()) || s.Now()-began > 5*time.Second {
				s.Errorf("%s: %v, after %v", what, err, s.Now()-began)
			}
		}
		has := func(what string, f freerun.Future[int], want int) {
			t.Helper()
			began := s.Now()
			if n, err := f.Wait(context.Background()); n != want || err != nil || s.Now()-began > 5*time.Second {
				s.Errorf("%s: %d, %v, want %d, after %v", what, n, err, want, s.Now()-began)
			}
		}
		fails("one on none", stack.Send(c, at("none"), 1))
		has("good", stack.Send(c, at("good"), 1), 1)
		fails("good and none", carry.Send(c, at("good"), at("none"), 1))
		fails("none and good", carry.Send(c, at("none"), at("good"), 1))
		has("good after that", stack.Send(c, at("good"), 1), 2)
		has("good and third", carry.Send(c, at("good"), at("third"), 1), 1)
		has("third", stack.Send(c, at("third"), 1), 2)
		if err := carry.Tell(c, at("third"), at("none"), 1); err != nil {
			s.Error(err)
		}
		has("one that tells none", pass.Send(c, at("good"), "{s}none"), 0)
		m.rests(2 * time.Minute)
		has("good at last", stack.Send(c, at("good"), 1), 1)
		fails("good and none at last", carry.Send(c, at("good"), at("none"), 1))
		m.rests(time.Second)
		recorded := 0
		for f, err := range m.node.Failures() {
			if recorded++; err != nil || !strings.Contains(f.Err, errNoShelf.Error()) {
				s.Errorf("%+v, %v", f, err)
			}
		}
		if all := m.node.Stats(); recorded != 2 || all.Unsettled != 0 || all.Deliveries != 0 || all.Waiting != 0 {
			s.Errorf("%d failures are recorded, want 2: %+v", recorded, all)
		}
	})
}
