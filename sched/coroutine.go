package sched

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/goid"
)

// Coroutine is a stack that a task runs on in place of its host's own: so the task can be left in its middle, and gone on with later, on
// whatever processor. While it runs, its goroutine is the home of its host's processor, as if it were the host itself.
//
//	host.Enter ──────►  the body runs
//	Enter returns  ◄──  Suspend
//	Enter ───────────►  Suspend returns
//	Enter returns  ◄──  the body returns
//
// It is a coroutine of [iter.Pull], Go's only direct switch from one goroutine to another: about 40 ns each way, where the run queues of Go's
// scheduler are not involved. Nobody collects one that is suspended for ever: its body must be led to its end. A panic in the body must be recovered
// there. If the body calls [runtime.Goexit], the coroutine ends, and its host goes on.
type Coroutine struct {
	// What is needed at each switch comes first, and lies together.

	// Switch is the second part of Enter.
	Switch func() (struct{}, bool)
	yield  func(struct{}) bool
	id     uintptr          // of its goroutine, once it runs
	host   diagnostic[Host] // where it runs now; nil while it does not

	// of whoever runs or enters it
	passes   bool // it only lets the driver choose
	exiting  bool // its body has called Goexit
	returned bool // its body has returned

	// immutable
	number uint64
	body   func(*Coroutine)
	stop   func()
	// Local is for whoever made the coroutine, before it is entered first.
	Local any
}

var coroutines atomics.Uint64 // there ever were

// NewCoroutine returns a coroutine that will run body when it is entered first. Any goroutine.
func NewCoroutine(body func(*Coroutine)) *Coroutine {
	co := new(Coroutine)
	co.Init(body)
	return co
}

// Init makes a zero Coroutine one that will run body when it is entered first; so one can be part of what it belongs to. It must not be copied.
func (co *Coroutine) Init(body func(*Coroutine)) {
	co.body, co.number = body, coroutines.Add(1)
	co.Switch, co.stop = iter.Pull(co.live)
}

// live is the coroutine's goroutine.
func (co *Coroutine) live(yield func(struct{}) bool) {
	co.yield, co.id = yield, goid.ID()
	me := &guest{id: co.id, co: co}
	checkIn(me)
	defer func() {
		if !co.returned { // of Goexit; a panic goes on to whoever has entered the coroutine
			co.exiting = true
			co.yield(struct{}{}) // or the goroutine of the host would end too
		}
		checkOut(me)
	}()
	co.moveHome()
	co.body(co)
	co.returned = true
}

// moveHome makes the coroutine the home of its host's processor.
func (co *Coroutine) moveHome() {
	if h := co.host.Load(); h != nil && h.processor != nil {
		h.processor.home.Store(co.id)
	}
}

// Enter runs the coroutine until it suspends itself or ends, and reports whether it can be entered again. p is the processor whose goroutine calls
// it, on its host's own stack; nil for a goroutine that is no processor's. It returns the processor that the host has now: nil if the task has left it.
func (co *Coroutine) Enter(p *Processor) (now *Processor, alive bool) {
	h := co.Visit(p)
	co.Switch()
	return co.Left(h)
}

// Visit, Switch and Left are the three parts of Enter, for those who are in a hurry: a switch spoils the processor's memory of where calls return to, so each
// call that is open on either side of it, up to whatever goes on, costs some nanoseconds.

// Visit notes that the coroutine is about to run on p's host, if there is one, and returns that.
func (co *Coroutine) Visit(p *Processor) *Host {
	if p == nil {
		return nil
	}
	h := p.host.Load()
	co.host.Store(h)
	h.visitor.Store(co)
	if co.id != 0 {
		p.home.Store(co.id)
	}
	return h
}

// Left notes that the coroutine has come back from where it visited.
func (co *Coroutine) Left(h *Host) (now *Processor, alive bool) {
	for co.passes {
		co.passes = false
		h.turn.pass()
		co.Switch()
	}
	co.host.Store(nil)
	if h != nil {
		h.visitor.Store(nil)
		if now = h.processor; now != nil {
			now.home.Store(h.id)
		}
	}
	if co.exiting {
		go co.stop() // which ends as the coroutine does
	}
	return now, !co.exiting && !co.returned
}

// Suspend returns to whoever has entered the coroutine, until it is entered again. On the coroutine only.
func (co *Coroutine) Suspend() { co.yield(struct{}{}) }

// pass lets the driver of a deterministic scheduler choose who goes on. On the coroutine only.
func (co *Coroutine) pass() {
	co.passes = true
	co.yield(struct{}{})
}

// Here reports whether the coroutine is what the calling goroutine runs.
func (co *Coroutine) Here() bool { return co.id == goid.ID() }

// Processor returns the processor that the coroutine runs on, nil if its task has left it. On the coroutine only.
func (co *Coroutine) Processor() *Processor {
	if h := co.host.Load(); h != nil {
		return h.processor
	}
	return nil
}

// Trace returns the stack of the coroutine's goroutine, in the form of a panic's trace; see [Stuck.Stack].
func (co *Coroutine) Trace() []byte { return traceOf(co.isIn) }

// isIn reports whether a goroutine's trace is the coroutine's: its receiver is the first argument of live. The number by which a trace calls the goroutine
// would be surer, but only the goroutine can find it out, at several times the cost of all else that a new coroutine costs.
func (co *Coroutine) isIn(trace []byte) bool {
	return bytes.Contains(trace, fmt.Appendf(nil, "(*Coroutine).live(%p", co))
}

// Coroutines returns the coroutines of the process that have begun and not ended, in the order in which they were made; one that begins or ends meanwhile may be
// left out.
func Coroutines() (all []*Coroutine) {
	guests.Range(func(_, g any) bool {
		if co := g.(*guest).co; co != nil {
			all = append(all, co)
		}
		return true
	})
	slices.SortFunc(all, func(a, b *Coroutine) int { return cmp.Compare(a.number, b.number) })
	return all
}
