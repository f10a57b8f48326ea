package simulate

import "slices"

// Goroutines outside, in the second model: the one that runs the program, and those of [Host.Go].
// Each has a core of its own, a processor behind those of the runtime, and runs in pieces, from
// where it sends, waits or reads the time to where it does so next.

// outsideName stands for the operation in the pieces of goroutines outside.
const outsideName = "a goroutine outside"

// outside is what goroutines outside and processors share.
type outside struct {
	start func(f func()) (wait func() error)
	inbox word // through which units and free operations come to the processors
	free  int  // free operations that were sent, and have not begun
	taken int  // those of free that a processor has taken from the inbox, all at once
}

// Outside keeps the function that starts further goroutines, and gives the one that runs the
// program its core.
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
	return m.outside.start(f)
}

func (m *machine) isOutside(p *processor) bool { return p.index >= m.count }

// addOutside adds the core of a goroutine that begins now.
func (m *machine) addOutside() *processor {
	p := m.add()
	p.operation = m.tariff.of(outsideName)
	return p
}

// wakeOutside notes that what the goroutine of p waits for came to pass in the piece of by, which
// wakes a thread for it. If by has come to rest, or its goroutine waits, then it goes on there, as
// Go has it run next.
func (m *machine) wakeOutside(ready []int, by, p *processor) {
	p.woken = m.now()
	p.clock = max(p.clock, p.woken)
	if by.idle() || !slices.Contains(ready, by.index) {
		return
	}
	p.clock += m.costs.Wakeup
	m.work(by, m.costs.Wake)
}

// lendThread notes that p, a processor, has nothing at hand: a goroutine whose thread has not woken
// yet goes on in place of p.
func (m *machine) lendThread(p *processor) {
	for _, o := range m.processors[m.count:] {
		if o.woken > 0 {
			o.clock = min(o.clock, max(o.woken, p.clock))
		}
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
