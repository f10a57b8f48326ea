package freerun

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

var (
	cells    = NewKind("cells", func(c *Context, key int) (int, error) { return key, nil }, MaxActive(1), PassivateAfter(time.Hour))
	crowdOf2 = NewKind("crowdOf2", func(c *Context, key int) (int, error) { return key, nil }, MaxActive(2))

	awaits  atomic.Pointer[func(c *Context) (int, error)]
	awaited = NewKind("awaited", func(c *Context, key int) (int, error) { return (*awaits.Load())(c) }, MaxActive(1_000_000))
	glance  = Op("glance", func(c *Context, n *int, _ struct{}) (int, error) { return *n, nil })
)

func within(t *testing.T) time.Time { return time.Now().Add(4 * time.Second) }

// look runs fn as an operation of the keeper.
func look[K comparable, S any](t *testing.T, k *Kind[K, S], rt *Runtime, fn func(c *Context, k *keeper) bool) bool {
	t.Helper()
	yes, err := Do(rt.Context(), k.in(rt).keeper, func(c *Context, k *keeper) (bool, error) { return fn(c, k), nil }).Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

// TestKindTurnedAwayIsNoFailure turns a unit away again and again: it may try again after the least
// back-off, and its failures in a row stay what they were.
func TestKindTurnedAwayIsNoFailure(t *testing.T) {
	rt := New(Processors(1))
	defer rt.Close()
	u := cells.At(rt.Context(), 1)
	x := u.unit.ext.Load().keyed()
	x.fail(rt.env.now(), ErrFull)
	for range 20 {
		x.phase.Store(activating)
		for u.unit.mailbox.Newest() != nil {
			runtime.Gosched()
		}
		u.unit.mailbox.Enqueue(&slotFor(&u.unit).Node) // so that turnAway is the owner's
		x.turnAway(rt.detachedWorker(), &u.unit, ErrFull)
		if d := x.failed().retry.Sub(rt.env.now()); x.failed().times != 1 || d > leastBackOff {
			t.Fatalf("%d failures, again after %v", x.failed().times, d)
		}
		k := keyedUnitOf[int, int](&u.unit)
		if e := homeOfKind[int, int](x.settings.home).table.Load(1); k.weakly == nil || e != &k.weakly.Entry {
			t.Fatal("the table holds a unit that was turned away")
		}
	}
}

// slotFor returns a message to u that does nothing.
func slotFor(u *unit) *message {
	m := &message{unit: u}
	m.become(&tokenVtable)
	return m
}

// TestKeeperCountsActive has units become passive by Stop: those that remain are not too many.
func TestKeeperCountsActive(t *testing.T) {
	rt := New(Processors(1))
	defer rt.Close()
	c := rt.Context()
	for key := range 100 {
		if _, err := glance.Send(c, crowdOf2.At(c, key), struct{}{}).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if key%2 == 0 {
			continue
		}
		for _, k := range []int{key - 1, key} {
			if _, err := crowdOf2.Stop(c, k).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	rt.Quiesce(t.Context())
	if s := crowdOf2.Stats(rt); s.Evictions != 0 || s.Passivations != 100 {
		t.Errorf("%+v", s)
	}
	look(t, crowdOf2, rt, func(_ *Context, k *keeper) bool {
		if k.n != 0 || k.newest != nil || k.oldest != nil || k.hand != nil {
			t.Errorf("%d units in the list, none is active", k.n)
		}
		return true
	})
}

// TestKeeperListIsBehind has a unit become active while the keeper has not heard yet that another
// one is passive.
func TestKeeperListIsBehind(t *testing.T) {
	rt := New(Processors(2))
	defer rt.Close()
	c := rt.Context()
	u := cells.At(c, 1)
	glance.Send(c, u, struct{}{}).Wait(t.Context())
	rt.Quiesce(t.Context())
	x := u.unit.ext.Load().keyed()
	look(t, cells, rt, func(c *Context, k *keeper) bool {
		x.marked.Store(false)
		x.listed = false // as one more in the list, which is passive
		k.oldest, k.newest, k.n = nil, nil, 1
		k.add(c, &u.unit, false)
		return true
	})
	rt.Quiesce(t.Context())
	if s := cells.Stats(rt); s.Evictions != 0 || s.Active != 1 {
		t.Errorf("%+v", s)
	}
}

// TestKindStaysForAnyPriority tells a unit to become passive while a message of Low waits for it.
func TestKindStaysForAnyPriority(t *testing.T) {
	for _, p := range []Priority{Low, Normal, High} {
		rt := New(Processors(2))
		c := rt.Context()
		u := cells.At(c, 1)
		x := u.unit.ext.Load().keyed()
		entered, leave := make(chan struct{}), make(chan struct{})
		// So that there are mailboxes:
		glance.Send(c.WithPriority(p), u, struct{}{}).Wait(t.Context())
		Do(c, u, func(c *Context, _ *int) (int, error) { entered <- struct{}{}; <-leave; return 0, nil })
		<-entered
		x.marked.Store(false)
		if err := cells.passivate(c, &u.unit, stopRoom); err != nil {
			t.Fatal(err)
		}
		f := glance.Send(c.WithPriority(p), u, struct{}{})
		close(leave)
		if _, err := f.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		rt.Quiesce(t.Context())
		// A message of High has run before.
		if s := cells.Stats(rt); s.Passivations != 0 && p != High {
			t.Errorf("%v: %+v", p, s)
		}
		x.marked.Store(false)
		cells.passivate(c, &u.unit, stopRoom)
		rt.Quiesce(t.Context())
		if s := cells.Stats(rt); s.Active != 0 {
			t.Errorf("%v: without messages it stays: %+v", p, s)
		}
		rt.Close()
	}
}

// TestKeeperLetsOthersRunWhatItLetsIn has the keeper let a unit in, and go on: another processor
// makes the state meanwhile.
func TestKeeperLetsOthersRunWhatItLetsIn(t *testing.T) {
	rt := New(Processors(2))
	defer rt.Close()
	c := rt.Context()
	h := &awaited.in(rt).kindHome
	var made atomic.Bool
	make := func(*Context) (int, error) { made.Store(true); return 1, nil }
	awaits.Store(&make)
	h.active.Add(2_000_000)
	f := glance.Send(c, awaited.At(c, 1), struct{}{})
	deadline := within(t)
	for !look(t, awaited, rt, func(c *Context, k *keeper) bool {
		if len(k.asking) == 0 {
			return false
		}
		h.active.Add(-2_000_000)
		k.letIn(c)
		for !made.Load() && time.Now().Before(deadline) { // the keeper keeps its processor
			time.Sleep(time.Millisecond)
		}
		return true
	}) {
		select {
		case <-f.Done(): // turned away meanwhile
			f = glance.Send(c, awaited.At(c, 1), struct{}{})
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("no unit asks")
		}
	}
	if time.Now().After(deadline) {
		t.Error("the state was made after the keeper had ended")
	}
	if n, err := f.Wait(t.Context()); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// TestKindResolvesWhileKeeperIsBehind has an ordinary goroutine resolve promises that states wait
// for, while the keeper is stuck and has more messages than a sender may be ahead of.
func TestKindResolvesWhileKeeperIsBehind(t *testing.T) {
	rt := New(Processors(2))
	defer rt.Close()
	c := rt.Context()
	stuck, leave := make(chan struct{}), make(chan struct{})
	Do(c, awaited.in(rt).keeper, func(c *Context, _ *keeper) (int, error) {
		c.Block(func() { close(stuck); <-leave })
		return 0, nil
	})
	<-stuck
	const n = 2000
	d := rt.depot(keepOp.op.core.id)
	promises := make([]*Promise[int], n)
	for i := range promises {
		promises[i] = NewPromise[int](c)
		begun := make(chan struct{})
		make := func(c *Context) (int, error) { close(begun); return Forward(c, promises[i].Future()) }
		awaits.Store(&make)
		glance.Send(c, awaited.At(c, i), struct{}{})
		<-begun
	}
	d.Sized(1)
	d.Add(1 << 40) // as if so many were on their way
	before := d.Made()
	done := make(chan struct{})
	go func() {
		for _, p := range promises {
			p.Resolve(1, nil)
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(4 * time.Second):
		t.Error("Resolve waits for the keeper")
	}
	// A function that had not returned when its promise was resolved has its processor tell the
	// keeper, which makes a batch of messages. That may wait.
	if made := d.Made() - before; made >= n/2 {
		t.Errorf("%d messages of a Tell, which may wait, for %d promises", made, n)
	}
	close(leave)
	<-done
	d.Add(-1 << 40)
	if rt.Quiesce(t.Context()); awaited.Len(rt) != n {
		t.Errorf("%d of %d active", awaited.Len(rt), n)
	}
	if !look(t, awaited, rt, func(_ *Context, k *keeper) bool { return k.n == n }) {
		t.Error("the keeper does not know all")
	}
}

// TestKindNameIsMadeOnce asks for the name of an active unit again and again.
func TestKindNameIsMadeOnce(t *testing.T) {
	rt := New(Processors(1))
	defer rt.Close()
	c := rt.Context()
	u := cells.At(c, 12345)
	glance.Send(c, u, struct{}{}).Wait(t.Context())
	name := u.unit.called()
	if n := testing.AllocsPerRun(100, func() { name = u.unit.called() }); n > 0 || name != "freerun.cells(12345)" {
		t.Errorf("%q, %v allocations", name, n)
	}
	cells.Stop(c, 12345).Wait(t.Context())
	if u.unit.ext.Load().keyed().withRare().title.Load() != nil || u.unit.called() != name {
		t.Error("a passive unit keeps its name")
	}
}
