package clustertest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// inn is a unit that machines share, and that is not durable.
type inn struct {
	Self string
	Seen map[string]int // the last number of each sender
}

// guest is a message to an inn.
type guest struct {
	ID     int
	From   string // the sender, which numbers what it sends
	N      int
	Poor   bool
	Falls  bool // the operation panics
	Onward bool // to another inn, whose answer is the answer
	To     int
}

var errPoorGuest = cluster.StoredError("clustertest.errPoorGuest", errors.New("the guest is poor"))

var (
	inns = freerun.NewKind("inn", func(c *freerun.Context, key int) (inn, error) {
		m := machineIn(c)
		m.of.names++
		return inn{Self: fmt.Sprint(m.name, " ", key, " ", m.of.names), Seen: map[string]int{}}, nil
	}, cluster.Volatile())
	checkIn = freerun.Op[inn, guest, int]("checkIn", nil)
)

func init() { freerun.Define(checkIn, receiveGuest) }

func machineIn(c *freerun.Context) *machine {
	m, _ := machinesAlive.Load(c.Runtime())
	return m.(*machine)
}

func receiveGuest(c *freerun.Context, i *inn, g guest) (int, error) {
	m := machineIn(c)
	s := m.of.of.(*sharedInns)
	s.came[g.ID]++
	if i.Seen[g.From] >= g.N {
		s.Errorf("guest %d: %d of %s has come to %s behind %d", g.ID, g.N, g.From, i.Self, i.Seen[g.From])
	}
	i.Seen[g.From] = g.N
	switch {
	case g.Poor:
		return 0, errPoorGuest
	case g.Falls:
		panic("a guest has fallen")
	case g.Onward:
		next := s.guest(i.Self + fmt.Sprint(" to ", g.To))
		return freerun.Forward(c, checkIn.Send(c, inns.At(c, g.To), next.guest))
	}
	return g.ID, nil
}

// sharedInns sends guests to inns on all machines.
type sharedInns struct {
	*machines
	came map[int]int // times, by guest
	last map[string]int
	all  []*sentGuest
}

type sentGuest struct {
	guest
	by       *machine
	told     bool
	canceled bool
	done     bool
	got      int
	err      error
}

func newInns(s *machines) machineProgram {
	return &sharedInns{machines: s, came: map[int]int{}, last: map[string]int{}}
}

// guest makes one.
func (s *sharedInns) guest(from string) *sentGuest {
	s.last[from]++
	g := &sentGuest{guest: guest{ID: len(s.all) + 1, From: from, N: s.last[from]}}
	s.all = append(s.all, g)
	return g
}

func (s *sharedInns) act(m *machine) {
	if s.random.IntN(4) == 0 {
		m.rests(s.upTo(400 * time.Millisecond))
		return
	}
	c, key := m.rt.Context(), s.random.IntN(keys)
	g := s.guest(fmt.Sprint(m.name, " to ", key))
	g.by = m
	switch s.random.IntN(8) {
	case 0:
		g.Poor = true
	case 1:
		g.Falls = true
	case 2:
		// To an inn with a greater number, so that none waits in a circle.
		g.Onward, g.To = true, key+1
	case 3:
		g.told = true
		if err := checkIn.Tell(c, inns.At(c, key), g.guest); err != nil {
			s.Errorf("a Tell: %v", err)
		}
		return
	case 4:
		g.canceled = true
		scope := m.rt.Scope(context.Background())
		c = scope.Context()
		m.member.After(s.upTo(time.Second), func() { scope.Cancel(nil) })
	}
	f := checkIn.Send(c, inns.At(c, key), g.guest)
	freerun.Handle(m.rt.Context(), f, func(_ *freerun.Context, got int, err error) (struct{}, error) {
		g.done, g.got, g.err = true, got, err
		return struct{}{}, nil
	})
	if s.random.IntN(4) == 0 {
		_, _ = f.Wait(context.Background())
	}
}

// check holds that each guest has come once at most, and as its sender was told.
func (s *sharedInns) check(m *machine) {
	for key := range keys {
		g := s.guest("the last one")
		g.N = len(s.all)
		if got, err := checkIn.Send(m.rt.Context(), inns.At(m.rt.Context(), key), g.guest).Wait(context.Background()); err != nil || got != g.ID {
			s.Errorf("inn %d at the end: %d, %v", key, got, err)
		}
	}
	for _, g := range s.all {
		var fallen *freerun.PanicError
		switch came := s.came[g.ID]; {
		case came > 1:
			s.Errorf("guest %d has come %d times", g.ID, came)
		case !g.done:
		case g.err == nil && (came != 1 || !g.Onward && g.got != g.ID):
			s.Errorf("guest %d has come %d times, and its sender has %d", g.ID, came, g.got)
		case errors.Is(g.err, cluster.ErrUncertain):
			s.sum["uncertain"]++
			if s.crashes == 0 && s.rates == (machineRates{leave: s.rates.leave}) && !g.by.leaves {
				s.Errorf("guest %d: %v, and nothing has gone wrong", g.ID, g.err)
			}
		case errors.Is(g.err, cluster.ErrNotRun):
			s.sum["not run"]++
			if came > 0 {
				s.Errorf("guest %d has come: %v", g.ID, g.err)
			}
		case errors.Is(g.err, errPoorGuest) && !g.Poor, errors.As(g.err, &fallen) && !g.Falls:
			s.Errorf("guest %+v: %v", g.guest, g.err)
		case g.err == nil:
			s.sum["came"]++
		case errors.Is(g.err, freerun.ErrCanceled):
			s.sum["canceled"]++
		}
	}
}

// TestMachinesGuests holds that what is sent to units that machines share, and that are not
// durable, has its effect once at most, in the order of its sender, and that its outcome says so,
// wherever the units move.
func TestMachinesGuests(t *testing.T) {
	runMachines(t, newInns, "came", "uncertain", "canceled")
}
