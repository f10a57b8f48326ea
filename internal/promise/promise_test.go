package promise

import (
	"errors"
	"testing"
)

var errFailed = errors.New("failed")

// TestCellOutcomes: each way to close a cell gives one outcome, for good, and wakes each waiter
// once.
func TestCellOutcomes(t *testing.T) {
	for name, test := range map[string]struct {
		close func(w *waiter) bool
		want  error
	}{
		"filled":    {func(w *waiter) bool { return w.fill() }, nil},
		"failed":    {func(w *waiter) bool { return w.fillFailed(errFailed) }, errFailed},
		"abandoned": {func(w *waiter) bool { return w.seal(&Abandoned) }, ErrClosed},
		"circular":  {func(w *waiter) bool { return w.seal(&Circular) }, ErrCycle},
	} {
		for n := range 4 {
			all := waiters(n + 2)
			cell, late, waiting := all[0], all[1], all[2:]
			for _, w := range waiting {
				if got := w.await(cell, true); got != Waits {
					t.Errorf("%s: await came to %v", name, got)
				}
			}
			if closed, err := cell.Outcome(); closed || err != nil || !cell.Open() || cell.HasValue() || cell.Failure() != nil || cell.Idle() != (n == 0) {
				t.Errorf("%s, %d waiters: open, and %v, %v", name, n, closed, err)
			}
			if !test.close(cell) || cell.seal(&Abandoned) || cell.TryFill() {
				t.Errorf("%s, %d waiters: not closed once", name, n)
			}
			closed, err := cell.Outcome()
			if !closed || err != test.want || cell.Open() || cell.Idle() || cell.HasValue() != (test.want == nil) {
				t.Errorf("%s, %d waiters: outcome %v, %v", name, n, closed, err)
			}
			if f := cell.Failure(); (f != nil) != (test.want == errFailed) {
				t.Errorf("%s: failure %v", name, f)
			}
			for i, w := range waiting {
				if w.woken != 1 {
					t.Errorf("%s, %d waiters: waiter %d woken %d times", name, n, i, w.woken)
				}
			}
			if late.await(cell, true) != Resolved || cell.Push(&late.Node) || cell.PushFirst(&late.Node) {
				t.Errorf("%s: waits for a closed cell", name)
			}
		}
	}
}

// TestCellMade: a cell can be made with its outcome.
func TestCellMade(t *testing.T) {
	var value, failed Cell
	value.Make(nil)
	failed.Make(NewFailure(errFailed))
	if closed, err := value.Outcome(); !closed || err != nil || !value.HasValue() {
		t.Errorf("outcome %v, %v", closed, err)
	}
	if closed, err := failed.Outcome(); !closed || err != errFailed || failed.HasValue() {
		t.Errorf("outcome %v, %v", closed, err)
	}
}

// TestPushFirst: only the first waiter is pushed so.
func TestPushFirst(t *testing.T) {
	all := waiters(3)
	if !all[0].PushFirst(&all[1].Node) || all[0].PushFirst(&all[2].Node) {
		t.Error("not the first alone")
	}
	if !all[0].fill() || all[1].woken != 1 || all[2].woken != 0 {
		t.Error("not woken")
	}
}

// TestClosesCycle: the last edge of a cycle finds it, however long it is; a path is none; and a
// cycle elsewhere does not keep the walk going.
func TestClosesCycle(t *testing.T) {
	for _, n := range []int{1, 2, 3, 15, 16, 17, 100} {
		all := waiters(n + 1)
		for i := range n - 1 {
			if got := all[i].await(all[i+1], false); got != Waits {
				t.Fatalf("%d of %d came to %v", i, n, got)
			}
		}
		if got := all[n-1].await(all[0], false); got != InCycle {
			t.Errorf("a cycle of %d came to %v", n, got)
		}
		if closed, err := all[n-1].Outcome(); !closed || err != ErrCycle {
			t.Errorf("a cycle of %d: %v, %v", n, closed, err)
		}
	}
	all := waiters(4)
	all[0].SetEdge(&all[1].Cell) // a cycle that its own goroutines have not found yet
	all[1].SetEdge(&all[2].Cell)
	all[2].SetEdge(&all[0].Cell)
	if got := all[3].await(all[0], false); got != Waits {
		t.Errorf("a cycle elsewhere came to %v", got)
	}
}

// TestBridge: an edge across a bridge leads on, in a cycle too.
func TestBridge(t *testing.T) {
	all := waiters(2)
	all[0].SetEdge(Bridge(&all[1].Cell))
	if all[0].Beyond() != &all[1].Cell || !all[0].HasEdge() {
		t.Error("the bridge leads elsewhere")
	}
	if all[0].follow(all[1], false) != Waits || all[1].await(all[0], false) != InCycle {
		t.Error("no cycle across a bridge")
	}
	all[0].SetEdge(&all[1].Cell)
	if all[0].Beyond() != &all[1].Cell {
		t.Error("the edge leads elsewhere")
	}
}

// TestRevoke: a message is revoked until it has begun.
func TestRevoke(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(w, dep *waiter)
		revoked bool
		drops   bool
	}{
		"ready":         {func(w, _ *waiter) { w.Lead(nil, true) }, true, true},
		"waiting":       {func(w, dep *waiter) { w.awaitRevocable(dep, true) }, true, false},
		"ready later":   {func(w, dep *waiter) { w.awaitRevocable(dep, true); w.Lead(nil, false) }, true, true},
		"waiting again": {func(w, dep *waiter) { w.Lead(nil, true); w.Lead(&dep.Cell, false) }, true, false},
		"begun":         {func(w, _ *waiter) { w.Lead(nil, true); w.Claim() }, false, false},
		"failing":       {func(w, _ *waiter) { w.Lead(nil, true); w.ClaimFailing() }, false, false},
		"refused":       {func(w, _ *waiter) { w.Lead(nil, true); w.Claim(); w.Refuse() }, false, false},
		"owing":         {func(w, dep *waiter) { w.Lead(nil, true); w.Claim(); w.SetEdge(Bridge(&dep.Cell)) }, false, false},
		"closed":        {func(w, _ *waiter) { w.Lead(nil, true); w.seal(&Abandoned) }, false, false},
		"not sent":      {func(*waiter, *waiter) {}, false, false},
	} {
		all := waiters(2)
		w, dropped := all[0], false
		test.prepare(w, all[1])
		ending := name == "failing" || name == "refused"
		if w.Ending() != ending {
			t.Errorf("%s: ending: %v", name, !ending)
		}
		if got := w.revoke(errFailed, func() { dropped = true }); got != test.revoked || dropped != test.drops {
			t.Errorf("%s: revoked %v, dropped %v", name, got, dropped)
		}
		if !test.revoked {
			continue
		}
		if w.Revocation().Err != errFailed || w.Revocation().Dropped() != test.drops || !w.Ending() {
			t.Errorf("%s: revoked with %+v", name, w.Revocation())
		}
		if w.Lead(nil, false) || w.Claim() || w.ClaimFailing() || w.revoke(errFailed, nil) {
			t.Errorf("%s: goes on after it was revoked", name)
		}
		if _, err := w.Outcome(); err != errFailed {
			t.Errorf("%s: outcome %v", name, err)
		}
	}
}

// TestStart: the word of a processor is set while a message starts, unless that was revoked.
func TestStart(t *testing.T) {
	var s Start
	s.Await()
	s.Begin()
	if s.word.Load() == 0 {
		t.Error("not set")
	}
	s.End()
	s.Await()
	w := waiters(1)[0]
	w.Lead(nil, true)
	if !s.BeginClaim(&w.Cell) || s.word.Load() == 0 {
		t.Error("not claimed")
	}
	s.End()
	w = waiters(1)[0]
	w.Lead(nil, true)
	w.revoke(errFailed, nil)
	if s.BeginClaim(&w.Cell) || s.word.Load() != 0 {
		t.Error("claimed, and was revoked")
	}
}

// TestPush: all that were pushed before the end are woken, and none that comes later.
func TestPush(t *testing.T) {
	all := waiters(4)
	for _, w := range all[1:3] {
		if !all[0].Push(&w.Node) {
			t.Error("refused by an open cell")
		}
	}
	if !all[0].fill() || all[0].Push(&all[3].Node) {
		t.Error("not filled, or pushed afterwards")
	}
	for i, w := range all[1:] {
		if want := 1 - i/2; w.woken != want {
			t.Errorf("waiter %d is woken %d times, not %d", i, w.woken, want)
		}
	}
}
