package simulate

import (
	"slices"
	"time"
)

// machine is a machine of virtual processors. It is the schedule of a deterministic runtime: each processor has a clock of its own, and whoever is furthest behind goes on,
// so that what one does is seen by the others at its time. See docs/simulation.md.
type machine struct {
	costs      *Costs
	tariff     *tariff
	processors []processor
	running    *processor // whose piece is under way; nil before the first
	turns      uint64     // how often somebody was chosen
	floor      float64    // time has passed up to here while nothing was left to run
	units      map[any]*unit
}

// processor is a virtual processor. Times are in nanoseconds.
type processor struct {
	lane
	index     int
	clock     float64
	busy      float64 // of that, what went to operations and all that belongs to them
	searching float64 // to looking for work
	waiting   float64 // to waiting for cache lines, which is part of busy
	awake     uint64  // the last turn at which it could go on
	stolen    uint64
	cold      uint64 // tasks that it has stolen and not looked at yet
	target    *unit  // that it is about to send to
	remote    bool   // what it runs is the message of another, who has a future of the result
}

func newMachine(costs *Costs, processors int) *machine {
	m := &machine{costs: costs, tariff: newTariff(costs), units: map[any]*unit{}}
	m.grow(processors)
	return m
}

func (m *machine) grow(n int) {
	for i := len(m.processors); i < n; i++ {
		m.processors = append(m.processors, processor{index: i, awake: m.turns, clock: m.floor})
	}
}

// Choose accounts for the piece that has ended, and chooses who is furthest behind.
func (m *machine) Choose(ready []int) int {
	m.turns++
	if p := m.running; p != nil {
		m.wakeUp(ready, p)
		m.charge(p)
		m.pass(p)
	}
	first := 0
	for i, n := range ready {
		m.processors[n].awake = m.turns
		if m.processors[n].clock < m.processors[ready[first]].clock {
			first = i
		}
	}
	m.running = &m.processors[ready[first]]
	return first
}

// wakeUp lets those come in time who were woken in the piece of p. What others see of a piece happens at its beginning.
func (m *machine) wakeUp(ready []int, by *processor) {
	at := m.now() + m.costs.Wakeup
	for _, n := range ready {
		if p := &m.processors[n]; p.awake+1 < m.turns {
			p.clock = max(p.clock, at)
			m.work(by, m.costs.Wake)
		}
	}
}

// charge lets p's clock go on by what the piece takes that has ended.
func (m *machine) charge(p *processor) {
	if p.idle() {
		took := m.costs.Look + m.costs.Probe*float64(len(m.processors)-1)
		p.clock += took
		p.searching += took
	} else {
		m.work(p, m.tariff.cost(p.piece))
	}
	p.turn()
}

// work lets p's clock go on by something that it does.
func (m *machine) work(p *processor, took float64) {
	p.clock += took
	p.busy += took
}

// now is the time at which the piece that is under way has begun, or what it has come to.
func (m *machine) now() float64 {
	if m.running == nil {
		return m.floor
	}
	return max(m.floor, m.running.clock)
}

// Enter has nobody see what was sent from outside before that happened.
func (m *machine) Enter() { m.advance(m.now()) }

// advance lets time pass, for all, up to an instant.
func (m *machine) advance(until float64) {
	m.floor = max(m.floor, until)
	for i := range m.processors {
		m.processors[i].clock = max(m.processors[i].clock, m.floor)
	}
}

func (m *machine) Now() time.Duration { return time.Duration(m.now()) }

// Idle lets time pass when nothing is left to run.
func (m *machine) Idle(until time.Duration) {
	m.advance(max(m.now(), float64(until)))
}

// Began is told that p begins an operation, and On, on which unit.
func (m *machine) Began(p int, operation string) {
	l := &m.processors[p].lane
	l.resting = false
	l.operation, l.from = m.tariff.of(operation), begun
}

func (m *machine) On(n int, key any, answers bool) {
	p := &m.processors[n]
	foreign := p.cold > 0 // of one who is in no mailbox
	if p.cold > 0 {
		p.cold--
	}
	if key != nil {
		foreign = m.unit(key).run(m, p)
	}
	if foreign {
		p.fetch(m, messageLines)
	}
	p.remote = foreign && answers
}

// pass has p do what others see at the instant that its piece has come to.
func (m *machine) pass(p *processor) {
	if p.target != nil {
		p.target.receive(m, p)
		p.target = nil
	}
	if p.from == ending && p.remote {
		p.remote = false
		p.fetch(m, answerLines)
	}
}

// fetch has p get so many lines that another has written, which nobody else wants.
func (p *processor) fetch(m *machine, lines float64) {
	took := lines * m.costs.Transfer
	p.waiting += took
	m.work(p, took)
}

func (m *machine) Sends(n int, key any) {
	p := &m.processors[n]
	if p.to = sending; key != nil {
		p.target = m.unit(key)
	}
}

func (m *machine) Ends(p int) { m.processors[p].to = ending }

func (m *machine) Rests(n int) {
	p := &m.processors[n]
	p.resting, p.cold = true, 0
}

// Stole has the thief pay for the theft, and the victim get back the lines of its queue.
func (m *machine) Stole(thief, victim int, tasks uint64) {
	p := &m.processors[thief]
	p.cold += tasks - p.stolen
	p.stolen = tasks
	m.work(p, m.costs.Steal)
	m.work(&m.processors[victim], m.costs.Transfer)
}

// times returns, of each processor, the time that f says.
func (m *machine) times(f func(p *processor) float64) []time.Duration {
	all := make([]time.Duration, len(m.processors))
	for i := range m.processors {
		all[i] = time.Duration(f(&m.processors[i]))
	}
	return slices.Clip(all)
}
