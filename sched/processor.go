package sched

import (
	"github.com/freerun-go/freerun/deque"
	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/pad"
	"github.com/freerun-go/freerun/queue"
)

const (
	// slotRuns is how many times in a row a processor takes its next task from its slot while it has other work: two units
	// that talk to each other must not starve the rest.
	slotRuns = 16
	// glance is how often, in steps, a processor looks at the inbox before anything else, so that tasks from outside do not
	// wait for ever behind what the processor makes itself.
	glance = 61
	// reach is how often, in glances, it takes the oldest task of its own deque, for the same reason. Rarely: to run a
	// tree of tasks last in first out keeps few of them in the queue, and each reach opens another branch.
	reach = 64
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
	thief     deque.GrowableThief[Task]
	bed       bed
	// Local is for whoever made the scheduler: set it before Start.
	Local any

	// owner only
	_         pad.Line
	step      uint32
	slotInRow int
	random    uint64
	handed    *Task
	breath    breath

	// shared
	_        pad.Line
	slot     slot
	slotOpen atomics.Bool                // the running task has kept the slot waiting: thieves may take from it
	home     atomics.Uintptr             // the identity of the goroutine that is its home
	host     diagnostic[Host]            // that home, or the one that it is given to; written by who gives it
	running  diagnostic[Task]            // written by the home
	share    atomics.Pointer[queue.Node] // taken from the inbox, not yet in the ring; oldest first
	_        pad.Line
	offer    Offer
	_        pad.Line
	counters counters
	ring     ring
	deque    *deque.Growable[Task]
}

// counters are written by the processor and read by anybody.
type counters struct {
	steps, steals, stolen, parks, breaths atomics.RelaxedUint64
}

func newProcessor(s *Scheduler, index int) *Processor {
	d := deque.NewGrowable[Task]()
	return &Processor{
		offer:     Offer{scheduler: s},
		scheduler: s,
		index:     index,
		deque:     d,
		thief:     d.Thief(),
		bed:       newBed(),
		random:    uint64(index)*0x9e3779b97f4a7c15 + 1,
		breath:    newBreath(),
	}
}

// Index returns the number of the processor, from 0. Any goroutine.
func (p *Processor) Index() int { return p.index }

// Home returns the identity of the goroutine that is the processor's home now, 0 if there is none: before the first one runs, after the
// last one has ended, and while one takes the place of another. Any goroutine.
func (p *Processor) Home() uintptr { return p.home.Load() }

// Running returns the task that runs now, nil between tasks.
func (p *Processor) Running() *Task { return p.running.Load() }

// SomeIdle reports whether some processor is parked, at some instant of the call.
func (p *Processor) SomeIdle() bool { return p.scheduler.census.awake() < len(p.scheduler.processors) }

// Push queues a task that may run anywhere, last in first out for this processor, first in first out for thieves.
func (p *Processor) Push(t *Task) {
	p.deque.Push(t)
	p.scheduler.wakeOne()
}

// Hand makes t the task that this processor runs next, before all others, if it has none such yet; otherwise it pushes t. It is
// for a task that became ready by what the running task did last: nobody sees t until the running task returns, so the
// caller must see to it that it does so right away.
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
	if len(p.scheduler.processors) > 1 {
		p.scheduler.watch.wind()
	}
}

// PushBack queues a task behind all that is in the ring.
func (p *Processor) PushBack(t *Task) {
	if !p.ring.push(t) {
		p.spill(t)
	}
	p.scheduler.wakeOne()
}

// spill moves the older half of the full ring to the inbox, for everybody, and queues t.
func (p *Processor) spill(t *Task) {
	for {
		if newest, oldest := p.ring.takeHalf(); newest != nil {
			p.scheduler.inbox.AddChain(&newest.Node, &oldest.Node)
		}
		if p.ring.push(t) {
			return
		}
	}
}

// next picks the task to run, from what this processor can reach without looking at the others: nil if there is none.
func (p *Processor) next() *Task {
	p.step++
	if t := p.handed; t != nil {
		p.handed = nil
		if p.step%glance != 0 {
			return t
		}
		p.Push(t) // a chain of such tasks must not keep the others waiting
	}
	if p.step%glance == 0 {
		if t := p.lookUp(); t != nil {
			return t
		}
	}
	if t := p.takeSlot(); t != nil {
		return t
	}
	if p.step%ringTurn == 0 {
		if t := p.ring.pop(); t != nil {
			return t
		}
	}
	if t, ok := p.deque.Pop(); ok {
		return t
	}
	if t := p.ring.pop(); t != nil {
		return t
	}
	if t := p.takeSlotAnyway(); t != nil {
		return t
	}
	return p.takeShared()
}

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

// lookUp takes what may have waited long: from the inbox, now and then from the thieves' end of the deque.
func (p *Processor) lookUp() *Task {
	if p.step%(glance*reach) == 0 {
		if t, _ := p.thief.Steal(); t != nil {
			return t
		}
	}
	return p.takeShared()
}

// takeShared takes a task from this processor's share of the inbox, or from the inbox, and moves a ringful of those
// behind it to the ring.
func (p *Processor) takeShared() *Task {
	var list *queue.Node
	if p.share.Load() != nil {
		list = p.share.Swap(nil)
	}
	if list == nil {
		list = p.scheduler.inbox.TakeAll()
	}
	return p.unpack(list)
}

// unpack returns the first task of a list that nobody else sees, puts as many as are welcome into the ring, and lays the
// rest open as this processor's share. The share must be empty.
func (p *Processor) unpack(list *queue.Node) *Task {
	if list == nil {
		return nil
	}
	first, list := cut(list)
	if list == nil {
		return first
	}
	for room := min(p.ring.free(), ringSize/2); room > 0 && list != nil; room-- {
		var t *Task
		t, list = cut(list)
		p.ring.push(t)
	}
	if list != nil {
		p.share.Store(list)
	}
	p.scheduler.wakeOne()
	return first
}

// hasWork reports whether somebody could find a task here, at some instant of the call. Any goroutine.
func (p *Processor) hasWork() bool {
	return !p.ring.empty() || !p.thief.Empty() || !p.offer.Empty() || p.share.Load() != nil || p.slot.filled() && p.slotOpen.Load()
}
