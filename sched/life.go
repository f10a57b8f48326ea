package sched

import (
	"runtime/debug"
	"sync"

	"github.com/freerun-go/freerun/internal/goid"
)

// homes has the processor of each goroutine that is one, of all schedulers in the process.
var homes sync.Map // goid → *Processor

// Current returns the processor whose goroutine is running, nil on any other goroutine.
func Current() *Processor {
	if p, ok := homes.Load(goid.ID()); ok {
		return p.(*Processor)
	}
	return nil
}

// live is the goroutine of a processor. If a task ends it with runtime.Goexit, another goroutine takes its place.
func (p *Processor) live() {
	id := goid.ID()
	homes.Store(id, p)
	p.home.Store(id)
	ended := false
	defer func() {
		p.home.Store(0) // not later: Go gives the identity of a goroutine that has ended to another
		homes.Delete(id)
		if !ended {
			go p.live()
			return
		}
		p.ended.Store(true)
		if p.scheduler.alive.Add(-1) == 0 {
			close(p.scheduler.exited)
		}
	}()
	for !p.work() {
	}
	ended = true
}

// work runs tasks until the scheduler quits, and returns true then; false after a panic was recovered.
func (p *Processor) work() (ended bool) {
	defer p.catch()
	for {
		t := p.next()
		if t == nil {
			if t = p.rest(); t == nil {
				return true
			}
		}
		p.run(t)
	}
}

// run runs one task.
func (p *Processor) run(t *Task) {
	p.counters.steps.Add(1)
	p.running = t
	t.Kind.Run(p, t)
	p.running = nil
}

// catch is deferred around the tasks: it recovers a panic, and notices a Goexit.
func (p *Processor) catch() {
	t := p.running
	p.running = nil
	crashed := p.scheduler.config.Crashed
	if t == nil || crashed == nil {
		return
	}
	value := recover()
	crashed(p, t, value, debug.Stack())
}

// rest finds a task elsewhere, or parks until there is one. It returns nil when the scheduler quits and nothing is left.
func (p *Processor) rest() *Task {
	s := p.scheduler
	for searching := s.census.beginSearch(); ; searching = true {
		if searching {
			if t := p.search(); t != nil {
				return t
			}
		}
		if s.quitting() || !p.park(searching) {
			return p.lastLook()
		}
	}
}

// lastLook finds a task for a processor that would end otherwise.
func (p *Processor) lastLook() *Task {
	if t := p.next(); t != nil {
		return t
	}
	return p.raid()
}

// park sleeps until somebody wakes this processor, as a searcher, and returns true; false if the scheduler quits. The steps are
// those of the parking protocol in gate.go.
func (p *Processor) park(searching bool) bool {
	s := p.scheduler
	p.slot.forget()
	p.offer.slot.forget()
	p.counters.parks.Add(1)                                                 // before anybody can see it parked
	s.parked.raise(p.index)                                                 // P1
	noneSearching, noneAwake := s.census.leave(searching)                   // P2
	if noneSearching && s.hasWork() && s.census.summon(len(s.processors)) { // P3
		if s.parked.lower(p.index) {
			return true
		}
		s.sendToken() // somebody woke this processor already: wake another
	} else if noneAwake {
		s.idle.tell()
	}
	return p.bed.sleep(s.quit) // P4
}
