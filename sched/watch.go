package sched

import (
	"math"
	"time"

	"github.com/freerun-go/freerun/internal/atomics"
)

// SlotPatience is how long, at most twice over, the task in a processor's slot waits for the running task before thieves
// may take it.
const SlotPatience = time.Millisecond

// followTurn is how often, in looks, the watch looks at the number of Go's processors.
const followTurn = 64

// watch opens the slots of processors whose running task keeps the slot waiting. It is wound by the first use of a slot and
// looks again each SlotPatience while any processor is awake, so an idle scheduler has no timer running. If it has more to do (following GOMAXPROCS, a watchdog), it is wound whenever
// a processor is woken.
type watch struct {
	scheduler *Scheduler
	wound     atomics.Bool
	timer     *time.Timer
	looks     atomics.RelaxedUint64

	// of look only
	dog  watchdog
	seen []uint64 // steps of each processor at the last look
}

func newWatch(s *Scheduler) *watch {
	w := &watch{scheduler: s, dog: watchdog{config: s.config.Watchdog}}
	w.timer = time.AfterFunc(math.MaxInt64, w.look) // look uses timer, so it must not fire before it is set
	w.timer.Stop()
	return w
}

// wind makes sure that the watch will look. Any goroutine.
func (w *watch) wind() {
	if !w.wound.Load() && w.wound.CompareAndSwap(false, true) {
		w.timer.Reset(SlotPatience)
	}
}

// keepWatch is called whenever a processor was counted as awake.
func (s *Scheduler) keepWatch() {
	if s.vigilant {
		s.watch.wind()
	}
}

// look opens each slot that waited since the last look for one and the same task.
func (w *watch) look() {
	s := w.scheduler
	if s.quit.hasRung() {
		return
	}
	if w.looks.Add(1); w.looks.Load()%followTurn == 0 {
		s.followGo()
	}
	w.dog.look(s)
	waiting := false
	for i, p := range s.all() {
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
	if waiting || s.census.awake() > 0 {
		w.timer.Reset(SlotPatience)
		return
	}
	w.wound.Store(false)
	if s.vigilant && s.census.awake() > 0 { // whoever counted it found the watch wound
		w.wind()
	}
	for _, p := range s.all() { // a slot filled between the look and the line above found the watch wound
		if p.slot.filled() {
			w.wind()
		}
	}
}

// openSlot lets thieves take from the slot.
func (p *Processor) openSlot() {
	p.slotOpen.Store(true)
	p.scheduler.wakeOne() // even if the slot was open: the task in it may have come after its predecessor was stolen
}
