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
	start func(f func()) (wait func() error)
	inbox word // through which units and free operations come to the processors
	free  int  // free operations that were sent, and have not begun
	taken int  // those of free that a processor has taken from the inbox, all at once
}

// Outside keeps the function that starts further goroutines, and has the one that runs the
// program begin.
func (m *machine) Outside(start func(f func()) (wait func() error)) bool {
	if m.shared == nil {
		return false
	}
	m.outside.start = start
	m.running = m.addOutside()
	return true
}

// start starts a goroutine of the program. The first model has none, and ends the program's run.
func (m *machine) start(f func()) (wait func() error) {
	if m.shared == nil {
		m.refuse(errOutside)
		panic(unsupported{})
	}
	if m.threads == nil {
		m.threads = newThreads(m.costs.Threads, m.count)
		m.threads.begins(m.running)
		m.threads.first = m.turns + 1
	}
	return m.outside.start(f)
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
func (x *outside) sendsFree(m *machine, p *processor) {
	x.free++
	x.inbox.write(m, p)
}

// takesFree reports whether the free operation that p begins came from outside. If none is taken, p
// takes all from the inbox. Those that have waited longest come first, by assumption.
func (x *outside) takesFree(m *machine, p *processor) bool {
	if x.free == 0 {
		return false
	}
	if x.taken == 0 {
		x.inbox.write(m, p)
		x.taken = x.free
	}
	x.begins()
	return true
}

// begins notes that one of those that were sent begins.
func (x *outside) begins() {
	x.free = max(0, x.free-1)
	x.taken = max(0, x.taken-1)
}
