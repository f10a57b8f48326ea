package sched

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// A deterministic scheduler. It runs the code of every scheduler; only the sleeping of goroutines
// differs. Its hosts are coroutines (driven_host.go), which return to the driver
//
//	between two tasks, and where a busy processor would let other goroutines run: in Spend, and
//	between two looks of a searcher
//	in the middle of a task that calls Pause
//	when they sleep: in a processor's parker, as a spare, or in a suspension
//
// The driver resumes a host whose sleep is over, for as long as there is one. So one goroutine runs
// at a time, and Config.Choose decides which one. Nothing else that varies decides anything: not
// time (the monitor is never armed, no processor yields by the clock), not addresses, not the
// identities of goroutines, not the order of maps. The same choices over the same tasks are the
// same run.
//
// A task that blocks also blocks the driver. A task that leaves its processor runs on without
// returning to the driver, until it ends; its processor's other tasks come after it.
//
// The slot of a processor is opened to thieves when the processor was passed over more than
// slotSkips times in a row, each time ready and with a task in the slot. Where time is simulated,
// that time decides instead (lookAtSlots).

const slotSkips = 4

// ErrStalled says that tasks wait in their middle, or something is not settled, though nothing is
// left to run.
var ErrStalled = errors.New("sched: nothing is left to run, and not all is done")

// driver runs the hosts of a deterministic scheduler.
type driver struct {
	choose  func(ready []int) int
	driving atomics.Bool
	hosts   []*Host // those that have not ended, oldest first
	ready   []int   // scratch space of next: the numbers of those that can go on
	// skipped counts for each processor how often it was ready, with a task in its slot, and not
	// chosen.
	skipped []int

	// where time is simulated (Timed, driver_outside.go)
	timed    Timed // nil otherwise
	nextLook time.Duration
	until    func() bool // the condition of Drive
	chosen   *drivenHost // chosen by a host to go on next; nil: the driver chooses
	outside  outsiders

	tries tries[*Task] // driver_tries.go
}

func newDriver(config Config) *driver {
	d := &driver{choose: config.Choose, timed: config.Timed}
	if config.Outside {
		d.outside.add(&Outsider{driver: d, index: config.Processors, goroutine: goid.ID()})
	}
	return d
}

// letDriverChoose has the driver choose who goes on, and reports true; false if there is no driver.
// It returns to the driver unless the choice is this host again.
func (p *Processor) letDriverChoose() bool {
	if p.scheduler.driver == nil {
		return false
	}
	d := p.scheduler.driver
	if h := p.host.Load(); !d.keepsTurn(h) {
		h.passToDriver()
	}
	if t := p.running.Load(); t != nil { // no searcher
		d.tries.resumed(t)
	}
	return true
}

// Pause lets the driver of a deterministic scheduler choose which processor goes on, in the middle
// of a task. On other schedulers it does nothing. By the running task only.
func (p *Processor) Pause() { p.letDriverChoose() }

// Drive runs the tasks of a deterministic scheduler until the condition holds or nothing is left
// that could run. It checks the condition between any two choices and reports whether it held; a
// nil condition never does. One goroutine at a time, and no task. While Drive runs, no other
// goroutine may queue tasks; the condition may.
func (s *Scheduler) Drive(until func() bool) (reached bool) {
	if d := s.driver; d != nil && d.timed != nil {
		d.timed.Enter() // here, as it may ask which goroutine this is
	}
	onFreeThread(func() { reached = s.drive(until) })
	return reached
}

func (s *Scheduler) drive(until func() bool) bool {
	d := s.driver
	if d == nil {
		panic("sched: Drive of a scheduler without Choose")
	}
	if o := d.outside.current; o != nil && o.resume != nil {
		panic("sched: a goroutine of Host.Go closes the runtime; the one that made the runtime must")
	}
	if !d.driving.CompareAndSwap(false, true) {
		panic("sched: Drive by two goroutines at a time, or by a task")
	}
	caller := d.outside.current // no task is an outsider
	d.tries.ran = true          // the caller
	d.until, d.outside.away, d.outside.current = until, true, nil
	defer func() {
		d.until, d.outside.away, d.outside.current = nil, false, caller
		d.driving.Store(false)
	}()
	return d.goOn(s, nil)
}

// goOn resumes hosts until the condition of Drive holds or it is me's turn, and returns true, or
// until nothing can go on.
func (d *driver) goOn(s *Scheduler, me *drivenHost) bool {
	for {
		t := d.chosen
		if d.chosen = nil; t == nil {
			if d.until != nil && d.until() {
				return true
			}
			d.tries.wakeDue()
			if t = d.next(s); t == nil {
				return false
			}
		}
		if d.isDue() {
			d.timed.Happen()
			d.tries.ran = true
		}
		if t == me {
			return true
		}
		d.run(t)
	}
}

// next returns the host to resume: the home of the processor that is chosen, or, if no processor
// is ready, the oldest host that ends or has lost its processor; nil if none can go on.
func (d *driver) next(s *Scheduler) *drivenHost {
	d.tries.choices++
	d.ready = d.ready[:0]
	for _, p := range s.all() {
		if h := p.host.Load(); h != nil && h.driven.isReady() {
			d.ready = append(d.ready, p.index)
		}
	}
	d.ready = d.outside.appendReady(d.ready)
	if len(d.ready) > 0 {
		i := d.choose(d.ready)
		if i < 0 || i >= len(d.ready) {
			panic("sched: Choose returned an index out of range")
		}
		chosen := d.ready[i]
		if d.timed != nil {
			d.lookAtSlots(s)
		} else {
			d.openSlots(s, chosen)
		}
		if o := d.outside.numbered(chosen); o != nil {
			return &o.drivenHost
		}
		return s.all()[chosen].host.Load().driven
	}
	for _, h := range d.hosts {
		if h.driven.isReady() {
			return h.driven
		}
	}
	return nil
}

// openSlots opens the slots of processors that were ready and passed over more than slotSkips times
// in a row.
func (d *driver) openSlots(s *Scheduler, chosen int) {
	for _, i := range d.ready {
		p := s.all()[i]
		for len(d.skipped) <= p.index {
			d.skipped = append(d.skipped, 0)
		}
		switch n := &d.skipped[p.index]; {
		case i == chosen || !p.slot.filled():
			*n = 0
		case *n < slotSkips:
			*n++
		default:
			p.openSlot()
		}
	}
}

// run resumes a host until it returns to the driver, and forgets it if it has ended.
func (d *driver) run(t *drivenHost) {
	_, alive := t.resume()
	if t.exiting {
		alive = false
		gone := make(chan struct{})
		go func() { // which ends as the coroutine does
			defer close(gone)
			t.stop()
		}()
		<-gone
	}
	if !alive {
		d.hosts = slices.DeleteFunc(d.hosts, func(other *Host) bool { return other.driven == t })
	}
}

// driveIdle is AwaitIdle of a deterministic scheduler. Tasks run only in this call, so there is
// nothing to wait for when nothing is left to run. Between two tasks it looks at ctx.
func (s *Scheduler) driveIdle(ctx context.Context, settled func() bool) error {
	var canceled func() bool
	if ctx.Done() != nil {
		canceled = func() bool { return ctx.Err() != nil }
	}
	s.Drive(canceled)
	switch {
	case s.isIdle() && settled():
		return nil
	case s.stopping.Load():
		return ErrStopped
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return ErrStalled
}

// driveToEnd runs the tasks that are left when the scheduler is stopped. A task that has not
// returned when nothing can run never will. Then the channel that driveToEnd returns is closed, so
// that Stop does not wait for it.
func (s *Scheduler) driveToEnd() (expired <-chan time.Time) {
	s.Drive(nil)
	if s.alive.Load() == 0 {
		return nil
	}
	s.finish()
	s.Drive(nil)
	now := make(chan time.Time)
	close(now)
	return now
}

// What differs where time is simulated.

// Timed is the clock of a deterministic scheduler, for programs that simulate how long its tasks
// would take. With it, [Config.Choose] has to choose the ready processor whose simulated time is
// furthest behind. The methods are called while one goroutine runs at a time; they must not use the
// scheduler.
type Timed interface {
	// Now returns how much time has passed. It never decreases.
	Now() time.Duration
	// Enter is called when Drive begins. The caller of Drive may have queued tasks before.
	Enter()
	// Stole is called when a processor has stolen from a victim, with the number of tasks that the
	// thief has stolen so far.
	Stole(thief, victim *Processor, tasks uint64)
	// Due reports whether something is due at the present time. The driver calls it after each
	// choice, as time passes there.
	Due() bool
	// Happen has all happen that is due. The driver calls it, before what it has chosen goes on. It
	// may queue tasks.
	Happen()
}

// isDue reports whether Timed has something happen before the chosen one goes on.
func (d *driver) isDue() bool { return d.timed != nil && d.timed.Due() }

// tellStolen tells the scheduler's Timed, if there is one, that p has stolen from victim.
func (p *Processor) tellStolen(victim *Processor) {
	if d := p.scheduler.driver; d != nil && d.timed != nil {
		d.timed.Stole(p, victim, p.counters.stolen.Load())
	}
}

// lookAtSlots opens slots as the monitor would. Each SlotPatience it opens the filled slots of
// processors that have run the same task since the last look.
func (d *driver) lookAtSlots(s *Scheduler) {
	if now := d.timed.Now(); now >= d.nextLook {
		d.nextLook = now + SlotPatience
		s.monitor.openSlots()
	}
}

// keepsTurn makes the driver's next choice on the host h, and reports whether the choice is h
// again. Then the driver needs no switch to and fro. With simulated time and few processors most
// choices are h, and a measurement of one processor should not measure switches.
func (d *driver) keepsTurn(h *Host) bool {
	// The driver asks until as well, and wakes those that try.
	if d.timed == nil || d.tries.areDue() || d.until != nil && d.until() {
		return false
	}
	next := d.next(h.scheduler)
	if next == h.driven && !d.isDue() {
		return true
	}
	d.chosen = next
	return false
}

// What tasks call that try (driver_tries.go).

// Tries is told that a task of a deterministic scheduler is about to try, for the first time, what
// it cannot have at once. By that task.
func (s *Scheduler) Tries(t *Task) { s.driver.tries.begins(t) }

// TriesAgain is told that a task which was woken comes to try once more. By that task, or by the
// goroutine that runs it when it was discarded.
func (s *Scheduler) TriesAgain(t *Task) { s.driver.tries.comes(t) }

// TriedInVain is told that the task has tried in vain. AwaitChange follows. By that task.
func (s *Scheduler) TriedInVain(t *Task) { s.driver.tries.fails(t) }

// AwaitChange has the driver call wake when something has run that may have changed the outcome of
// a try. wake queues the task, which calls [Scheduler.TriesAgain] then. By the processor that has
// left the task.
func (s *Scheduler) AwaitChange(t *Task, wake func()) {
	x := &s.driver.tries
	x.waiting = append(x.waiting, try[*Task]{t, wake})
}

// InVain reports whether there are tasks that wait so (some), and whether they have been all that
// has run since the last call, each in vain. By the goroutine that drives, while it does not.
func (s *Scheduler) InVain() (some, all bool) { return s.driver.tries.inVain() }

// TryAll wakes all tasks that wait so: they are to end. On other schedulers it does nothing. While
// no task runs, or by one.
func (s *Scheduler) TryAll() {
	if s.driver != nil {
		s.driver.tries.wake()
	}
}
