package sched

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// A deterministic scheduler. The code that runs is that of every scheduler; what differs is where a goroutine sleeps. The hosts are coroutines,
// which return to the driver
//
//	between two tasks, and where a busy processor would let other goroutines run (Spend, and between two looks of a searcher)
//	when they sleep: in a processor's bed, as a spare, or waiting for a strand
//
// and the driver resumes one whose sleep is over, as long as there is one. So one goroutine runs at a time, and which one is chosen
// outside. Nothing else that is not the same each time decides anything: not time (the watch is never wound, nobody takes a breath by the clock), not
// addresses, not the identities of goroutines, not the order of maps. The same choices over the same tasks are the same run.
//
// A task that blocks blocks the driver. One that leaves its processor runs on without returning to the driver, unless it ends: its
// processor's other tasks come after it.
//
// Instead of by the clock, the slot of a processor is opened to thieves when the processor could have gone on and was passed over slotTurns times; where time is
// simulated, by that.

const slotSkips = 4

// ErrStalled says that tasks wait in their middle, or that something is not settled, though nothing is left to run.
var ErrStalled = errors.New("sched: nothing is left to run, and not all is done")

// driver runs the hosts of a deterministic scheduler.
type driver struct {
	choose  func(ready []*Processor) int
	driving atomics.Bool
	hosts   []*Host      // those that have not ended, oldest first
	ready   []*Processor // to be used again
	skipped []int        // of each processor: how often it was ready, with something in its slot, and not chosen

	// where time is simulated (timed.go)
	timed    Timed // nil otherwise
	nextLook time.Duration
	until    func() bool // the condition of Drive
	chosen   *Host       // by a host, to go on next; nil if the driver is to choose
}

func newDriver(config Config) *driver {
	return &driver{choose: config.Choose, timed: config.Timed}
}

// letDriverChoose returns to the driver, if there is one.
func (p *Processor) letDriverChoose() bool {
	if p.scheduler.driver == nil {
		return false
	}
	if h := p.host.Load(); !p.scheduler.driver.keepsTurn(h) {
		h.passToDriver()
	}
	return true
}

// Pause lets the driver of a deterministic scheduler choose who goes on, in the middle of a task. By the running task only; nothing
// happens in other schedulers.
func (p *Processor) Pause() { p.letDriverChoose() }

// Drive runs the tasks of a deterministic scheduler until the condition holds, which is looked at between any two turns, or nothing is left that could run.
// It reports whether the condition held; nil never does. One goroutine at a time, and no task; what is queued from outside meanwhile must be
// queued by the condition.
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

// next returns the host whose turn it is, nil if none can go on: the home of the processor that is chosen, or, if no processor can go on, the oldest of
// the hosts that end or have lost their scheduler.
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

// openSlots opens the slots of processors that were passed over too often.
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

// run gives a host its turn.
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

// driveIdle is AwaitIdle of a deterministic scheduler. Nothing happens but here, so there is nothing to wait for when nothing is left to run.
func (s *Scheduler) driveIdle(ctx context.Context, settled func() bool) error {
	s.Drive(nil)
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

// driveToEnd runs what is left when the scheduler is stopped. What has not returned when nothing can run does not return: the time of Stop expires.
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
