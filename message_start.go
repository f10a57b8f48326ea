package freerun

import (
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// A message of a scope may be canceled until it is started, and one that [Operation.Call] has sent
// until its caller gives up. Its edge is the word that decides: the holder makes it begun, another
// goroutine makes it a failure.
//
//	S1  sent      edge = unbegun, or the future that it waits for; not shared yet
//	S2  waits     the holder replaces what it has stored itself, by a compare-and-swap
//	S3  begun     the holder replaces that by begun, to start the message, or by failing, to
//	              fail it: also a message that has begun
//	S4  revoked   another goroutine replaces the edge by a failure, seals the cell, and takes the
//	              message out of its scope; the holder finds that at its next step, and only
//	              drops the argument
//	S5  owes      a message that has begun waits for a future of its result by a bridge, which
//	              tells S5 from S2
//
// The canceler of a scope waits for processors that are in the middle of S3:
//
//	C1  the processor sets inStart,    D1  the canceler cancels the scope,
//	C2  and looks at the scope;        D2  and waits until inStart is clear on each processor
//	C3  it clears inStart, right before it calls the function
//
// Either C2 finds the scope canceled, or D2 finds inStart set. So when Cancel returns, each message
// of the scope has been started, or never is.
//
// Invariants: I1 edges other than nil of a revocable message change by compare-and-swap until it
//             has begun, and belong to the holder afterwards.
//             I2 the revoker touches neither argument nor kind, which are the holder's; but for the
//             argument of an unbegun message, if it knows the operation (Call): the failure that
//             is the edge then says that the holder must not touch it.
// Progress:   S1 to S5 are lock-free. D2 waits for a few instructions of another processor, between
//             which nothing waits.
// Cost:       nothing for messages without scope. Otherwise a compare-and-swap with a future, an
//             exchange without.
// Checked by: TestExploreStart…, TestExploreRevoke…, TestScopeCancel…, TestCall…

// The marks are edges that lead to no future. No cell has one of their units, and a failure has
// none.
var (
	markUnit, bridgeUnit unit
	unbegun              = &promise{message: message{unit: &markUnit}}
	begun                = &promise{message: message{unit: &markUnit}}
	failing              = &promise{message: message{unit: &markUnit}}
)

// newBridge returns an edge from a message that has begun to dep.
func newBridge(dep *promise) *promise {
	b := &promise{message: message{unit: &bridgeUnit}}
	b.edge.Store(dep)
	return b
}

// beyond returns what an edge leads to, across a bridge.
func beyond(edge *promise) *promise {
	if edge.unit == &bridgeUnit {
		return edge.edge.Load()
	}
	return edge
}

func (l *message) revocable() bool {
	o := l.lineage.Load()
	return o != nil && o.revocable
}

// lead stores what m waits for, nil for nothing (S1, S2). It returns false if m was revoked. fresh
// says that m is not shared yet.
func (m *promise) lead(to *promise, fresh bool) bool {
	if !m.revocable() {
		m.edge.Store(to)
		return true
	}
	if to == nil {
		to = unbegun
	}
	now := m.edge.Load()
	if fresh || now == nil {
		m.edge.Store(to)
		return true
	}
	return now.unit != nil && m.edge.CompareAndSwap(now, to)
}

// claim makes m the holder's, to be begun or failing (S3). It returns false if m was revoked.
func (m *promise) claim(to *promise) bool {
	if !m.revocable() {
		return true
	}
	now := m.edge.Load()
	return now == nil || now.unit != nil && m.edge.CompareAndSwap(now, to)
}

// revoke fails m unless it has begun, and reports whether it did (S4). Any goroutine. k is the kind
// with which it was sent, nil if the caller does not know it.
func (m *promise) revoke(k *vtable, err error) bool {
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
		if m.edge.CompareAndSwap(now, &f.promise) {
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
	s := m.unit.rt.detachedWorker()
	s.countFailed(m.unit.rt, err, 1)
	if x := o.keyOf().scopeOf(); x != nil {
		x.fail(operation, o, err)
	}
	if !m.seal(s, &filled) { // a cycle, or the end of the runtime, was first
		s.countFailed(m.unit.rt, err, minusOne)
		return false
	}
	o.withdraw(s)
	return true
}

// scope returns the scope of a message that has no outcome, nil if it has none. Any goroutine.
func (m *promise) scope() *Scope {
	if o := m.lineage.Load(); o != nil && o.revocable {
		return o.keyOf().scopeOf()
	}
	return nil
}

// hasBegun reports whether an edge is that of a message that has begun, or was revoked.
func (m *promise) hasBegun() bool {
	return m.unit == nil || m.unit == &markUnit && m != unbegun || m.unit == &bridgeUnit
}

// revokeCanceled revokes m if its scope was canceled. When it returns, m has an outcome then, or is
// running: for those who are in the middle of S3, or seal the cell next, it waits.
func (m *promise) revokeCanceled() {
	x := m.scope()
	if x == nil {
		return
	}
	err := x.refusal()
	if err == nil || m.revoke(nil, err) || x.rt.deterministic() {
		return
	}
	x.rt.awaitStarts()
	for wait := (backoff.Backoff{}); m.open(); wait.Wait() {
		if now := m.edge.Load(); now == nil || now != failing && now.unit != nil {
			return
		}
	}
}

// startRevocable is C1 and S3; m is nil for a message without a future. It returns false if the
// message was revoked.
func (s *worker) startRevocable(m *promise) bool {
	if m == nil {
		s.inStart.Swap(1)
		return true
	}
	s.inStart.Store(1)
	if m.claim(begun) {
		return true
	}
	s.inStart.Store(0)
	return false
}

// awaitStarts is D2.
func (rt *Runtime) awaitStarts() {
	if rt.deterministic() { // nothing is between C1 and C3 while another goroutine runs
		return
	}
	for _, p := range rt.scheduler.Processors() {
		workerOf(p).awaitStart()
	}
}

func (s *worker) awaitStart() {
	for wait := (backoff.Backoff{}); s.inStart.Load() != 0; wait.Wait() {
	}
}

// calling returns the origin of messages that Call sends in realm r, which has no scope.
func (rt *Runtime) calling(r *contextKey) *lineage {
	if r == nil {
		return &rt.calls
	}
	return &lineage{key: r, revocable: true}
}
