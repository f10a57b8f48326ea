package sched

import (
	"math"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// SlotPatience is how long, at most twice over, the task in a processor's slot waits for the running task before thieves
// may take it.
const SlotPatience = time.Millisecond

const (
	// vigilance is how often, at most, the watch looks for what is not as urgent as a slot: late tasks, and the number of Go's processors.
	slowestPeriod = 10 * time.Millisecond
	// followTurn is how often, in looks, it looks at that number.
	followTurn = 64
)

// watch opens the slots of processors whose running task keeps the slot waiting. It is wound by the first use of a slot and
// looks again each SlotPatience while a slot is filled. If it has more to do (following GOMAXPROCS, a watchdog), it is wound, slowly, whenever a
// processor is woken, and goes on slowly while one is awake. So an idle scheduler has no timer running, and one that is woken each millisecond
// pays for it each ten.
type monitor struct {
	scheduler  *Scheduler
	pace       atomics.Uint32
	looking    atomics.Bool
	timer      *time.Timer
	looks      atomics.RelaxedUint64
	slowPeriod time.Duration // when it goes slowly

	// of look only
	watchdog watchdog
	seen     []uint64 // steps of each processor at the last look
}

// Paces of a watch. Whoever quickens it resets the timer; a look slows it down, and then looks whether somebody has relied on the pace before.
const (
	paceStopped uint32 = iota // no look is to come
	paceSlow
	paceFast
)

func newMonitor(s *Scheduler) *monitor {
	m := &monitor{scheduler: s, watchdog: watchdog{config: s.config.Watchdog}, slowPeriod: slowestPeriod}
	if after := s.config.Watchdog.After; after > 0 {
		m.slowPeriod = min(max(after/4, SlotPatience), slowestPeriod)
	}
	m.timer = time.AfterFunc(math.MaxInt64, m.look) // look uses timer, so it must not fire before it is set
	m.timer.Stop()
	return m
}

// wind makes sure that the watch will look within SlotPatience. Any goroutine.
func (m *monitor) armFast() {
	if m.pace.Load() != paceFast && m.pace.Swap(paceFast) != paceFast {
		m.timer.Reset(SlotPatience)
	}
}

// windSlowly makes sure that the watch will look. Any goroutine.
func (m *monitor) armSlow() {
	if m.pace.Load() != paceStopped || !m.pace.CompareAndSwap(paceStopped, paceSlow) {
		return
	}
	m.timer.Reset(m.slowPeriod)
	if m.pace.Load() == paceFast { // since that moment; its reset may have come before this one
		m.timer.Reset(SlotPatience)
	}
}

// keepWatch is called whenever a processor was counted as awake.
func (s *Scheduler) armMonitor() {
	if s.monitorsAlways {
		s.monitor.armSlow()
	}
}

// look opens each slot that waited since the last look for one and the same task.
func (m *monitor) look() {
	s := m.scheduler
	if s.quit.closed() {
		return
	}
	if !m.looking.CompareAndSwap(false, true) { // the last one takes long, as it reports something
		m.timer.Reset(SlotPatience)
		return
	}
	defer m.looking.Store(false)
	if m.looks.Add(1); m.looks.Load()%followTurn == 0 {
		s.followGo()
	}
	m.watchdog.look(s)
	if m.openSlots() {
		m.pace.Store(paceFast)
		m.timer.Reset(SlotPatience)
		return
	}
	// Those whose tasks were late when the watchdog looked may be parked by now: it must look once more, to let go of what it has added.
	if s.monitorsAlways && (s.census.awake() > 0 || s.extra > 0) {
		m.timer.Reset(m.slowPeriod) // before the pace: who quickens it resets after this
		m.pace.Store(paceSlow)
	} else {
		m.pace.Store(paceStopped)
		if s.monitorsAlways && s.census.awake() > 0 { // whoever counted it found the watch wound
			m.armSlow()
		}
	}
	for _, p := range s.all() { // a slot filled since it was looked at found the watch brisk
		if p.slot.filled() {
			m.armFast()
		}
	}
}

// openSlots opens the slots that wait, and reports whether any is filled.
func (m *monitor) openSlots() (waiting bool) {
	for i, p := range m.scheduler.all() {
		if i == len(m.seen) {
			m.seen = append(m.seen, 0)
		}
		steps := p.counters.steps.Load()
		if p.slot.filled() {
			waiting = true
			if steps == m.seen[i] {
				p.openSlot()
			}
		}
		m.seen[i] = steps
	}
	return waiting
}

// openSlot lets thieves take from the slot.
func (p *Processor) openSlot() {
	p.slotOpen.Store(true)
	p.scheduler.wakeOne() // even if the slot was open: the task in it may have come after its predecessor was stolen
}
