package freerun

import (
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// A message of a scope may be canceled until it has begun, and a message that [Operation.Call] has
// sent until its caller gives up the wait. The message's edge is the word that decides: the holder
// makes it begun, a revoker makes it a failure.
//
//	S1  sent      edge = unbegun, or the future that the message waits for; not shared yet
//	S2  waits     the holder replaces the edge that it has stored by the next one, with a
//	              compare-and-swap
//	S3  begun     the holder replaces the edge by begun, to start the message, or by failing, to
//	              fail it; a message that has begun may fail, too
//	S4  revoked   the revoker, another goroutine, replaces the edge by a failure, seals the
//	              promise, and takes the message out of its scope; the holder finds that at its
//	              next step, and only drops the argument
//	S5  owes      a message that has begun waits for a future of its result, and its edge leads
//	              there by a bridge, which tells S5 from S2
//
// The canceler of a scope waits for the processors that are in the middle of S3:
//
//	C1  the processor sets inStart,    D1  the canceler cancels the scope,
//	C2  and looks at the scope;        D2  and waits until inStart is clear on each processor
//	C3  it clears inStart, right before it calls the function
//
// Either C2 finds the scope canceled, or D2 finds inStart set. So when Cancel returns, each message
// of the scope has been started, or never is.
//
// Invariants: I1 From the first edge of a revocable message until it has begun, the edge changes by
//             compare-and-swap only. Afterwards the edge is the holder's.
//             I2 The revoker touches neither vtable nor argument, which are the holder's. The one
//             exception: it drops the argument of an unbegun message, if it knows the operation
//             (Call). Then the failure that becomes the edge says that the holder must not touch
//             the argument.
// Progress:   S1 to S5 are lock-free. D2 waits for a few instructions of another processor, between
//             which nothing waits.
// Cost:       nothing for messages without scope. Otherwise a compare-and-swap with a future, an
//             exchange without.
// Checked by: TestExploreStart…, TestExploreRevoke…, TestScopeCancel…, TestCall…

// The marks are edges that lead to no future. Their unit tells them: the promise of a future has
// neither markUnit nor bridgeUnit for its unit, and a failure has no unit.
var (
	markUnit, bridgeUnit unit
	unbegun              = &promised{message: message{unit: &markUnit}}
	begun                = &promised{message: message{unit: &markUnit}}
	failing              = &promised{message: message{unit: &markUnit}}
)

// newBridge returns an edge to dep for a message that has begun.
func newBridge(dep *promised) *promised {
	b := &promised{message: message{unit: &bridgeUnit}}
	b.edge.Store(dep)
	return b
}

// beyond returns the promise that an edge leads to, across a bridge.
func beyond(edge *promised) *promised {
	if edge.unit == &bridgeUnit {
		return edge.edge.Load()
	}
	return edge
}

func (m *message) revocable() bool {
	o := m.lineage.Load()
	return o != nil && o.revocable
}

// lead stores what m waits for, nil for nothing (S1, S2). It returns false if m was revoked.
// unshared: no other goroutine knows m yet.
func (m *promised) lead(to *promised, unshared bool) bool {
	if !m.revocable() {
		m.edge.Store(to)
		return true
	}
	if to == nil {
		to = unbegun
	}
	now := m.edge.Load()
	if unshared || now == nil {
		m.edge.Store(to)
		return true
	}
	return now.unit != nil && m.edge.CompareAndSwap(now, to)
}

// claim makes m the holder's (S3). to is begun or failing. It returns false if m was revoked.
func (m *promised) claim(to *promised) bool {
	if !m.revocable() {
		return true
	}
	now := m.edge.Load()
	return now == nil || now.unit != nil && m.edge.CompareAndSwap(now, to)
}

// revoke fails m with err unless it has begun, and reports whether it did (S4). Any goroutine may
// call it. k is the vtable with which m was sent, nil if the caller does not know it.
func (m *promised) revoke(k *vtable, err error) bool {
	o := m.lineage.Load()
	if o == nil || !o.revocable {
		return false
	}
	f := newFailure(err)
	f.senders = o.chain()
	for {
		now := m.edge.Load()
		if now == nil || now.hasBegun() || !m.open() {
			return false
		}
		drops := now == unbegun && k != nil && k.dropArgument != nil
		f.dropped.Store(drops)
		if m.edge.CompareAndSwap(now, &f.promised) {
			if drops {
				k.dropArgument(&m.message)
			}
			break
		}
	}
	operation := ""
	if k != nil {
		operation = k.name
	}
	w := m.unit.rt.detachedWorker()
	w.countFailed(m.unit.rt, err, 1)
	if x := o.keyOf().scopeOf(); x != nil {
		x.fail(operation, o, err)
	}
	// A cycle, or the end of the runtime, may have sealed the promise first, and counted it.
	if !m.seal(w, &filled) {
		w.countFailed(m.unit.rt, err, minusOne)
		return false
	}
	o.withdraw(w)
	return true
}

// scope returns the scope of a message without outcome, nil if it has none. Any goroutine may call
// it.
func (m *promised) scope() *Scope {
	if o := m.lineage.Load(); o != nil && o.revocable {
		return o.keyOf().scopeOf()
	}
	return nil
}

// hasBegun reports whether an edge is that of a message that has begun, or was revoked.
func (m *promised) hasBegun() bool {
	return m.unit == nil || m.unit == &markUnit && m != unbegun || m.unit == &bridgeUnit
}

// revokeCanceled revokes m if its scope was canceled: when it returns, m has an outcome, or is
// running. If another goroutine is in the middle of S3, or about to seal the promise, it waits for
// that.
func (m *promised) revokeCanceled() {
	x := m.scope()
	if x == nil {
		return
	}
	err := x.refusal()
	if err == nil || m.revoke(nil, err) {
		return
	}
	x.rt.env.awaitOthers(func() { x.rt.awaitStart(m) })
}

// awaitStart waits until m has an outcome, or is running.
func (rt *Runtime) awaitStart(m *promised) {
	rt.awaitStarts()
	for wait := (backoff.Backoff{}); m.open(); wait.Wait() {
		if now := m.edge.Load(); now == nil || now != failing && now.unit != nil {
			return
		}
	}
}

// startRevocable is C1 and S3. m is nil for a message without a future. It returns false if the
// message was revoked.
func (w *worker) startRevocable(m *promised) bool {
	if m == nil {
		w.inStart.Swap(1)
		return true
	}
	w.inStart.Store(1)
	if m.claim(begun) {
		return true
	}
	w.inStart.Store(0)
	return false
}

// awaitStarts is D2.
func (rt *Runtime) awaitStarts() {
	for _, p := range rt.scheduler.Processors() {
		workerOf(p).awaitStart()
	}
}

func (w *worker) awaitStart() {
	for wait := (backoff.Backoff{}); w.inStart.Load() != 0; wait.Wait() {
	}
}

// calling returns the lineage of the messages that Call sends with key k, which has no scope.
func (rt *Runtime) calling(k *contextKey) *lineage {
	if k == nil {
		return &rt.calls
	}
	return &lineage{key: k, revocable: true}
}
