package sched

import (
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

const (
	// slotRuns is how many times in a row a processor runs the task in its slot while it has other
	// work. It keeps two units that send to each other from starving the rest.
	slotRuns = 16
	// overdueTurn is how often, in steps, a processor looks at the inbox before its own queues. It
	// keeps injected tasks from waiting behind tasks that the processor makes itself.
	overdueTurn = 61
	// inboxTurn is how often, in operations or in steps of Normal, a processor checks whether the
	// inbox holds a task; that one comes first then. It must be well below lowTurn.
	inboxTurn = 8
	// oldestTurn is how often, in overdueTurns, a processor runs the oldest task of its own deque,
	// for the same reason. It is rare: running a tree of tasks last in, first out keeps few of
	// them queued, and each oldest task opens another branch.
	oldestTurn = 64
	// ringTurn is how often, in steps, the ring comes before the deque.
	ringTurn = 4
)

// Processor runs tasks, one after another, on the goroutine of its home, a [Host]. A task receives
// the processor that runs it and queues its follow-up tasks there, where their memory is warm.
// Only the running task's goroutine may call the methods, unless a method says otherwise.
type Processor struct {
	// immutable
	scheduler *Scheduler
	index     int
	parker    parker
	// Local belongs to the creator of the scheduler. Set it before Start.
	Local any

	// tape records what the processor does; nil while nothing is recorded (record.go). No protocol
	// depends on it, so the explorer spends no steps on it.
	tape atomic.Pointer[record.Tape]

	// owner only
	_ pad.Line
	// held has the bits of the priorities, except Normal, whose levels may hold tasks; and
	// carries and uncounted.
	held           uint32
	turns          Turns
	last           Priority // of the task that ran last, while there were several
	counted        operationCount
	probed         int        // index of the processor probed last
	victim         *Processor // of the theft in the present search
	patient        bool       // it searches: steal.go
	passed         int        // how many tasks the present search has passed over
	seen           []place    // of the task that it passed over last, by victim; 0: none
	slotInRow      int
	random         uint64
	handed         *Task
	carried        *Task // the task to run next, before anything else
	yieldTimer     yieldTimer
	freeCoroutines []*Coroutine
	inboxChecked   int    // operations done at the last look at the inbox of Normal
	inboxStep      uint32 // the step that took its task from the inbox, before older tasks here
	buried         buried

	// shared
	_        pad.Line
	slot     slot
	slotOpen atomics.Bool           // thieves may take from the slot
	home     atomics.RelaxedUintptr // identity of the home's goroutine
	host     diagnostic[Host]       // the home, or the next one; written by the giver
	running  diagnostic[Task]       // the running task; written by the home
	retired  atomics.Bool           // out of service, and without a home
	dismiss  atomics.Plain[bool]    // it was taken out of service in its sleep
	_        pad.Line
	offer    Offer
	_        pad.Line
	counters counters
	_        pad.Line                           // thieves read the next words
	level                                       // of Normal
	others   [priorities]atomics.Pointer[level] // of the others, made at first use
}

// counters are written by the processor's home and read by any goroutine.
type counters struct {
	steps, steals, stolen, parks, wakes, searches, polls atomics.RelaxedUint64
	// pauses counts the begins and ends of yields: it is odd during a yield.
	pauses atomics.RelaxedUint64
	// taken counts the tasks taken to be run. That of Normal is incomplete.
	taken [priorities]atomics.RelaxedUint64
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

// Home returns the identity of the goroutine that is the processor's home; 0 before the first home
// runs, after the last has ended, and while the processor changes hosts. Any goroutine.
func (p *Processor) Home() uintptr { return p.home.Load() }

// Running returns the task that is running, nil between tasks. Any goroutine; another goroutine
// may get a value that is out of date.
func (p *Processor) Running() *Task { return p.running.Load() }

// WantsTasks reports whether more processors are parked than this one has tasks for in its deque:
// only then is one more of use to them.
func (p *Processor) WantsTasks() bool {
	parked := p.scheduler.census.parkedCount()
	return parked > 0 && p.deque.Len() < parked
}

// Push queues a task that may run on any processor: last in, first out for this processor, first
// in, first out for thieves.
func (p *Processor) Push(t *Task) {
	p.deque.Push(t)
	if !p.scheduler.census.complete() {
		p.scheduler.wakeFor(p.deque.Len())
	}
}

// PushAt is Push with a priority.
func (p *Processor) PushAt(pr Priority, t *Task) { p.push(p.own(pr), t) }

// Hand makes t the next task of Normal on this processor, before all others of Normal, if none was
// handed yet; otherwise it pushes t. It is for a task that the running task has made ready as its
// last act: no other processor sees t until the running task returns, so the caller must return
// right away.
func (p *Processor) Hand(t *Task) {
	if p.handed == nil {
		p.handed = t
		return
	}
	p.Push(t)
}

// PushNext queues the task to run next on this processor. It takes the slot; the displaced task
// moves to the back of the ring. No processor is woken for the task in the slot until the running
// task has kept it waiting for [SlotPatience].
func (p *Processor) PushNext(t *Task) {
	if old := p.putNext(t); old != nil {
		p.PushBack(old)
	}
}

// putNext puts t into the slot and returns the task that was there.
func (p *Processor) putNext(t *Task) (old *Task) {
	old = p.slot.put(t)
	if old == nil && len(p.scheduler.all()) > 1 {
		p.scheduler.monitor.armFast()
	}
	return old
}

// PushWoken is PushNext, but the displaced task goes to the deque: so of several that are woken one
// after another the newest runs first, and all of them before what has not begun. A thief takes
// them one by one. If there were such tasks in the deque for lifoTurn steps, the displaced task
// goes to the back of the ring; if for twice as many, the oldest have turns: see takeBuried.
func (p *Processor) PushWoken(t *Task) {
	old := p.putNext(t)
	if old == nil {
		return
	}
	p.buried.comes(p.step, p.deque.Len() == 0)
	if p.buried.areOverdue(p.step) {
		p.PushBack(old)
	} else {
		p.Push(old)
	}
}

// PushNextAt is PushNext with a priority. Only tasks of Normal use the slot; PushNextAt pushes
// others to the back of their ring.
func (p *Processor) PushNextAt(pr Priority, t *Task) {
	if pr == Normal {
		p.PushNext(t)
	} else {
		p.PushBackAt(pr, t)
	}
}

// PushSoon is PushNext if the slot is empty, and PushBack otherwise. It is for tasks that come in
// numbers, where no one of them is more urgent.
func (p *Processor) PushSoon(t *Task) {
	if p.slot.filled() {
		p.PushBack(t)
	} else {
		p.PushNext(t)
	}
}

// PushBack queues a task at the back of the ring.
func (p *Processor) PushBack(t *Task) {
	if !p.ring.push(t) {
		p.spill(&p.level, t)
	}
	if !p.scheduler.census.complete() {
		p.scheduler.wakeFor(p.ring.len())
	}
}

// PushBackAt is PushBack with a priority.
func (p *Processor) PushBackAt(pr Priority, t *Task) {
	if pr == Normal {
		p.PushBack(t)
	} else {
		p.pushBack(p.own(pr), t)
	}
}

// Way is how a task that becomes ready is queued on a processor.
type Way uint8

// The ways.
const (
	Back   Way = iota // as [Processor.PushBackAt] does
	Woken             // as [Processor.PushWoken] does; Back for another priority than Normal
	Newest            // as [Processor.PushAt] does
	Soon              // as [Processor.PushSoon] does; Back for another priority than Normal
)

// QueueAt queues a task that has become ready. p is the processor that the calling goroutine is of,
// nil if it is of none. If p is one of the scheduler's, the task is queued there; otherwise it is
// injected.
func (s *Scheduler) QueueAt(p *Processor, w Way, pr Priority, t *Task) {
	switch {
	case p == nil || p.scheduler != s:
		s.InjectAt(pr, t)
	case w == Woken && pr == Normal:
		p.PushWoken(t)
	case w == Newest:
		p.PushAt(pr, t)
	case w == Soon && pr == Normal:
		p.PushSoon(t)
	default:
		p.PushBackAt(pr, t)
	}
}

// takeSlot takes the task from the slot; nil if the slot is empty, or if it is the turn of the
// other queues.
func (p *Processor) takeSlot() *Task {
	if p.slotInRow >= slotRuns {
		p.slotInRow = 0
		return nil
	}
	return p.takeSlotAnyway()
}

// takeSlotAnyway takes the task from the slot; nil if the slot is empty. A new task in the slot is
// closed to thieves until it has waited itself.
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

// hasWork reports whether a thief could find a task here at some instant of the call. Any
// goroutine.
func (p *Processor) hasWork() bool {
	for _, pr := range byRank {
		if l := p.levelOf(pr); l != nil && l.hasWork() {
			return true
		}
	}
	return !p.offer.Empty() || p.slot.filled() && p.slotOpen.Load()
}
