package sched

import (
	"bytes"
	"fmt"
	"iter"

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
	// immutable
	body func(*Coroutine)
	next func() (struct{}, bool)
	stop func()
	// Local is for whoever made the coroutine, before it is entered first.
	Local any

	// of whoever runs or enters it
	yield   func(struct{}) bool
	id      uintptr
	passes  bool // it only lets the driver choose
	exiting bool // its body has called Goexit

	// shared
	host diagnostic[Host] // where it runs now; nil while it does not
}

// NewCoroutine returns a coroutine that will run body when it is entered first. Nothing is started before. Any goroutine.
func NewCoroutine(body func(*Coroutine)) *Coroutine {
	co := &Coroutine{body: body}
	co.next, co.stop = iter.Pull(co.live)
	return co
}

// live is the coroutine's goroutine.
func (co *Coroutine) live(yield func(struct{}) bool) {
	co.yield, co.id = yield, goid.ID()
	hosts.Store(co.id, co)
	returned := false
	defer func() {
		if !returned { // of Goexit; a panic goes on to whoever has entered the coroutine
			co.exiting = true
			co.yield(struct{}{}) // or the goroutine of the host would end too
		}
		hosts.Delete(co.id)
	}()
	co.moveHome()
	co.body(co)
	returned = true
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
	h := co.visit(p)
	for {
		_, alive = co.next()
		if !co.passes {
			break
		}
		co.passes = false
		h.turn.pass()
	}
	if co.exiting {
		alive = false
		go co.stop() // which ends as the coroutine does
	}
	co.host.Store(nil)
	if h == nil {
		return nil, alive
	}
	h.visitor.Store(nil)
	if now = h.processor; now != nil {
		now.home.Store(h.id)
	}
	return now, alive
}

// visit notes that the coroutine is about to run on p's host, if there is one.
func (co *Coroutine) visit(p *Processor) *Host {
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

// HereCoroutine returns the coroutine that is running, nil on any other goroutine.
func HereCoroutine() *Coroutine {
	if v, ok := hosts.Load(goid.ID()); ok {
		co, _ := v.(*Coroutine)
		return co
	}
	return nil
}

// Coroutines calls f for each coroutine of the process that has begun and not ended; one that begins or ends meanwhile may be left out.
func Coroutines(f func(*Coroutine)) {
	hosts.Range(func(_, v any) bool {
		if co, ok := v.(*Coroutine); ok {
			f(co)
		}
		return true
	})
}
