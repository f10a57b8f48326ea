package simulate

import (
	"math"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/simhost"
)

var _ simhost.Timed = (*machine)(nil)

// machine is a machine of virtual processors, and the schedule of a deterministic runtime. Each
// processor has a clock of its own. The processor that is furthest behind goes on, so that the
// others see what it does at its time. See docs/simulation.md.
type machine struct {
	costs      *Costs
	tariff     *tariff
	processors []*processor // behind the real ones, those that stand for goroutines outside
	count      int          // of the real ones
	running    *processor   // its piece is under way; nil before the first
	turns      uint64       // how often a processor was chosen
	seen       progress     // turns, for those who watch the run
	floor      float64      // the time up to which nothing was left to run
	units      map[any]*unit
	notes      map[any]note // by message
	shared     *shared      // nil in the first model
	threads    *threads     // nil while there are no goroutines of Host.Go
	outside    outside      // nothing in the first model
	fitting    bool         // a run that only fits the costs: the first model takes forks, too
	program    uintptr      // the goroutine that runs the program: see checkGoroutine
	refused    error        // why the result is of no use; nil if it is
}

// processor is a virtual processor. Times are in nanoseconds.
type processor struct {
	presentPiece
	index     int
	clock     float64
	busy      float64 // the part of clock spent on operations and all that belongs to them
	searching float64 // the part of clock spent looking for work
	waiting   float64 // the part of busy spent waiting for cache lines
	awake     uint64  // the last turn at which it could go on
	stolen    uint64
	cold      uint64  // stolen tasks that it has not looked at yet
	target    *unit   // the unit that it is about to send to
	message   any     // what it is about to send; nil if that is not queued
	remote    bool    // it runs a message of another processor, which has the future
	thread    *thread // that runs it; nil if none does
	place     place
	// The last yield to a goroutine outside that it has woken: whether it is under way, when it
	// began and how long it took, and when the processor had yielded by time before (threads.go).
	yielding                             bool
	yieldBegan, yieldTook, yieldedBefore float64
	// The program's own goroutine, while it has a core of its own: when what it waits for came to
	// pass. It has not gone on yet. 0 if it does not wait.
	woken float64
}

func newMachine(costs *Costs, processors int) *machine {
	m := &machine{costs: costs, units: map[any]*unit{}, notes: map[any]note{}, count: processors}
	if costs.Model == 2 {
		m.tariff, m.shared = newTariff(costs, 1-costs.Collector.Share), new(shared)
	} else {
		m.tariff = newTariff(costs, 1)
	}
	for range processors {
		m.add()
	}
	if m.shared != nil {
		m.shared.grow(processors)
	}
	return m
}

// add adds a processor, or what stands for a goroutine outside that begins now.
func (m *machine) add() *processor {
	p := &processor{index: len(m.processors), awake: m.turns, clock: m.now()}
	m.processors = append(m.processors, p)
	return p
}

// Choose charges for the piece that has ended, and chooses the processor that is furthest behind.
func (m *machine) Choose(ready []int) int {
	m.turns++
	m.seen.take()
	for len(m.processors) <= ready[len(ready)-1] {
		m.addOutside()
	}
	if p := m.running; p != nil {
		m.wakeUp(ready, p)
		m.charge(p)
		m.pass(p)
		if m.shared != nil && p.idle() && !slices.Contains(ready, p.index) {
			m.shared.parks(m, p)
		}
	}
	for _, n := range ready {
		m.processors[n].awake = m.turns
	}
	first := m.furthestBehind(ready)
	m.running = m.processors[ready[first]]
	m.running.woken = 0
	return first
}

// furthestBehind returns the index in ready of the processor that goes on.
func (m *machine) furthestBehind(ready []int) (first int) {
	if m.threads != nil {
		return m.threads.choose(m, ready)
	}
	for i, n := range ready {
		if m.processors[n].clock < m.processors[ready[first]].clock {
			first = i
		}
	}
	return first
}

// wakeUp sets the clocks of the processors that were woken in the piece of by, and charges by for
// it. What others observe of a piece happens at its beginning.
func (m *machine) wakeUp(ready []int, by *processor) {
	at := m.now() + m.costs.Wakeup
	for _, n := range ready {
		p := m.processors[n]
		switch {
		case m.threads != nil:
			m.wakeThread(by, p)
		case p.awake+1 >= m.turns:
		case m.isOutside(p):
			m.wakeProgram(ready, by, p)
		default:
			p.clock = max(p.clock, at)
			m.work(by, m.costs.Wake)
			if m.shared != nil {
				m.shared.wakes(m, by, p)
			}
		}
	}
}

// wakeThread is wakeUp of one processor, or of a goroutine outside, where threads run them.
func (m *machine) wakeThread(by, p *processor) {
	switch {
	case p.place != nowhere:
		return
	case m.turns == m.threads.first:
		m.threads.begins(p)
		return
	case !m.isOutside(p) && p.awake+1 < m.turns:
		m.shared.wakes(m, by, p)
	}
	m.threads.wakes(m, by, p, m.now())
}

// charge adds the cost of the piece that has ended to p's clock.
func (m *machine) charge(p *processor) {
	if p.idle() {
		took := m.costs.Look + m.costs.Probe*float64(m.count-1)
		if m.shared != nil {
			took = m.shared.look(m, p)
		}
		p.clock += took
		p.searching += took
	} else {
		m.work(p, m.tariff.cost(p.piece))
	}
	p.turn()
}

// work adds the time of something that p does to p's clock.
func (m *machine) work(p *processor, took float64) {
	p.clock += took
	p.busy += took
}

// now is the time at which the piece under way has begun, or the time up to which nothing was left
// to run, if that is later.
func (m *machine) now() float64 {
	if m.running == nil {
		return m.floor
	}
	return max(m.floor, m.running.clock)
}

// Enter moves all clocks to now, unless goroutines outside have clocks: no processor sees what was
// sent from outside before it happened.
func (m *machine) Enter() {
	m.checkGoroutine()
	if m.shared == nil {
		m.advance(m.now())
	}
}

// advance moves all clocks that are behind up to an instant.
func (m *machine) advance(until float64) {
	m.floor = max(m.floor, until)
	for i := range m.processors {
		m.processors[i].clock = max(m.processors[i].clock, m.floor)
	}
}

func (m *machine) progress() *progress { return &m.seen }

// mostTime limits the time of a run: 104 days. A clock is a float64, and past that it does not tell
// nanoseconds apart.
const mostTime = 1 << 53

// Now returns the time of the run, and the last instant there is for one past that.
func (m *machine) Now() time.Duration {
	if now := m.now(); now < math.MaxInt64 {
		return time.Duration(now)
	}
	return math.MaxInt64
}

// Idle lets time pass when nothing is left to run.
func (m *machine) Idle(until time.Duration) {
	m.advance(max(m.now(), float64(until)))
}

// Began notes that p begins an operation. On, which follows, tells on which unit.
func (m *machine) Began(p int, operation string) {
	l := &m.processors[p].presentPiece
	l.resting = false
	l.operation, l.from = m.tariff.of(operation), begun
	if m.shared != nil {
		m.shared.begins(m, m.processors[p])
	}
}

func (m *machine) On(n int, key, message any, answers bool) {
	p := m.processors[n]
	sent, noted := m.forget(message)
	foreign := p.cold > 0 // the sender is another processor, and the message is in no mailbox
	outside := noted
	switch {
	case key != nil:
		m.unit(key).run(m, p)
		// What is not noted came from outside, where no time is simulated.
		foreign = noted && sent.by != p.index
		outside = !noted || sent.by >= m.count
	case foreign: // it was taken from the inbox, and stolen, if it was sent from outside
	case noted:
		m.outside.takesFree(m, p, sent)
		foreign = true
	}
	if p.cold > 0 {
		p.cold--
	}
	switch {
	case foreign && m.shared != nil && !answers:
		p.fetch(m, toldLines)
	case foreign:
		p.fetch(m, messageLines)
	}
	p.remote = foreign && answers && !outside
}

// pass does what others observe at the instant that ends the piece of p.
func (m *machine) pass(p *processor) {
	if p.target != nil {
		p.target.receive(m, p, p.message)
		p.target = nil
	} else if p.from == sending && p.message != nil && m.isOutside(p) {
		m.outside.sendsFree(m, p, p.message)
	}
	p.message = nil
	if p.from == ending && p.remote {
		p.remote = false
		p.fetch(m, answerLines)
	}
}

// fetch has p get a number of lines that another processor has written and no third one wants.
func (p *processor) fetch(m *machine, lines float64) {
	took := lines * m.costs.Transfer
	p.waiting += took
	m.work(p, took)
}

func (m *machine) Sends(n int, key, message any) {
	p := m.processors[n]
	p.message = message
	if p.to = sending; key != nil {
		p.target = m.unit(key)
	}
}

func (m *machine) Drops(message any) { m.forget(message) }

func (m *machine) Ends(p int) { m.processors[p].to = ending }

// Forks begins the piece of a branch if p has looked for work before.
func (m *machine) Forks(n int) {
	p := m.processors[n]
	if p.idle() {
		m.Began(n, branchName)
		p.from = passing
	}
	p.to = forking
	switch {
	case m.shared != nil:
		m.shared.changes[n]++
	case !m.fitting:
		m.Refuse(errForks)
	}
}

func (m *machine) Rests(n int) {
	p := m.processors[n]
	p.resting, p.cold = true, 0
	m.lendThread(p)
}

// Stole charges the thief for the theft, and the victim for getting back the lines of its queue.
func (m *machine) Stole(thief, victim int, tasks uint64) {
	p := m.processors[thief]
	p.cold += tasks - p.stolen
	p.stolen = tasks
	took := m.costs.Steal
	if m.shared != nil {
		took = m.shared.steals(m, p, m.processors[victim])
	}
	m.work(p, took)
	m.work(m.processors[victim], m.costs.Transfer)
}

// times returns the time that f reads from each processor, without those of goroutines outside.
func (m *machine) times(f func(p *processor) float64) []time.Duration {
	all := make([]time.Duration, m.count)
	for i := range all {
		all[i] = time.Duration(f(m.processors[i]))
	}
	return all
}
