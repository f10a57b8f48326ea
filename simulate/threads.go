package simulate

import (
	"math"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// thread is one of the threads that run processors and goroutines outside, in the second model: a P
// of Go's scheduler. What does not wait is run by one thread, is next on one, or is in the queue.
type thread struct {
	runs    *processor // nil if it runs nothing: then state tells what it does
	next    *processor // woken by what it runs: comes next when that waits or yields
	yielded float64    // when it has begun to run what it runs, or that has yielded last
	state   threadState
	until   float64 // when the state ends, but for asleep
}

// threadState is what a thread does that runs nothing.
type threadState uint8

const (
	asleep   threadState = iota
	rising               // it has been woken, and does not run yet
	spinning             // it looks for something to run, before it sleeps
	// It has seen what is next on another thread, and leaves it to that one for a while: Go has it
	// sleep for some microseconds.
	napping
)

// place is where threads have a processor, or a goroutine outside.
type place uint8

const (
	nowhere place = iota // it waits
	queued               // it is in the queue, or next on a thread
	running              // a thread runs it
)

// threads are the threads of the simulated machine. They follow the rules of Go's scheduler:
//
//	G1  what is woken by a goroutine comes next on its thread
//	G2  if nothing else looks for work then, a thread that is asleep is woken, at the waker's cost
//	G3  when a goroutine waits, its thread runs what is next, or else the head of the queue
//	G4  otherwise the thread looks around, and takes what is next on another one after a nap
//	G5  it sleeps if it has found nothing for some microseconds
//
// and by those of processors (internal/sched/yield_timer.go):
//
//	Y1  a busy processor yields each sched.YieldAfter, a searcher after each look: what is next
//	    goes on in its place, or else the head of the queue, at whose end the processor comes
//	Y2  a processor that has woken a goroutine outside, and nothing since, yields to it at once,
//	    or when sched.PauseAfterWoken has passed since the end of the last such yield; Y1 is due
//	    as if there had been none
//
// Unlike the real one, a processor that yields by Y2 comes behind all that is queued, and one that
// yields by Y1 for long keeps neither yield back. The yield itself takes no time.
type threads struct {
	all   []*thread
	queue []*processor // can go on, and no thread runs them; oldest first
	fixed bool         // there are no more with further goroutines
	first uint64       // the turn at which the threads have begun
}

// newThreads returns so many threads, or, for 0, one for each processor, to which those of further
// goroutines are added.
func newThreads(n, processors int) *threads {
	x := &threads{fixed: n > 0}
	for range max(n, 1) {
		x.add()
	}
	for !x.fixed && len(x.all) < processors {
		x.add()
	}
	return x
}

func (x *threads) add() { x.all = append(x.all, &thread{}) }

// begins places p, which begins with the program, or with a thread of its own if one is free.
func (x *threads) begins(p *processor) {
	for _, t := range x.all {
		if t.runs == nil && t.state == asleep {
			t.run(p, p.clock, 0)
			return
		}
	}
	x.enqueue(p)
}

func (x *threads) enqueue(p *processor) {
	p.place = queued
	x.queue = append(x.queue, p)
}

// wakes places p, which by has woken at an instant, or time has (G1, G2).
func (x *threads) wakes(m *machine, by, p *processor, at float64) {
	p.clock = max(p.clock, at)
	if t := by.thread; t == nil {
		x.enqueue(p)
	} else {
		if t.next != nil {
			x.enqueue(t.next)
		}
		t.next, p.place = p, queued
	}
	x.tell(m, by, at)
}

// tell has a thread that looks for work see that there is some, or by wakes one (G2).
func (x *threads) tell(m *machine, by *processor, at float64) {
	for _, t := range x.all {
		if t.runs == nil && t.state == spinning {
			x.look(m, t, at)
			return
		}
	}
	if x.rouse(m, at) && by.thread != nil {
		m.work(by, m.costs.Wake)
	}
}

// rouse wakes a thread that is asleep if no thread looks for work, and reports whether it did.
func (x *threads) rouse(m *machine, at float64) bool {
	var some *thread
	for _, t := range x.all {
		switch {
		case t.runs != nil:
		case t.state != asleep:
			return false
		case some == nil:
			some = t
		}
	}
	if some == nil {
		return false
	}
	some.state, some.until = rising, at+max(0, m.costs.Wakeup-m.costs.Nap)
	return true
}

// run has the thread run p from an instant on.
func (t *thread) run(p *processor, at, change float64) {
	p.clock = max(p.clock, at) + change
	t.runs, t.yielded = p, p.clock
	if p.yielding { // by Y2
		p.yielding, p.yieldTook, t.yielded = false, p.clock-p.yieldBegan, p.yieldedBefore
	}
	p.thread, p.place = t, running
}

// takeQueued has t, which runs nothing, run the head of the queue, and reports whether there is
// one.
func (x *threads) takeQueued(m *machine, t *thread, at float64) bool {
	if len(x.queue) == 0 {
		return false
	}
	p := x.queue[0]
	x.queue = slices.Delete(x.queue, 0, 1)
	t.run(p, at, m.costs.Switch)
	return true
}

// look has t, which runs nothing, look for something to run (G4).
func (x *threads) look(m *machine, t *thread, at float64) {
	switch {
	case x.takeQueued(m, t, at):
		x.found(m, t, at)
	case x.nextOfOther(t) != nil:
		t.state, t.until = napping, at+m.costs.Nap
	default:
		t.state, t.until = spinning, at+m.costs.Spin
	}
}

// found has one more thread look for work if there is more, as t looks no more.
func (x *threads) found(m *machine, t *thread, at float64) {
	if len(x.queue) > 0 || x.nextOfOther(t) != nil {
		x.rouse(m, at)
	}
}

// nextOfOther returns another thread than t that has something next.
func (x *threads) nextOfOther(t *thread) *thread {
	for _, o := range x.all {
		if o != t && o.next != nil {
			return o
		}
	}
	return nil
}

// passes has the state of t end.
func (x *threads) passes(m *machine, t *thread) {
	at := t.until
	switch o := x.nextOfOther(t); {
	case t.state == spinning:
		t.state = asleep
	case t.state == napping && o != nil:
		p := o.next
		o.next = nil
		t.run(p, at, m.costs.Switch)
		x.found(m, t, at)
	default:
		x.look(m, t, at)
	}
}

// frees has t go on with something else at an instant, as what it ran waits (G3).
func (x *threads) frees(m *machine, t *thread, at float64) {
	t.runs.thread, t.runs = nil, nil
	if p := t.next; p != nil {
		t.next = nil
		t.run(p, at, m.costs.Switch)
		return
	}
	x.look(m, t, at)
}

// wokenFrom returns when the processor may yield by Y2.
func (p *processor) wokenFrom() float64 {
	if p.yieldTook == 0 {
		return 0
	}
	return p.yieldBegan + p.yieldTook + float64(sched.PauseAfterWoken(time.Duration(p.yieldTook)))
}

// yields has what t runs yield if it is time (Y1, Y2).
func (x *threads) yields(m *machine, t *thread) {
	p := t.runs
	switch {
	case m.isOutside(p):
		return
	case p.idle(), p.clock-t.yielded >= float64(sched.YieldAfter):
		t.yielded = p.clock
	case t.next != nil && m.isOutside(t.next) && p.clock >= p.wokenFrom():
		p.yielding, p.yieldBegan, p.yieldedBefore = true, p.clock, t.yielded
	default:
		return
	}
	if t.next == nil && len(x.queue) == 0 {
		return
	}
	x.enqueue(p)
	x.frees(m, t, p.clock)
	x.tell(m, t.runs, p.clock)
}

// choose returns the index in ready of what runs and is furthest behind. Before, all happens that
// threads do up to then.
func (x *threads) choose(m *machine, ready []int) (first int) {
	x.drop(m, ready)
	for {
		first, least := -1, math.Inf(1)
		for i, n := range ready {
			if p := m.processors[n]; p.clock < least && p.thread != nil {
				first, least = i, p.clock
			}
		}
		var soonest *thread
		for _, t := range x.all {
			if t.runs == nil && t.state != asleep && (soonest == nil || t.until < soonest.until) {
				soonest = t
			}
		}
		switch {
		case soonest != nil && soonest.until <= least:
			x.passes(m, soonest)
		case first >= 0:
			return first
		case !x.rouse(m, m.now()):
			panic("simulate: no thread runs what can go on")
		}
	}
}

// drop frees the threads of what waits, and forgets what has begun to wait anew.
func (x *threads) drop(m *machine, ready []int) {
	waits := func(p *processor) bool {
		_, can := slices.BinarySearch(ready, p.index)
		if !can {
			p.place = nowhere
		}
		return !can
	}
	x.queue = slices.DeleteFunc(x.queue, waits)
	for _, t := range x.all {
		if t.next != nil && waits(t.next) {
			t.next = nil
		}
	}
	for _, t := range x.all {
		switch {
		case t.runs == nil:
		case waits(t.runs):
			x.frees(m, t, t.runs.clock)
		case t.runs == m.running:
			x.yields(m, t)
		}
	}
}
