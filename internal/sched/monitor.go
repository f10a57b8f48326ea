package sched

import (
	"math"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// SlotPatience is how long the task in a processor's slot waits for the running task before
// thieves may take it. It may wait up to twice as long.
const SlotPatience = time.Millisecond

const (
	// slowestPeriod is the period of looks for two things less urgent than a slot: late tasks and
	// GOMAXPROCS.
	slowestPeriod = 10 * time.Millisecond
	// followTurn is how often, in looks, the monitor looks at GOMAXPROCS.
	followTurn = 64
)

// monitor opens the slots of processors whose running task keeps the slot waiting. The first use
// of a slot arms it, and it looks again each SlotPatience while a slot is filled. If it has more
// to do (following GOMAXPROCS, a watchdog), each wake-up of a processor arms it at a slow pace,
// and it goes on slowly while a processor is awake. So an idle scheduler has no timer running, and
// a scheduler that is woken each millisecond pays for the monitor each ten.
type monitor struct {
	scheduler  *Scheduler
	pace       atomics.Uint32
	looking    atomics.Bool
	timer      *time.Timer
	looks      atomics.RelaxedUint64
	slowPeriod time.Duration // between two looks at the slow pace

	// of look only
	watchdog watchdog
	seen     []uint64 // steps of each processor at the last look
}

// The paces of a monitor. A goroutine that raises the pace resets the timer. A look lowers the
// pace, and then checks whether a goroutine has relied on the higher pace.
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
	// look uses timer, so the timer must not fire before it is set.
	m.timer = time.AfterFunc(math.MaxInt64, m.look)
	m.timer.Stop()
	return m
}

// armFast ensures a look within SlotPatience. Any goroutine.
func (m *monitor) armFast() {
	if m.pace.Load() != paceFast && m.pace.Swap(paceFast) != paceFast {
		m.timer.Reset(SlotPatience)
	}
}

// armSlow ensures a look within slowPeriod. Any goroutine.
func (m *monitor) armSlow() {
	if m.pace.Load() != paceStopped || !m.pace.CompareAndSwap(paceStopped, paceSlow) {
		return
	}
	m.timer.Reset(m.slowPeriod)
	// The pace was raised meanwhile, and that reset may have come before this one.
	if m.pace.Load() == paceFast {
		m.timer.Reset(SlotPatience)
	}
}

// armMonitor is called whenever a processor was counted as awake.
func (s *Scheduler) armMonitor() {
	if s.monitorsAlways {
		s.monitor.armSlow()
	}
}

// look opens the filled slots of processors that have run the same task since the last look. It
// also follows GOMAXPROCS and runs the watchdog. The timer calls it.
func (m *monitor) look() {
	s := m.scheduler
	if s.quit.closed() {
		return
	}
	if !m.looking.CompareAndSwap(false, true) { // the last look still reports something
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
	// Processors whose tasks were late at this look may be parked by now: the watchdog must look
	// once more to release the processors that it has added.
	if s.monitorsAlways && (s.census.awake() > 0 || s.extra > 0) {
		m.timer.Reset(m.slowPeriod) // before the pace: a goroutine raising it resets after this
		m.pace.Store(paceSlow)
	} else {
		m.pace.Store(paceStopped)
		if s.monitorsAlways && s.census.awake() > 0 { // counted while it found the monitor armed
			m.armSlow()
		}
	}
	for _, p := range s.all() { // a slot filled after openSlots may have found the pace fast still
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
	// Even if the slot was open before: the task in it may have come after its predecessor was
	// stolen.
	p.scheduler.wakeOne()
}
