package clustertest

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/logsim"
	"github.com/freerun-go/freerun/internal/simhost"
)

// machines is one run of a program on several machines, which share a simulated log, in one virtual
// time: they crash, leave, are cut off, and begin again. All of it follows from the seed.
type machines struct {
	testing.TB
	random *rand.Rand
	joint  *simhost.Joint
	store  *logsim.Store
	faults logsim.Faults
	rates  machineRates
	flaw   machineFlaw
	// fails says why the store does not do what it is asked, by the first key, or "log" for an
	// entry; nil for never.
	fails   func(write bool, key string) error
	longest time.Duration
	calm    bool
	alive   []*machine
	names   int
	lives   int // to come
	crashes int
	last    bool // nothing goes wrong any more
	done    bool // what is left was checked
	of      machineProgram
	largest int    // of what the store takes
	version int    // the latest one that a machine had
	upgrade bool   // machines have several versions
	copies  func() // called while no machine lives; nil for nothing
	sum     map[string]int
	logf    func(format string, args ...any)
}

// machineProgram is what the machines of a run do.
type machineProgram interface {
	// act does something at random on a machine.
	act(m *machine)
	// check is called on the last machine, when all has come to rest: nothing goes wrong any more.
	check(m *machine)
}

// machineBeginner is a program that does something on each machine before that joins.
type machineBeginner interface{ begins(m *machine) }

// machineRates are the probabilities of what goes wrong.
type machineRates struct {
	unheard            float64 // of a message between machines
	crash, leave, away float64 // of an act of a machine
}

const (
	machineParts  = 4
	mostMachines  = 3
	mostBusWay    = 2 * time.Millisecond
	machineActs   = 60
	settleMachine = 90 * time.Second
	longestRun    = 10 * time.Minute // in virtual time
)

// machinesAlive has the machines that live, for operations that end theirs.
var machinesAlive sync.Map // *freerun.Runtime → *machine

var (
	machineRuns = flag.Int("machines.runs", ourMachines, "how many schedules the tests of several machines try")
	machineSeed = flag.Int("machines.seed", -1, "the one schedule that they try, and show")
)

// machine is a process.
type machine struct {
	*logsim.Port
	of      *machines
	name    string
	member  *simhost.Member
	rt      *freerun.Runtime
	node    *cluster.Node
	receive func(message []byte)
	crashed bool
	leaves  bool // it ends in order
	version int  // of the program (machines_renamed_test.go)
}

var _ engine.Shared = (*machine)(nil)

// Largest implements [engine.Shared].
func (m *machine) Largest() int { return m.of.largest }

// Name implements [engine.Shared].
func (m *machine) Name() string { return m.name }

// Listen implements [engine.Shared].
func (m *machine) Listen(_ string, each func(message []byte)) (stop func(), err error) {
	m.receive = each
	return func() { m.receive = nil }, nil
}

// Send implements [engine.Shared]: a message comes, or not.
func (m *machine) Send(to string, message []byte) {
	if m.crashed {
		return
	}
	m.mayHave("a message", message)
	message = slices.Clone(message)
	for _, other := range m.of.alive {
		if to != "" && other.name != to || m.CutFor() > 0 || m.of.Happens(m.of.rates.unheard) {
			continue
		}
		m.of.joint.After(m.of.upTo(mostBusWay), func() {
			other.member.After(0, func() {
				if other.receive != nil && other.CutFor() == 0 {
					other.receive(message)
				}
			})
		})
	}
}

// mayHave holds that the store takes something.
func (m *machine) mayHave(what string, b []byte) {
	if len(b) > m.of.largest {
		m.of.Errorf("%s has %d bytes, and the store takes %d", what, len(b), m.of.largest)
	}
}

// Close implements [engine.Shared].
func (m *machine) Close() error { return nil }

// After implements [logsim.World].
func (s *machines) After(d time.Duration, f func()) { s.joint.After(d, f) }

// Now implements [logsim.World].
func (s *machines) Now() time.Duration { return s.joint.Now() }

// Random implements [logsim.World].
func (s *machines) Random() *rand.Rand { return s.random }

// Happens implements [logsim.World].
func (s *machines) Happens(rate float64) bool { return s.random.Float64() < rate && !s.calm }

func (s *machines) upTo(most time.Duration) time.Duration {
	return 1 + time.Duration(s.random.Int64N(int64(most)))
}

// newMachines draws a run.
func newMachines(t testing.TB, seed uint64, sum map[string]int) *machines {
	random := rand.New(rand.NewPCG(seed, 0x3ac4))
	draw := func(rate float64) float64 { return rate * [...]float64{0, 1, 1, 4}[random.IntN(4)] }
	s := &machines{TB: t, random: random, joint: simhost.NewJoint(random, mostStep), longest: longestRun, largest: 1 << 20, sum: sum, logf: func(string, ...any) {}}
	s.faults = logsim.Faults{Lost: draw(0.01), Dropped: draw(0.01), Late: draw(0.01), Twice: draw(0.01), Slow: draw(0.01)}
	s.rates = machineRates{unheard: draw(0.02), crash: draw(0.01), leave: draw(0.01), away: draw(0.02)}
	if random.IntN(3) == 0 {
		s.faults.Full = 0.001
	}
	s.store = logsim.New(s, s.faults, machineParts)
	s.lives = 1 + random.IntN(2*mostMachines)
	return s
}

// run runs the machines to their ends.
func (s *machines) run() {
	tried.Clear()
	s.joint.After(s.longest, func() {
		s.Errorf("machines still run after %v", s.longest)
		s.last, s.done = true, true
		for _, m := range s.alive {
			m.crash()
		}
	})
	for range min(s.lives, 1+s.random.IntN(mostMachines)) {
		s.begin()
	}
	s.joint.Run()
}

// begin begins a machine.
func (s *machines) begin() {
	s.lives--
	s.names++
	m := &machine{of: s, name: fmt.Sprint("m", s.names), version: s.drawVersion()}
	processors := 1 + s.random.IntN(mostProcessors)
	s.joint.Begin(simhost.Draw(s.random, s.random.IntN(2) == 0, processors), func(member *simhost.Member) {
		m.member, m.Port = member, s.store.Port(member)
		m.rt = freerun.New(freerun.Processors(processors), freerun.Logger(slog.New(slog.DiscardHandler)), simhost.Option[freerun.Option](member))
		s.alive = append(s.alive, m)
		machinesAlive.Store(m.rt, m)
		s.logf("%12v %s begins", s.Now(), m.name)
		m.run()
		machinesAlive.Delete(m.rt)
		s.alive = slices.DeleteFunc(s.alive, func(other *machine) bool { return other == m })
		s.ended()
	})
}

// ended begins what follows a machine that has ended.
func (s *machines) ended() {
	if len(s.alive) == 0 && !s.last && s.copies != nil {
		s.copies()
	}
	switch {
	case s.last && !s.done: // an operation has ended the process
		s.begin()
	case s.last:
	case s.lives > 0:
		s.begin()
	case len(s.alive) == 0:
		s.last, s.calm = true, true
		s.begin()
	}
}

// run is the life of a machine.
func (m *machine) run() {
	s := m.of
	defer func() { // at a Fatal, too
		s.done = s.done || s.last && !m.crashed
		m.crash()
		_ = m.rt.Close()
		if m.node != nil {
			_ = m.node.Close()
		}
	}()
	joins := true
	m.waits(&joins)
	var err error
	if of, is := s.of.(machineBeginner); is {
		of.begins(m)
	}
	m.node, err = cluster.Join(m.rt, engine.SharedStore[cluster.Store](func(context.Context) (engine.Shared, error) { return m, nil }))
	if err != nil {
		s.Fatalf("%s: %v", m.name, err)
	}
	s.version, joins = max(s.version, m.version), false
	if s.last {
		m.rests(settleMachine)
		if !m.crashed {
			s.of.check(m)
			s.done = true
		}
	} else {
		for range 1 + s.random.IntN(machineActs) {
			if m.goesWrong(); m.crashed {
				break
			}
			s.of.act(m)
		}
		if !m.crashed && s.random.IntN(2) == 0 {
			m.rests(time.Duration(1+s.random.IntN(4)) * time.Second)
		}
	}
	if !m.crashed && (s.done || s.random.IntN(2) == 0) {
		s.logf("%12v %s leaves", s.Now(), m.name)
		m.leaves = true
		if err := m.node.Close(); err != nil {
			s.Errorf("%s: Close: %v", m.name, err)
		}
	}
	if err := m.member.Refused(); err != nil {
		s.Errorf("%s: %v", m.name, err)
	}
}

// waits has the runtime wait for what comes from outside, while a condition holds: it has no timers
// of its own that it waits for.
func (m *machine) waits(while *bool) {
	m.member.After(time.Second, func() {
		if *while {
			m.waits(while)
		}
	})
}

// crash ends the process.
func (m *machine) crash() {
	if !m.crashed {
		m.of.logf("%12v %s crashes", m.of.Now(), m.name)
		if !m.leaves {
			m.of.crashes++
		}
		m.crashed, m.receive = true, nil
		m.member.Crash()
	}
}

// goesWrong has the machine crash, or be cut off, or neither.
func (m *machine) goesWrong() {
	s := m.of
	if s.Happens(s.rates.crash) {
		m.crash()
	} else if s.Happens(s.rates.away) {
		d := s.upTo(3 * time.Second)
		s.logf("%12v %s is cut off for %v", s.Now(), m.name, d)
		m.Cut(d)
	}
}

// rests lets time pass.
func (m *machine) rests(d time.Duration) {
	_, _ = freerun.After(m.rt.Context(), d).Wait(context.Background())
}

// runMachines runs a program with each of the seeds.
func runMachines(t *testing.T, newProgram func(s *machines) machineProgram, wants ...string) {
	sum := map[string]int{}
	run := func(seed uint64, logf func(format string, args ...any)) {
		s := newMachines(t, seed, sum)
		s.of, s.logf = newProgram(s), logf
		s.run()
	}
	if *machineSeed >= 0 {
		run(uint64(*machineSeed), t.Logf)
		return
	}
	for seed := range uint64(*machineRuns) {
		if run(seed, func(string, ...any) {}); t.Failed() {
			t.Fatalf("it is seed %d; -machines.seed %d shows what it does", seed, seed)
		}
	}
	t.Log(sum)
	if *machineRuns < ourMachines || ourMachines < 50 {
		return // too few to have all
	}
	for _, what := range wants {
		if sum[what] == 0 {
			t.Errorf("no run has one of these: %s", what)
		}
	}
}
