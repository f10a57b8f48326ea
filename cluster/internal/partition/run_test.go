package partition

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/logsim"
	"github.com/freerun-go/freerun/internal/vclock"
)

const partitions = 3

func (s *sim) partitionOf(unit string) int { return Of(unit, partitions) }

var units = []string{"ann", "bob", "eve", "joe", "bank"}

// newSim returns the run of a seed.
func newSim(seed uint64, is flaw) *sim {
	s := &sim{random: rand.New(rand.NewPCG(seed, 0x7061)), flaw: is}
	s.clock = vclock.New(nil)
	s.began = s.clock.Now()
	s.rates = drawRates(s.random)
	s.mostUnder, s.mostQueued = 1<<s.random.IntN(9), 2<<s.random.IntN(9)
	s.truth = &truth{sim: s, units: map[string][]string{}, refused: map[string]bool{}, effects: map[string]int{}}
	s.store = logsim.New(s, s.rates.Faults, partitions)
	s.store.Unfenced = is == noFence
	s.store.Written = func(_ int, key string, value []byte) { s.truth.written(key, value) }
	return s
}

// run runs the machines for some seconds, in which things go wrong, then until all has come to its
// end; once or twice.
func (s *sim) run() {
	for range 1 + s.random.IntN(3) {
		s.start()
	}
	s.after(time.Second, s.strike)
	s.busy()
	if s.random.IntN(3) == 0 { // then there are no writes of before, and what was forgotten may go
		for _, n := range s.nodes {
			if c := n.clients[0]; n.paused < s.now {
				n.order(c, order{Do: "forget"}, units[s.random.IntN(len(units)-1)])
			}
		}
		s.until(s.now + 5*logsim.Latest)
		s.calm = false
		for _, n := range s.nodes {
			for _, c := range n.clients {
				n.send(c)
			}
		}
		s.strike()
		s.busy()
	}
	quiet := 30 * time.Second
	for _, n := range s.nodes {
		quiet = max(quiet, n.paused-s.now+30*time.Second)
	}
	if s.rates.long > 0 {
		quiet += closeAfter
	}
	s.until(s.now + quiet)
	s.check()
}

// busy is a time in which things go wrong.
func (s *sim) busy() {
	s.until(s.now + time.Duration(2+s.random.IntN(8))*time.Second)
	s.calm = true
	for _, n := range s.nodes {
		n.port.Cut(0)
	}
}

// start starts a machine with a client.
func (s *sim) start() {
	n := s.begin()
	for range 1 + s.random.IntN(2) {
		c := &client{name: fmt.Sprintf("%s.%d", n.name, len(n.clients))}
		s.clients = append(s.clients, c)
		n.clients = append(n.clients, c)
		n.after(s.delay(time.Second), func() { n.send(c) })
	}
}

// strike has something happen to a machine, each second.
func (s *sim) strike() {
	if s.calm {
		return
	}
	for _, n := range slices.Clone(s.nodes) {
		switch {
		case s.happens(s.rates.crash):
			n.crash()
			s.after(s.delay(2*time.Second), s.start)
		case s.happens(s.rates.leave):
			n.leaves()
			s.after(s.delay(2*time.Second), s.start)
		case s.happens(s.rates.pause):
			d := s.delay(3 * time.Second)
			if s.happens(s.rates.long) {
				d = closeAfter + s.delay(closeAfter)
			}
			n.pause(d)
		case s.happens(s.rates.cut):
			n.cut(s.delay(3 * time.Second))
		}
	}
	if len(s.nodes) < 3 && s.happens(0.2) {
		s.start()
	}
	s.after(time.Second, s.strike)
}

// send sends some commands, and more later.
func (n *node) send(c *client) {
	s := n.sim
	if s.calm || len(c.all) > 90 {
		return
	}
	for range 1 + s.random.IntN(4) {
		o := order{Do: "add", Sum: 1 + s.random.IntN(9)}
		switch k := s.random.IntN(20); {
		case k == 0:
			o.Do = "forget"
		case k < 12:
			o.Do, o.To = "pay", units[s.random.IntN(len(units))]
		}
		n.order(c, o, units[s.random.IntN(len(units)-1)])
	}
	n.after(s.delay(300*time.Millisecond), func() { n.send(c) })
}

// order sends a command.
func (n *node) order(c *client, o order, unit string) {
	s := n.sim
	o.ID = fmt.Sprintf("%s-%d", c.name, len(c.all))
	a := &asked{order: o, unit: unit}
	switch s.random.IntN(6) {
	case 0, 1:
		a.told = true
	case 2:
		a.direct = true
	}
	c.all = append(c.all, a)
	s.logf("%s sends %s to %s: %s %s", c.name, a.ID, a.unit, a.Do, a.To)
	var outcome func(value []byte, err error)
	if !a.told {
		outcome = func(value []byte, err error) {
			s.logf("%s has the outcome %s, %v", a.ID, value, err)
			a.outcome, a.err, a.ended = string(value), err, true
		}
	}
	if a.direct {
		n.Machine.Request(a.unit, a.body(), false, s.delay(5*time.Second), outcome)
		return
	}
	giveUp := n.Machine.Send(a.unit, a.body(), func(err error) {
		s.logf("%s is accepted: %v", a.ID, err)
		a.accepted = 1
		if err != nil {
			a.accepted = 2
		}
	}, outcome)
	if s.random.IntN(16) == 0 {
		n.after(s.delay(100*time.Millisecond), giveUp)
	}
}

var (
	seeds = flag.Uint64("partition.seeds", usualSeeds, "how many schedules are tried")
	seed  = flag.Int64("partition.seed", -1, "the schedule that is tried alone, and logged")
)

// TestSimulation holds that what is promised holds under each schedule.
func TestSimulation(t *testing.T) {
	if *seed >= 0 {
		s := newSim(uint64(*seed), none)
		s.log = t.Logf
		s.run()
		for _, said := range s.said {
			t.Error(said)
		}
		return
	}
	removed := 0
	for seed := range *seeds {
		s := newSim(seed, none)
		s.run()
		removed += s.removed
		if len(s.said) > 0 {
			t.Fatalf("under the schedule of seed %d:\n%s", seed, s.said[0])
		}
	}
	t.Logf("%d records were removed", removed)
	if removed == 0 && *seeds >= 500 {
		t.Error("no record was removed: the schedules do not reach it")
	}
}

// TestControls holds that each flaw is found within 500 schedules.
func TestControls(t *testing.T) {
	for name, is := range flaws {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(500) {
				s := newSim(seed, is)
				s.run()
				if len(s.said) > 0 {
					t.Logf("seed %d: %s", seed, s.said[0])
					return
				}
			}
			t.Error("it is not found")
		})
	}
}

// TestRepeats holds that a seed repeats its run.
func TestRepeats(t *testing.T) {
	for seed := range uint64(20) {
		var logs [2][]string
		for i := range logs {
			s := newSim(seed, none)
			s.log = func(format string, args ...any) { logs[i] = append(logs[i], fmt.Sprintf(format, args...)) }
			s.run()
		}
		if !slices.Equal(logs[0], logs[1]) {
			t.Fatalf("two runs of seed %d differ", seed)
		}
	}
}
