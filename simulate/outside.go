package simulate

import "slices"

// Goroutines outside, in the second model: the one that runs the program, and those of [Host.Go].
// For each there is a processor behind those of the runtime. It runs in pieces, from where it
// sends, waits or reads the time to where it does so next. From the first call of Host.Go on,
// threads run them and the processors (threads.go). Before, each has a core of its own.

// outsideName stands for the operation in the pieces of goroutines outside.
const outsideName = "a goroutine outside"

// outside is what goroutines outside and processors share.
type outside struct {
	start   func(f func()) (wait func() error)
	abandon func()
	inbox   word // through which units and free operations come to the processors
	batch   int  // how often a processor has taken all free operations from the inbox
}

// Outside keeps the functions that start further goroutines and abandon them, and has the one that
// runs the program begin.
func (m *machine) Outside(start func(f func()) (wait func() error), abandon func()) bool {
	if m.shared == nil {
		return false
	}
	m.outside.start, m.outside.abandon = start, abandon
	m.running = m.addOutside()
	return true
}

// start starts a goroutine of the program. The first model has none, and ends the program's run.
func (m *machine) start(f func()) (wait func() error) {
	if m.shared == nil {
		m.Refuse(errOutside)
		panic(unsupported{})
	}
	if m.threads == nil {
		m.threads = newThreads(m.costs.Threads, m.count)
		m.threads.begins(m.running)
		m.threads.first = m.turns + 1
	}
	return m.outside.start(f)
}

// abandon ends the goroutines of the program that have not ended.
func (m *machine) abandon() {
	if m.outside.abandon != nil {
		m.outside.abandon()
	}
}

func (m *machine) isOutside(p *processor) bool { return p.index >= m.count }

// addOutside adds what stands for a goroutine that begins now, and a thread for one of Host.Go
// unless their number is fixed.
func (m *machine) addOutside() *processor {
	p := m.add()
	if p.index > m.count && !m.threads.fixed {
		m.threads.add()
	}
	p.operation = m.tariff.of(outsideName)
	return p
}

// wakeProgram notes that what the program's goroutine, p, waits for came to pass in the piece of
// by, which wakes a thread for it. If by has come to rest, then it goes on there.
func (m *machine) wakeProgram(ready []int, by, p *processor) {
	p.woken = m.now()
	p.clock = max(p.clock, p.woken)
	if by.idle() || !slices.Contains(ready, by.index) {
		return
	}
	p.clock += m.costs.Wakeup
	m.work(by, m.costs.Wake)
}

// lendThread notes that p, a processor, has nothing at hand: the program's goroutine goes on in
// place of p if its thread has not woken yet.
func (m *machine) lendThread(p *processor) {
	if m.shared == nil || m.threads != nil {
		return
	}
	if o := m.processors[m.count]; o.woken > 0 {
		o.clock = min(o.clock, max(o.woken, p.clock))
	}
}

// sendsFree notes that p, a goroutine outside, sends a free operation, which is queued in the
// inbox.
func (x *outside) sendsFree(m *machine, p *processor, message any) {
	m.notes[message] = note{by: p.index, batch: x.batch}
	x.inbox.write(m, p)
}

// takesFree notes that p begins a free operation that was sent from outside. If it is still in the
// inbox, p takes all from there.
func (x *outside) takesFree(m *machine, p *processor, sent note) {
	if sent.batch == x.batch {
		x.inbox.write(m, p)
		x.batch++
	}
}
