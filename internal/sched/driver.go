package sched

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
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
// that time decides instead (driver_timed.go).

const slotSkips = 4

// ErrStalled says that tasks wait in their middle, or something is not settled, though nothing is
// left to run.
var ErrStalled = errors.New("sched: nothing is left to run, and not all is done")

// driver runs the hosts of a deterministic scheduler.
type driver struct {
	choose  func(ready []*Processor) int
	driving atomics.Bool
	hosts   []*Host      // those that have not ended, oldest first
	ready   []*Processor // scratch space of next
	// skipped counts for each processor how often it was ready, with a task in its slot, and not
	// chosen.
	skipped []int

	// where time is simulated (driver_timed.go)
	timed    Timed // nil otherwise
	nextLook time.Duration
	until    func() bool // the condition of Drive
	chosen   *Host       // chosen by a host to go on next; nil: the driver chooses
}

func newDriver(config Config) *driver {
	return &driver{choose: config.Choose, timed: config.Timed}
}

// letDriverChoose has the driver choose who goes on, and reports true; false if there is no driver.
// It returns to the driver unless the choice is this host again.
func (p *Processor) letDriverChoose() bool {
	if p.scheduler.driver == nil {
		return false
	}
	if h := p.host.Load(); !p.scheduler.driver.keepsTurn(h) {
		h.passToDriver()
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
	onFreeThread(func() { reached = s.drive(until) })
	return reached
}

func (s *Scheduler) drive(until func() bool) bool {
	d := s.driver
	if d == nil {
		panic("sched: Drive of a scheduler without Choose")
	}
	if !d.driving.CompareAndSwap(false, true) {
		panic("sched: Drive by two goroutines at a time, or by a task")
	}
	d.until = until
	if d.timed != nil {
		d.timed.Enter()
	}
	defer func() {
		d.until = nil
		d.driving.Store(false)
	}()
	for {
		h := d.chosen
		if d.chosen = nil; h == nil {
			if until != nil && until() {
				return true
			}
			if h = d.next(s); h == nil {
				return false
			}
		}
		d.run(h)
	}
}

// next returns the host to resume: the home of the processor that is chosen, or, if no processor
// is ready, the oldest host that ends or has lost its processor; nil if none can go on.
func (d *driver) next(s *Scheduler) *Host {
	d.ready = d.ready[:0]
	for _, p := range s.all() {
		if h := p.host.Load(); h != nil && h.driven.isReady() {
			d.ready = append(d.ready, p)
		}
	}
	if len(d.ready) > 0 {
		i := d.choose(d.ready)
		if i < 0 || i >= len(d.ready) {
			panic("sched: Choose returned an index out of range")
		}
		chosen := d.ready[i]
		if d.timed != nil {
			d.lookAtSlots(s)
		} else {
			d.openSlots(chosen)
		}
		return chosen.host.Load()
	}
	for _, h := range d.hosts {
		if h.driven.isReady() {
			return h
		}
	}
	return nil
}

// openSlots opens the slots of processors that were ready and passed over more than slotSkips times
// in a row.
func (d *driver) openSlots(chosen *Processor) {
	for _, p := range d.ready {
		for len(d.skipped) <= p.index {
			d.skipped = append(d.skipped, 0)
		}
		switch n := &d.skipped[p.index]; {
		case p == chosen || !p.slot.filled():
			*n = 0
		case *n < slotSkips:
			*n++
		default:
			p.openSlot()
		}
	}
}

// run resumes a host until it returns to the driver, and forgets it if it has ended.
func (d *driver) run(h *Host) {
	_, alive := h.driven.resume()
	if h.driven.exiting {
		alive = false
		gone := make(chan struct{})
		go func() { // which ends as the coroutine does
			defer close(gone)
			h.driven.stop()
		}()
		<-gone
	}
	if !alive {
		d.hosts = slices.DeleteFunc(d.hosts, func(other *Host) bool { return other == h })
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
