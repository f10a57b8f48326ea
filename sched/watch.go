package sched

import (
	"math"
	"time"

	"github.com/freerun-go/freerun/internal/atomics"
)

// SlotPatience is how long, at most twice over, the task in a processor's slot waits for the running task before thieves
// may take it.
const SlotPatience = time.Millisecond

// watch opens the slots of processors whose running task keeps the slot waiting. It is wound by the first use of a slot and
// looks again each SlotPatience while any processor is awake, so an idle scheduler has no timer running.
type watch struct {
	scheduler *Scheduler
	wound     atomics.Bool
	timer     *time.Timer
	seen      []uint64 // steps of each processor at the last look; only look touches it
}

func newWatch(s *Scheduler) *watch {
	w := &watch{scheduler: s, seen: make([]uint64, s.config.Processors)}
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

// look opens each slot that waited since the last look for one and the same task.
func (w *watch) look() {
	s := w.scheduler
	if s.quit.hasRung() {
		return
	}
	waiting := false
	for i, p := range s.processors {
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
	for _, p := range s.processors { // a slot filled between the look and the line above found the watch wound
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
