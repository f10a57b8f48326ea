package clustertest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

// What was found in the units that machines share, by reading: each as a small program.

// bell counts what comes to it.
type bell struct{ Set, Rang int }

var (
	bells   = freerun.NewKind("bell", func(*freerun.Context, int) (bell, error) { return bell{}, nil }, cluster.Durable())
	setBell = freerun.Op("setBell", func(c *freerun.Context, b *bell, _ struct{}) (int, error) {
		b.Set++
		return b.Set, cluster.TellAfter(c, 500*time.Millisecond, "ring", ringBell, struct{}{})
	})
	ringBell = freerun.Op("ringBell", func(_ *freerun.Context, b *bell, _ struct{}) (int, error) {
		b.Rang++
		return b.Rang, nil
	})
	addBell = freerun.Op("addBell", func(_ *freerun.Context, b *bell, _ struct{}) (int, error) {
		b.Set++
		return b.Set, nil
	})
	fillBell  = freerun.Op("fillBell", func(_ *freerun.Context, _ *bell, b []byte) (int, error) { return len(b), nil })
	muteBell  = freerun.Op("muteBell", func(*freerun.Context, *bell, struct{}) (chan int, error) { return nil, nil })
	breakBell = freerun.Op("breakBell", func(_ *freerun.Context, b *bell, _ struct{}) (int, error) {
		b.Rang = -1
		return 0, nil
	})
	lookBell  = freerun.ReadOp("lookBell", func(_ *freerun.Context, b *bell, _ struct{}) (bell, error) { return *b, nil })
	doubtBell = freerun.ReadOp("doubtBell", func(_ *freerun.Context, _ *bell, _ struct{}) (int, error) {
		return 0, fmt.Errorf("bell: %w", engine.ErrUncertain)
	})
)

// onMachine is a program of one machine, without faults but those that are given.
type onMachine struct {
	*machines
	ran bool
	do  func(s *machines, m *machine)
}

func (s *onMachine) act(m *machine) {
	if !s.ran {
		s.ran = true
		s.do(s.machines, m)
	}
}

func (s *onMachine) check(*machine) {}

// runOnMachine runs a program on one machine.
func runOnMachine(t testing.TB, seed uint64, faults logsim.Faults, do func(s *machines, m *machine)) {
	t.Helper()
	s := newMachines(t, seed, map[string]int{})
	s.rates, s.lives, s.longest = machineRates{}, 1, 10*time.Hour
	s.store = logsim.New(s, faults, machineParts)
	s.of = &onMachine{machines: s, do: do}
	s.run()
}

func send(c *freerun.Context, op *freerun.Operation[bell, struct{}, int], key int) (int, error) {
	return op.Send(c, bells.At(c, key), struct{}{}).Wait(context.Background())
}

// TestMachinesBells holds that a timer rings whose write was made, and not acknowledged.
func TestMachinesBells(t *testing.T) {
	for seed := range uint64(min(ourMachines, 3)) {
		runOnMachine(t, seed, logsim.Faults{Lost: 0.1}, func(s *machines, m *machine) {
			c := m.rt.Context()
			for key := range 40 {
				if _, err := send(c, setBell, key); err != nil {
					continue
				}
				m.rests(20 * time.Second)
				b, err := lookBell.Send(c, bells.At(c, key), struct{}{}).Wait(context.Background())
				if err != nil || b.Rang != 1 {
					s.Errorf("seed %d: the timer of bell %d: %+v, %v", seed, key, b, err)
				}
			}
		})
	}
}

// sharedRequests sends requests beside the log, each to a unit of its own.
type sharedRequests struct {
	*machines
	key int
}

func (s *sharedRequests) act(m *machine) {
	if s.random.IntN(4) == 0 {
		m.rests(s.upTo(400 * time.Millisecond))
		return
	}
	s.key++
	c := m.rt.Context()
	f := addBell.Send(cluster.Direct(c), bells.At(c, s.key), struct{}{})
	if s.random.IntN(4) == 0 {
		_, _ = f.Wait(context.Background())
	}
}

func (s *sharedRequests) check(m *machine) {
	for key := 1; key <= s.key; key++ {
		b, err := lookBell.Send(m.rt.Context(), bells.At(m.rt.Context(), key), struct{}{}).Wait(context.Background())
		if err != nil || b.Set > 1 {
			s.Errorf("request %d had its effect %d times, %v", key, b.Set, err)
		}
	}
}

// TestMachinesRequests holds that a request has its effect at most once, also if its machine loses
// the partition while it does not know whether the write was made.
func TestMachinesRequests(t *testing.T) {
	for seed := range uint64(max(ourMachines*2/5, 4)) {
		s := newMachines(t, seed, map[string]int{})
		s.rates, s.lives = machineRates{leave: 0.01}, 6
		s.store = logsim.New(s, logsim.Faults{Lost: 0.15}, machineParts)
		s.of = &sharedRequests{machines: s}
		if s.run(); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestMachinesRefused holds that a command that is refused before it runs is done with: the unit
// goes on.
func TestMachinesRefused(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c := m.rt.Context()
		once := cluster.Once(c, "x")
		if n, err := send(once, addBell, 1); n != 1 || err != nil {
			s.Errorf("%d, %v", n, err)
		}
		if _, err := send(once, ringBell, 1); !strings.Contains(fmt.Sprint(err), "belongs to another operation") {
			s.Errorf("the identity of another operation: %v", err)
		}
		if err := muteBell.Tell(once, bells.At(c, 1), struct{}{}); err == nil {
			m.rests(time.Second) // a Tell may fail later
		}
		if _, err := fillBell.Send(c, bells.At(c, 1), make([]byte, 2<<20)).Wait(context.Background()); !errors.Is(err, cluster.ErrTooLarge) {
			s.Errorf("an argument of 2 MiB: %v", err)
		}
		if n, err := send(c, addBell, 1); n != 2 || err != nil {
			s.Errorf("the unit does not go on: %d, %v", n, err)
		}
		if _, err := doubtBell.Send(c, bells.At(c, 1), struct{}{}).Wait(context.Background()); err == nil || !strings.Contains(err.Error(), "bell: ") {
			s.Errorf("the error of a read: %v", err)
		}
	})
}

// TestMachinesEnds holds that a command that was noted as alone when an owner ended is not run,
// wherever it is in the log.
func TestMachinesEnds(t *testing.T) {
	for _, before := range []int{0, 200} {
		runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
			c := m.rt.Context()
			note := []byte{layout.Version}
			for _, n := range []uint64{1, uint64(before) + 2, uint64(before) + 2} { // twice
				note = binary.AppendUvarint(note, n)
			}
			for p := range machineParts {
				m.Port.Swap(p, []engine.Write{{Key: []byte(layout.Note), Value: note}}, 0, func(uint64, error) {})
			}
			for range before {
				addBell.Send(c, bells.At(c, 1), struct{}{})
			}
			if _, err := send(c, breakBell, 1); err == nil || !strings.Contains(err.Error(), "ends the process") {
				s.Errorf("behind %d commands: %v", before, err)
			}
			if b, err := lookBell.Send(c, bells.At(c, 1), struct{}{}).Wait(context.Background()); b.Rang != 0 || b.Set != before || err != nil {
				s.Errorf("behind %d commands: %+v, %v", before, b, err)
			}
		})
	}
}

// TestMachinesClosed holds that units fail with ErrClosed once the node is closed, whether they
// were in memory or not.
func TestMachinesClosed(t *testing.T) {
	runOnMachine(t, 1, logsim.Faults{}, func(s *machines, m *machine) {
		c := m.rt.Context()
		if _, err := send(c, addBell, 1); err != nil {
			s.Error(err)
		}
		if err := m.node.Close(); err != nil {
			s.Error(err)
		}
		for _, c := range []*freerun.Context{c, cluster.Direct(c)} {
			for _, key := range []int{1, 2, 1} {
				if _, err := send(c, addBell, key); !errors.Is(err, cluster.ErrClosed) {
					s.Errorf("bell %d: %v", key, err)
				}
				if _, err := lookBell.Send(c, bells.At(c, key), struct{}{}).Wait(context.Background()); !errors.Is(err, cluster.ErrClosed) {
					s.Errorf("a read of bell %d: %v", key, err)
				}
			}
		}
	})
}
