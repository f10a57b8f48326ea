package freerun

import (
	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// A message of a scope may be canceled until it has begun, and a message that [Operation.Call] has
// sent until its caller gives up the wait. internal/promise/start.go has the steps by which the
// holder, the revoker and the canceler decide that: S1 to S5, C1 to C3, D1 and D2. This file
// has the rest: which messages may be revoked, and what a revoked message is counted as.

func (m *message) revocable() bool {
	o := m.lineage.Load()
	return o != nil && o.revocable
}

// lead stores what m waits for, nil for nothing (S1, S2). It returns false if m was revoked.
// unshared: no other goroutine knows m yet.
func (m *promised) lead(to *promise.Cell, unshared bool) bool {
	if !m.revocable() {
		m.SetEdge(to)
		return true
	}
	return m.Lead(to, unshared)
}

// claimFailing claims m for its holder, which fails it (S3). It returns false if m was revoked.
func (m *promised) claimFailing() bool { return !m.revocable() || m.ClaimFailing() }

// revoke fails m with err unless it has begun, and reports whether it did (S4). Any goroutine may
// call it. k is the vtable with which m was sent, nil if the caller does not know it.
func (m *promised) revoke(k *vtable, err error) bool {
	o := m.lineage.Load()
	if o == nil || !o.revocable {
		return false
	}
	f := promise.NewFailure(err)
	f.Senders = o.chain()
	revoked, drops := m.Revoke(f, k != nil && k.dropArgument != nil)
	if !revoked {
		return false
	}
	if drops {
		k.dropArgument(&m.message)
	}
	operation := ""
	if k != nil {
		operation = k.name
	}
	w := m.unit.rt.detachedWorker()
	w.countFailed(m.unit.rt, err, 1)
	w.env.drops(&m.message)
	if x := o.keyOf().scopeOf(); x != nil {
		x.fail(operation, o, err)
	}
	// A cycle, or the end of the runtime, may have sealed the promise first, and counted it.
	if !m.seal(w, &promise.Filled) {
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
	for wait := (backoff.Backoff{}); m.Open() && m.Ending(); wait.Wait() {
	}
}

// startRevocable does steps C1 and S3 of internal/promise/start.go. m is nil for a message without
// a future. It returns false if the message was revoked.
func (w *worker) startRevocable(m *promised) bool {
	if m == nil {
		w.start.Begin()
		return true
	}
	return w.start.BeginClaim(&m.Cell)
}

// awaitStarts does step D2: it waits until no processor is in the middle of starting a revocable
// message.
func (rt *Runtime) awaitStarts() {
	for _, p := range rt.scheduler.Processors() {
		workerOf(p).start.Await()
	}
}

// calling returns the lineage of the messages that Call sends with key k, which has no scope.
func (rt *Runtime) calling(k *contextKey) *lineage {
	if k == nil {
		return &rt.calls
	}
	return &lineage{key: k, revocable: true}
}
