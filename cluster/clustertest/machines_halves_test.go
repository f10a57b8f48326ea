package clustertest

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
)

// sharedHalf is a program in which an operation on two shelves is written by half. The machine
// that knows the rest has ended.
type sharedHalf struct {
	*machines
	logged *logged
}

// logged collects the lines of the log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// act implements [machineProgram].
func (s *sharedHalf) act(m *machine) {
	c := m.rt.Context()
	s.flaw = noFlaw
	for _, k := range []string{"{half}1", "{half}2"} {
		stack.Send(c, shelves.At(c, k), 10)
	}
	m.rests(time.Second)
	s.flaw = makesHalf
	carry.Send(c, shelves.At(c, "{half}1"), shelves.At(c, "{half}2"), 1)
	m.rests(time.Second)
}

// check implements [machineProgram].
func (s *sharedHalf) check(m *machine) {
	c := m.rt.Context()
	var sent []freerun.Future[int]
	for _, key := range []string{"{half}1", "{half}2"} {
		sent = append(sent, stack.Send(c, shelves.At(c, key), 1))
	}
	m.rests(time.Minute)
	for _, f := range sent {
		if n, err := f.Result(); !errors.Is(err, cluster.ErrUncertain) {
			s.Errorf("%d, %v", n, err)
		}
	}
	if text := s.logged.String(); strings.Count(text, "units=\"[{half}1 {half}2]\"") != 1 || strings.Count(text, "made a write by half") != 1 {
		s.Errorf("this was logged:\n%s", text)
	}
}

// TestMachinesHalf holds that a unit that lacks what another one has of the same operation is not
// taken further, and that the log of the program says why it stands still.
func TestMachinesHalf(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	for seed := range uint64(5) {
		l := &logged{}
		slog.SetDefault(slog.New(slog.NewTextHandler(l, nil)))
		s := newMachines(t, seed, map[string]int{})
		s.rates, s.lives, s.flaw, s.longest = machineRates{}, 1, makesHalf, time.Hour
		s.store = logsim.New(s, logsim.Faults{}, machineParts)
		s.of = &sharedHalf{s, l}
		s.run()
		if s.crashes == 0 {
			t.Fatal("no write was made by half")
		}
	}
}
