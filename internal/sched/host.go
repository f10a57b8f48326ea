package sched

import (
	"runtime/debug"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/blockhook"
	"github.com/freerun-go/freerun/internal/sys/goid"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// Host is a goroutine that runs tasks. It is the home of at most one processor at a time, and a
// processor has at most one home. A host is in one of three states:
//
//	at home    it has a processor: it runs the processor's tasks, one after another, or sleeps in
//	           the processor's parker
//	away       it runs one task without a processor: the task left it ([Processor.Leave]) or waits
//	           ([Suspension.Wait])
//	spare      it has neither, and waits for a processor (spare.go); a few spares are kept
//
// A processor moves from one host to another with all its queues. The new home sees all that the
// old home did, because the processor passes through the new home's parker.
type Host struct {
	// immutable
	scheduler *Scheduler
	number    uint64
	driven    *drivenHost // of a deterministic scheduler, nil otherwise
	// Local belongs to the creator of the scheduler; [Config.Hosted] sets it. It stays the same
	// for as long as the goroutine lives.
	Local any

	// owner only
	id        uintptr
	processor *Processor // the processor whose home this is, or nil
	lock      threadlock.Lock
	reported  bool // [Config.Locked] was told of the running task; see locked.go
	leaving   bool // the goroutine ends, because it is locked

	// shared
	away   diagnostic[Task] // the task that runs here without a processor; written by the owner
	base   base             // for the coroutine that runs in place of the host's own stack
	parker hostParker
	trace  atomics.RelaxedUint64 // the goroutine's number in stack traces, 0 before it runs
}

// hostParker is where a host without a processor sleeps until it gets one.
type hostParker struct {
	parker
	processor atomics.Plain[*Processor] // written before unpark, read after park
}

// Processor returns the processor whose home the host is, nil if its task has left it. On the
// host's goroutine only.
func (h *Host) Processor() *Processor { return h.processor }

// Scheduler returns the scheduler that the host belongs to. Any goroutine.
func (h *Host) Scheduler() *Scheduler { return h.scheduler }

// Host returns the host on whose goroutine the processor runs. On that goroutine only.
func (p *Processor) Host() *Host { return p.host.Load() }

// Task returns the task that the host runs, nil between tasks. On the host's goroutine only.
func (h *Host) Task() *Task {
	if h.processor != nil {
		return h.processor.Running()
	}
	return h.away.Load()
}

// launch starts a new host for a processor that has no home. Any goroutine that the scheduler
// waits for.
func (s *Scheduler) launch(p *Processor) {
	s.alive.Add(1)
	h := s.newHost()
	p.host.Store(h)
	s.spawn(h, func() { h.live(p) })
}

func (s *Scheduler) newHost() *Host {
	h := &Host{scheduler: s, number: s.hosted.Add(1), lock: threadlock.Never, parker: hostParker{parker: newParker()}}
	h.base.host = h
	if s.config.Hosted != nil {
		s.config.Hosted(h)
	}
	return h
}

// live is the body of the host's goroutine, which begins with processor p. Stack traces show its
// name.
func (h *Host) live(p *Processor) {
	s := h.scheduler
	h.id, h.lock = goid.ID(), threadlock.Mine()
	h.trace.Store(goroutineNumber())
	me := &registration{id: h.id, host: h}
	registerMe(me)
	if p.counters.steps.Load() == 0 { // the processor kept nothing from others before
		p.yieldTimer = newYieldTimer()
	}
	blockhook.Announce(true)
	defer func() {
		// After a Goexit, or when a locked host ends, another host takes the processor. The
		// processor must leave this goroutine before the goroutine ends: Go then gives its
		// identity to another one.
		if p := h.processor; p != nil {
			h.release(p)
			s.handOff(p)
		}
		h.endAway()
		unregister(me)
		blockhook.Announce(false)
		s.dropHints()
		if s.alive.Add(-1) == 0 {
			close(s.exited)
		}
	}()
	for p != nil {
		h.acquire(p)
		for h.processor != nil && !h.leaving {
			h.work()
		}
		if h.leaving {
			return
		}
		p = h.standBy()
	}
}

// acquire makes the host the home of p, which has none.
func (h *Host) acquire(p *Processor) {
	h.processor = p
	if co := h.base.running.Load(); co != nil {
		p.home.Store(co.id.Load())
	} else {
		p.home.Store(h.id)
	}
}

// release leaves p without a home. The caller hands p off to another host, or ends it.
func (h *Host) release(p *Processor) {
	h.processor = nil
	p.running.Store(nil)
	p.home.Store(0)
	p.host.Store(nil)
}

// endAway counts the host's task as no longer away, if it was.
func (h *Host) endAway() {
	if h.away.Load() == nil {
		return
	}
	h.away.Store(nil)
	if s := h.scheduler; s.census.removeAway() {
		s.wentIdle()
	}
}

// work runs tasks until the host loses its processor, is locked to its thread, or has recovered a
// panic.
func (h *Host) work() {
	defer h.catch()
	p, driven := h.processor, h.driven != nil
	for {
		t := p.next()
		if t == nil {
			var out bool
			if t, out = p.rest(); t == nil {
				h.retire(p, out)
				return
			}
		}
		p.begin(t)
		if driven {
			p.scheduler.driver.tries.resumed(t)
		}
		t.Kind.Run(p, t)
		if h.lock.Held() && h.leaveLocked() {
			return
		}
		if h.processor != p { // the task left it
			if p = h.processor; p == nil {
				h.endAway()
				return
			}
		}
		p.running.Store(nil)
		if driven && !p.scheduler.driver.keepsTurn(h) {
			h.driven.passToDriver()
		}
		if p.counters.steps.Load()%surplusTurn == 0 && p.isSurplus() {
			p.tellResting()
			p.giveAway()
			p.withdraw(false)
			h.retire(p, true)
			return
		}
	}
}

// begin notes that t runs.
func (p *Processor) begin(t *Task) {
	p.counters.steps.Add(1)
	p.running.Store(t)
}

// catch is deferred around the tasks. It recovers a panic, or notices a Goexit, and tells
// [Config.Crashed]. Without Crashed the panic passes on.
func (h *Host) catch() {
	t := h.Task()
	crashed := h.scheduler.config.Crashed
	if t == nil {
		return
	}
	if crashed == nil {
		if h.lock.Held() {
			h.leaveLocked()
		}
		return
	}
	if h.processor != nil {
		h.processor.running.Store(nil)
	}
	value := recover()
	crashed(h, t, value, debug.Stack())
	if h.lock.Held() && h.leaveLocked() {
		return
	}
	h.endAway()
}

// give hands p, which has no home, over to h; a nil p ends the wait without a processor. It does
// not wait. h's parker must be empty, and h must be asleep in it or about to sleep.
func (h *Host) give(p *Processor) {
	if p != nil {
		p.host.Store(h)
	}
	h.parker.processor.Set(p)
	h.parker.unpark()
}

// take waits for the processor that is given to h (given is true), or until quit is closed (given
// is false).
func (h *Host) take(quit *closeSignal) (p *Processor, given bool) {
	if !h.parker.park(h, quit) {
		return nil, false
	}
	return h.parker.processor.Take(), true
}

// mustBeHome returns the host that is p's home. It panics on another goroutine.
func (p *Processor) mustBeHome(what string) *Host {
	if !p.isHome() {
		panic("sched: " + what + " on a goroutine that is not the processor's")
	}
	return p.host.Load()
}

// isHome reports whether the calling goroutine is p's home. Any goroutine.
func (p *Processor) isHome() bool { return p.Home() == goid.ID() }
