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
	vigilance = 10 * time.Millisecond
	// followTurn is how often, in looks, it looks at that number.
	followTurn = 64
)

// watch opens the slots of processors whose running task keeps the slot waiting. It is wound by the first use of a slot and
// looks again each SlotPatience while a slot is filled. If it has more to do (following GOMAXPROCS, a watchdog), it is wound, slowly, whenever a
// processor is woken, and goes on slowly while one is awake. So an idle scheduler has no timer running, and one that is woken each millisecond
// pays for it each ten.
type watch struct {
	scheduler *Scheduler
	pace      atomics.Uint32
	looking   atomics.Bool
	timer     *time.Timer
	looks     atomics.RelaxedUint64
	patience  time.Duration // when it goes slowly

	// of look only
	dog  watchdog
	seen []uint64 // steps of each processor at the last look
}

// Paces of a watch. Whoever quickens it resets the timer; a look slows it down, and then looks whether somebody has relied on the pace before.
const (
	still uint32 = iota // no look is to come
	slow
	brisk
)

func newWatch(s *Scheduler) *watch {
	w := &watch{scheduler: s, dog: watchdog{config: s.config.Watchdog}, patience: vigilance}
	if after := s.config.Watchdog.After; after > 0 {
		w.patience = min(max(after/4, SlotPatience), vigilance)
	}
	w.timer = time.AfterFunc(math.MaxInt64, w.look) // look uses timer, so it must not fire before it is set
	w.timer.Stop()
	return w
}

// wind makes sure that the watch will look within SlotPatience. Any goroutine.
func (w *watch) wind() {
	if w.pace.Load() != brisk && w.pace.Swap(brisk) != brisk {
		w.timer.Reset(SlotPatience)
	}
}

// windSlowly makes sure that the watch will look. Any goroutine.
func (w *watch) windSlowly() {
	if w.pace.Load() != still || !w.pace.CompareAndSwap(still, slow) {
		return
	}
	w.timer.Reset(w.patience)
	if w.pace.Load() == brisk { // since that moment; its reset may have come before this one
		w.timer.Reset(SlotPatience)
	}
}

// keepWatch is called whenever a processor was counted as awake.
func (s *Scheduler) keepWatch() {
	if s.vigilant {
		s.watch.windSlowly()
	}
}

// look opens each slot that waited since the last look for one and the same task.
func (w *watch) look() {
	s := w.scheduler
	if s.quit.hasRung() {
		return
	}
	if !w.looking.CompareAndSwap(false, true) { // the last one takes long, as it reports something
		w.timer.Reset(SlotPatience)
		return
	}
	defer w.looking.Store(false)
	if w.looks.Add(1); w.looks.Load()%followTurn == 0 {
		s.followGo()
	}
	w.dog.look(s)
	if w.openSlots() {
		w.pace.Store(brisk)
		w.timer.Reset(SlotPatience)
		return
	}
	// Those whose tasks were late when the watchdog looked may be parked by now: it must look once more, to let go of what it has added.
	if s.vigilant && (s.census.awake() > 0 || s.extra > 0) {
		w.timer.Reset(w.patience) // before the pace: who quickens it resets after this
		w.pace.Store(slow)
	} else {
		w.pace.Store(still)
		if s.vigilant && s.census.awake() > 0 { // whoever counted it found the watch wound
			w.windSlowly()
		}
	}
	for _, p := range s.all() { // a slot filled since it was looked at found the watch brisk
		if p.slot.filled() {
			w.wind()
		}
	}
}

// openSlots opens the slots that wait, and reports whether any is filled.
func (w *watch) openSlots() (waiting bool) {
	for i, p := range w.scheduler.all() {
		if i == len(w.seen) {
			w.seen = append(w.seen, 0)
		}
		steps := p.counters.steps.Load()
		if p.slot.filled() {
			waiting = true
			if steps == w.seen[i] {
				p.openSlot()
			}
		}
		w.seen[i] = steps
	}
	return waiting
}

// openSlot lets thieves take from the slot.
func (p *Processor) openSlot() {
	p.slotOpen.Store(true)
	p.scheduler.wakeOne() // even if the slot was open: the task in it may have come after its predecessor was stolen
}
