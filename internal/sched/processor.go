package sched

import (
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

const (
	// slotRuns is how many times in a row a processor takes its next task from its slot while it has other work: two units
	// that talk to each other must not starve the rest.
	slotRuns = 16
	// glance is how often, in steps, a processor looks at the inbox before anything else, so that tasks from outside do not
	// wait for ever behind what the processor makes itself.
	overdueTurn = 61
	// inboxTurn is how often, in operations, or in steps of Normal, it looks whether there is something in the inbox, to take that first. It must be well
	// below lowTurn.
	inboxTurn = 8
	// reach is how often, in glances, it takes the oldest task of its own deque, for the same reason. Rarely: to run a
	// tree of tasks last in first out keeps few of them in the queue, and each reach opens another branch.
	oldestTurn = 64
	// ringTurn is how often, in steps, the ring comes before the deque.
	ringTurn = 4
)

// Processor runs tasks, one after another, on the goroutine of the [Host] that is its home. Tasks get it passed, and through it queue
// what follows from them on this processor, where it is warm in the cache. Its methods are for that goroutine only, unless
// they say otherwise.
type Processor struct {
	// immutable
	scheduler *Scheduler
	index     int
	parker    parker
	// Local is for whoever made the scheduler: set it before Start.
	Local any

	// what is recorded of the processor, nil if nothing is; see record.go. It is no part of any protocol: the explorer need not know of it.
	tape atomic.Pointer[record.Tape]

	// owner only
	_              pad.Line
	held           uint32 // the priorities, but for Normal, of which the levels may hold something; carries and uncounted
	turns          Turns
	last           Priority // of the task that ran last, while there were several
	counted        operationCount
	probed         int // the processor that was asked last
	slotInRow      int
	random         uint64
	handed         *Task
	carried        *Task // what it runs next, whatever else there is
	yieldTimer     yieldTimer
	freeCoroutines []*Coroutine
	inboxChecked   int    // at the inbox of Normal, after so many operations
	inboxStep      uint32 // the step whose task came out of the inbox before others that were here

	// shared
	_        pad.Line
	slot     slot
	slotOpen atomics.Bool           // the running task has kept the slot waiting: thieves may take from it
	home     atomics.RelaxedUintptr // the identity of the goroutine that is its home
	host     diagnostic[Host]       // that home, or the one that it is given to; written by who gives it
	running  diagnostic[Task]       // written by the home
	retired  atomics.Bool           // out of service, and without a home
	dismiss  atomics.Plain[bool]    // was taken out of service by somebody else, in its sleep; read by the home
	_        pad.Line
	offer    Offer
	_        pad.Line
	counters counters
	_        pad.Line                           // thieves read the next words
	level                                       // of Normal
	others   [priorities]atomics.Pointer[level] // those of the other priorities, made at their first use
}

// counters are written by the processor and read by anybody.
type counters struct {
	steps, steals, stolen, parks, wakes, searches, polls atomics.RelaxedUint64
	pauses                                               atomics.RelaxedUint64             // beginnings and ends of yields: odd while it yields
	taken                                                [priorities]atomics.RelaxedUint64 // to be run; that of Normal is not complete
}

func newProcessor(s *Scheduler, index int) *Processor {
	p := &Processor{
		offer:      Offer{scheduler: s},
		scheduler:  s,
		index:      index,
		parker:     newParker(),
		probed:     index,
		random:     uint64(index)*0x9e3779b97f4a7c15 + 1,
		yieldTimer: newYieldTimer(),
	}
	p.level.init(Normal)
	return p
}

// Index returns the number of the processor, from 0. Any goroutine.
func (p *Processor) Index() int { return p.index }

// Home returns the identity of the goroutine that is the processor's home now, 0 if there is none: before the first one runs, after the
// last one has ended, and while one takes the place of another. Any goroutine.
func (p *Processor) Home() uintptr { return p.home.Load() }

// Running returns the task that runs now, nil between tasks.
func (p *Processor) Running() *Task { return p.running.Load() }

// SomeIdle reports whether some processor is parked, at some instant of the call.
func (p *Processor) SomeIdle() bool { return !p.scheduler.census.allAwake() }

// Push queues a task that may run anywhere, last in first out for this processor, first in first out for thieves.
func (p *Processor) Push(t *Task) {
	p.deque.Push(t)
	p.scheduler.wakeOne()
}

// PushAt is Push with a priority.
func (p *Processor) PushAt(pr Priority, t *Task) { p.push(p.own(pr), t) }

// Hand makes t the task of Normal that this processor runs next, before all others of Normal, if it has none such yet; otherwise
// it pushes t. It is for a task that became ready by what the running task did last: nobody sees t until the running task
// returns, so the caller must see to it that it does so right away.
func (p *Processor) Hand(t *Task) {
	if p.handed == nil {
		p.handed = t
		return
	}
	p.Push(t)
}

// PushNext queues a task that should run next on this processor: it takes the slot, and what was there moves to the back
// of the ring. The task in the slot wakes nobody until the running task has kept it waiting for [SlotPatience].
func (p *Processor) PushNext(t *Task) {
	if old := p.slot.put(t); old != nil {
		p.PushBack(old)
		return
	}
	if len(p.scheduler.all()) > 1 {
		p.scheduler.monitor.armFast()
	}
}

// PushNextAt is PushNext with a priority. Only tasks of Normal use the slot; others are pushed back.
func (p *Processor) PushNextAt(pr Priority, t *Task) {
	if pr == Normal {
		p.PushNext(t)
	} else {
		p.PushBackAt(pr, t)
	}
}

// PushSoon is PushNext if the slot is empty, and PushBack otherwise: for tasks of which many may come at once, all of them as good as the
// next.
func (p *Processor) PushSoon(t *Task) {
	if p.slot.filled() {
		p.PushBack(t)
	} else {
		p.PushNext(t)
	}
}

// PushBack queues a task behind all that is in the ring.
func (p *Processor) PushBack(t *Task) {
	if !p.ring.push(t) {
		p.spill(&p.level, t)
	}
	p.scheduler.wakeOne()
}

// PushBackAt is PushBack with a priority.
func (p *Processor) PushBackAt(pr Priority, t *Task) { p.pushBack(p.own(pr), t) }

// takeSlot takes the task from the slot, unless it is time for the others.
func (p *Processor) takeSlot() *Task {
	if p.slotInRow >= slotRuns {
		p.slotInRow = 0
		return nil
	}
	return p.takeSlotAnyway()
}

func (p *Processor) takeSlotAnyway() *Task {
	if p.slotOpen.Load() {
		p.slotOpen.Store(false)
	}
	if !p.slot.filled() {
		p.slotInRow = 0
		return nil
	}
	p.slotInRow++
	return p.slot.take()
}

// hasWork reports whether somebody could find a task here, at some instant of the call. Any goroutine.
func (p *Processor) hasWork() bool {
	for _, pr := range byRank {
		if l := p.levelOf(pr); l != nil && l.hasWork() {
			return true
		}
	}
	return !p.offer.Empty() || p.slot.filled() && p.slotOpen.Load()
}
