package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own; what it is for is the output gate of Cloudflare's Durable Objects
// Sketch:     the run:  step runs → returned, and the message is left to Release; or step is
//             released: it gives the outcome free itself
//             Release:  the first call alone goes on. step runs → released; or step is returned:
//             it gives the outcome free itself
//             a panic:  step → over: the message fails with it
// Invariants: I1 Of run and Release the one that comes second, by the compare-and-swap on step,
//             makes the outcome known, and is the message's holder.
//             I2 The unit, and what the message holds besides, are let go of before step is
//             returned: afterwards the message is another goroutine's.
//             I3 Until the outcome is known the message counts as running in its scope, and as sent
//             and not done in the runtime.
// Progress:   wait-free
// Publish:    why is written before step is released, err and forwarded before step is returned
// Cost:       an allocation, and two compare-and-swaps
// Checked by: TestExploreHeld, TestHeld…

// held keeps the outcome of an operation back.
type held struct {
	of       *Invocation
	rt       *Runtime
	released atomics.Bool // one call of Release has taken it
	step     atomics.Uint32
	why      error // what Release was given

	err       error          // the operation's
	forwarded any            // what it has forwarded
	local     any            // the module's; the operation's goroutine
	kept      []kept         // what the operation has sent: route_keep.go
	by        []*interceptor // those inside of the one that keeps it back
}

// The steps of a held outcome.
const (
	heldRuns     uint32 = iota
	heldReturned        // the operation has returned; Release goes on
	heldReleased        // Release was called; the run goes on
	heldOver            // the outcome is known, or is about to be
)

// holdBack keeps the outcome of the operation back around which an interceptor is called.
func holdBack(i *Invocation) route.Held {
	if i.checked().held != nil {
		panic("freerun: Hold of an operation whose outcome is kept back already")
	}
	i.held = i.room()
	i.held.rt, i.held.by = i.running.rt, i.by
	i.running.rt.keepingKey()
	i.running.holdsBack(i.held)
	return i.held
}

// holdsBack has what the operation sends that runs with c be kept: h keeps its outcome back. No
// branch of a join runs elsewhere from now on, and nothing is inlined: what they send is kept, too.
func (c *Context) holdsBack(h *held) {
	c.held = h
	c.credit = 0
	c.forks.home.Store(0)
}

// room returns memory for what keeps the outcome back. It is used once.
func (i *Invocation) room() *held {
	if i.roomy {
		return (*held)(unsafe.Add(unsafe.Pointer(i), -int(unsafe.Offsetof(keptInvocation[struct{}, struct{}]{}.of))))
	}
	return &held{of: i}
}

// runningHeld returns what keeps the outcome back of the operation that runs with c, nil if nothing
// does.
func runningHeld(c *Context) route.Held {
	if now := c.checked().running(); now != nil {
		return now.held.asRoute()
	}
	return nil
}

// asRoute returns h as a route has it, nil for nil.
func (h *held) asRoute() route.Held {
	if h == nil {
		return nil
	}
	return h
}

// stateBelow returns a pointer to the state of the unit on which the operation runs, nil if the
// unit has no route, or there are several.
func stateBelow(i *Invocation) any {
	return stateAt(i.checked().message.unit)
}

// left is called when the interceptors have returned, or panicked.
func (i *Invocation) left(c *Context, returned bool) {
	if i.held == nil {
		return
	}
	c.held = nil
	if !returned {
		i.held.step.Store(heldOver)
		i.held.withdraw()
	}
}

// keepBack ends the run of a message whose outcome is kept back. k is the vtable with which it has
// run.
func (i *Invocation) keepBack(w *worker, k *vtable, err error, forwarded any) {
	m, h := i.message, i.held
	// Before the release: it has run, and waits for nothing that its units wait for from then on.
	if p := (*promised)(unsafe.Pointer(m)); !i.told && !p.revocable() {
		p.SetEdge(promise.Elsewhere())
	}
	h.err, h.forwarded = err, forwarded // before the release: then the unit may run it again
	if k.release != nil {
		k.release(w, m, false) // I2
	}
	if !h.step.CompareAndSwap(heldRuns, heldReturned) {
		h.step.Store(heldOver)
		i.free(nil, h)
	}
}

// again runs an operation again whose outcome is kept back, in the operation that runs with c.
func again(c *Context, kept route.Held) error {
	h, now := kept.(*held), c.running()
	i := h.of
	i.running, i.within, i.by = now, now.current, h.by
	before, credit := now.held, now.credit
	h.withdraw()
	now.holdsBack(h)
	zero(i.of.result, i.outcome)
	defer func() {
		i.running, i.within, now.held, now.credit, now.forwarded = nil, nil, before, credit, nil
	}()
	via := c.onward(i.message.lineage.Load().keyOf())
	h.err = i.end(i.Next(via))
	if h.forwarded = now.forwarded; h.forwarded != nil {
		return nil
	}
	return h.err
}

// panickedHeld is the error of an operation whose outcome is kept back, and that has panicked.
func panickedHeld(kept route.Held, value any, stack []byte) error {
	h := kept.(*held)
	m := h.of.message
	w := h.rt.detachedWorker()
	return w.panicked(h.of.Operation, m.unit.called(), m.lineage.Load(), value, stack)
}

// Release implements [route.Held].
func (h *held) Release(err error) bool { return h.release(nil, err) }

// releaseIn is Release in the operation that runs with c. A closure is named as on no processor: a
// worker knows the function of what it runs.
func releaseIn(c *Context, kept route.Held, err error) bool {
	h, w := kept.(*held), c.here()
	if !w.at(h.rt) || h.of.of.declared == nil {
		w = nil
	}
	return h.release(w, err)
}

// release is Release in an operation that runs on the processor of w, elsewhere if that is nil.
func (h *held) release(w *worker, err error) bool {
	if !h.released.CompareAndSwap(false, true) {
		return false
	}
	h.why = err
	if h.step.CompareAndSwap(heldRuns, heldReleased) {
		return true
	}
	return h.step.CompareAndSwap(heldReturned, heldOver) && h.of.free(w, h)
}

// Waits implements [route.Held].
func (h *held) Waits() bool {
	if h.of.running != nil {
		return h.of.waits(nil, h.of.forwarded)
	}
	return h.step.Load() != heldOver && h.of.waits(h.err, h.forwarded)
}

// Set implements [route.Held].
func (h *held) Set(value any) { h.local = value }

// Get implements [route.Held].
func (h *held) Get() any { return h.local }

// waits reports whether the outcome of an operation that has returned err waits for a future.
func (i *Invocation) waits(err error, forwarded any) bool {
	if err != nil || forwarded != nil || i.of.resultPlan == nil {
		return forwarded != nil
	}
	dep, _ := firstOpen(i.of.resultPlan, i.outcome)
	return dep != nil
}

// free makes the outcome known, on the processor of w or, if that is nil, on none. It reports
// whether the runtime had not ended before.
func (i *Invocation) free(w *worker, h *held) bool {
	if w == nil {
		h.rt.firing.Add(1)
		defer h.rt.fired()
		w = &h.rt.outside
	}
	err, forwarded := h.err, h.forwarded
	if h.why != nil {
		err, forwarded = h.why, nil
		h.withdraw()
	} else {
		h.letGo()
	}
	if i.told {
		i.of.endHeldTell(w, i.message, err)
		return true
	}
	m := (*promised)(unsafe.Pointer(i.message))
	if h.rt.phase.Load() == ended {
		m.abandon()
	}
	if err == nil && forwarded == nil {
		i.of.typed.setResult(m, i.outcome)
	}
	return i.of.settleLate(w, m, err, forwarded)
}

// endHeldTell ends a told message whose operation has returned err.
func (o *core) endHeldTell(w *worker, m *message, err error) {
	rt, k, from := m.unit.rt, m.vtable(), m.lineage.Load()
	if err != nil && err != ErrForward {
		m.blame(k, err)
		w.lose(k, m, err)
	}
	if from != nil {
		m.leave(w)
		from.ended(w)
	}
	o.drop(m)
	w.countRan(rt, 1)
}
