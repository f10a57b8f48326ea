package freerun_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestRetire takes the state of a unit back: what was sent before has run, and what comes later
// fails as after a Stop.
func TestRetire(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	ends := 0
	u := freerun.NewUnit(rt, 7, freerun.OnEnd(func(*freerun.Context, *int) { ends++ }))
	watch := freerun.Watch(c, u)
	runtimetest.AddOne.Send(c, u, 1)
	if n := runtimetest.Must(t, freerun.Retire(c, u)); n != 8 {
		t.Errorf("the state is %d", n)
	}
	if e := runtimetest.Must(t, watch); !errors.Is(e.Err, freerun.ErrStopped) || ends != 0 {
		t.Errorf("the watch: %v; OnEnd was called %d times", e.Err, ends)
	}
	for what, f := range map[string]freerun.Future[int]{
		"a message":       runtimetest.AddOne.Send(c, u, 1),
		"a second Retire": freerun.Retire(c, u),
	} {
		if _, err := f.Wait(t.Context()); !errors.Is(err, freerun.ErrStopped) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if freerun.EndingsOf(rt) != 0 {
		t.Error("the runtime keeps the unit")
	}
}

// TestRetireRefuses retires units that have more in their mailboxes, of each priority, and units
// with a part of an operation on several behind: they go on.
func TestRetireRefuses(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for by := range len(runtimetest.Priorities) + 2 {
		tries := 0
		for tries < 100 && !retireRefused(t, rt, by) {
			tries++
		}
		if tries == 100 {
			t.Errorf("%d: the message behind came first each time", by)
		}
	}
}

// retireRefused retires a unit with a message behind, and reports whether that was refused. A
// processor that looks for work while both come may find the message behind first, if its priority
// is lower: then its effect is in the state.
func retireRefused(t *testing.T, rt *freerun.Runtime, by int) (refused bool) {
	c := rt.Context()
	u, partner := freerun.NewUnit(rt, 7, freerun.UnitName("till")), freerun.NewUnit(rt, 0)
	gate := runtimetest.NewGate()
	freerun.Do(c, u, func(c *freerun.Context, _ *int) (int, error) { c.Block(gate.Pass); return 0, nil })
	<-gate.Entered
	var behind freerun.Future[int]
	f := freerun.Retire(c.WithPriority(freerun.High), u)
	switch {
	case by < len(runtimetest.Priorities):
		behind = runtimetest.AddOne.Send(c.WithPriority(runtimetest.Priorities[by]), u, 1)
	case by == len(runtimetest.Priorities):
		behind = freerun.When2(c, u, partner, func(_ *freerun.Context, n, _ *int) (int, error) { *n++; return *n, nil })
	default:
		behind = freerun.Read(c, u, func(_ *freerun.Context, n *int) (int, error) { return *n + 1, nil })
	}
	close(gate.Opened)
	state, err := f.Wait(t.Context())
	if n := runtimetest.Must(t, behind); n != 8 {
		t.Errorf("%d: the message behind: %d", by, n)
	}
	switch {
	case err == nil && by > 0 && (state == 8 || state == 7 && by == len(runtimetest.Priorities)+1):
		return false
	case !errors.Is(err, freerun.ErrInUse) || !strings.Contains(err.Error(), "till"):
		t.Errorf("%d: %d, %v", by, state, err)
	}
	return true
}

// TestRetireAfterOthers retires units whose last message, of another priority, has just run: they
// are not in use.
func TestRetireAfterOthers(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	c := rt.Context()
	for _, first := range runtimetest.Priorities {
		for _, second := range runtimetest.Priorities {
			u := freerun.NewUnit(rt, 7)
			retired := freerun.Do(c.WithPriority(first), u, func(c *freerun.Context, n *int) (int, error) {
				*n++
				return freerun.Forward(c, freerun.Retire(c.WithPriority(second), u))
			})
			if n, err := retired.Wait(t.Context()); n != 8 || err != nil {
				t.Errorf("%v, then %v: %d, %v", first, second, n, err)
			}
		}
	}
}

// TestRetireHoldsFutures retires a unit whose state holds an open future, and a suspended one.
func TestRetireHoldsFutures(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	p := freerun.NewPromise[int](c)
	u := freerun.NewUnit(rt, p.Future())
	f := runtimetest.Must(t, freerun.Retire(c, u))
	if _, err := f.Result(); err != freerun.ErrWouldBlock {
		t.Error(err)
	}
	v := freerun.NewUnit(rt, 3)
	freerun.Suspend(c, v, p.Future())
	retired := freerun.Retire(c, v)
	awaitSuspended(t, rt, 1)
	if _, err := retired.Result(); err != freerun.ErrWouldBlock {
		t.Error(err)
	}
	p.Resolve(1, nil)
	if n := runtimetest.Must(t, retired); n != 3 {
		t.Error(n)
	}
}

var (
	retiredSaved atomic.Int64
	retirees     = freerun.NewKind("retirees", func(_ *freerun.Context, key int) (int, error) {
		if key < 0 {
			return 0, errors.New("no such key")
		}
		return key, nil
	}, freerun.MaxActive(100), freerun.OnStop(func(*freerun.Context, int, *int) { retiredSaved.Add(1) }))
)

// TestRetireOfKind retires units of a kind, which are passive then: the next message makes a new
// state, and OnStop is not called.
func TestRetireOfKind(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	c := rt.Context()
	u := retirees.At(c, 5)
	runtimetest.AddOne.Send(c, u, 10)
	watch := freerun.Watch(c, u)
	if n := runtimetest.Must(t, freerun.Retire(c, u)); n != 15 || retiredSaved.Load() != 0 {
		t.Errorf("the state is %d; saved %d times", n, retiredSaved.Load())
	}
	if e := runtimetest.Must(t, watch); e.Err != nil || retirees.Len(rt) != 0 || retirees.Stats(rt).Passivations != 1 {
		t.Errorf("%v; %+v", e.Err, retirees.Stats(rt))
	}
	if n := runtimetest.Must(t, freerun.Retire(c, u)); n != 5 { // it was passive
		t.Errorf("the new state is %d", n)
	}
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1)); n != 6 {
		t.Errorf("a message afterwards: %d", n)
	}
	if _, err := freerun.Retire(c, retirees.At(c, -1)).Wait(t.Context()); err == nil || errors.Is(err, freerun.ErrInUse) {
		t.Errorf("a state that cannot be made: %v", err)
	}
}

// TestRetireLosesNothing retires units, plain ones and of a kind, while messages are told to them
// and they are stopped: each message has run on a state that was given back, or dropped by the
// Stop, or was lost, and told so.
func TestRetireLosesNothing(t *testing.T) {
	for _, kind := range []bool{false, true} {
		var lost atomic.Int64
		rt := runtimetest.Quiet(t, freerun.Processors(4), freerun.OnLost(func(freerun.LostMessage) { lost.Add(1) }))
		c := rt.Context()
		var sent, back, refused atomic.Int64
		for round := range 60 {
			var u *freerun.Unit[int]
			if kind {
				u = retirees.At(c, 0)
			} else {
				u = freerun.NewUnit(rt, 0, freerun.OnEnd(func(_ *freerun.Context, n *int) { back.Add(int64(*n)) }))
			}
			var senders sync.WaitGroup
			for sender := range 2 {
				senders.Go(func() {
					for i := range 100 {
						if runtimetest.AddOne.Tell(c.WithPriority(runtimetest.Priorities[(i+sender)%len(runtimetest.Priorities)]), u, 1) == nil {
							sent.Add(1)
						}
						if i%8 == 0 {
							runtime.Gosched()
						}
					}
				})
			}
			senders.Go(func() {
				for range 20 {
					n, err := freerun.Retire(c, u).Wait(runtimetest.Within(t))
					switch {
					case err == nil:
						back.Add(int64(n))
					case errors.Is(err, freerun.ErrInUse):
						refused.Add(1)
					case !errors.Is(err, freerun.ErrStopped):
						t.Error(err)
					}
				}
			})
			if round%3 == 0 && !kind {
				senders.Go(func() { freerun.Stop(c, u) })
			}
			senders.Wait()
			for ctx := runtimetest.Within(t); ; time.Sleep(time.Millisecond) { // the rest
				n, err := freerun.Retire(c, u).Wait(ctx)
				if err == nil {
					back.Add(int64(n))
				}
				if !errors.Is(err, freerun.ErrInUse) {
					break
				}
			}
		}
		rt.Quiesce(runtimetest.Within(t))
		if n := back.Load() + lost.Load(); n != sent.Load() || kind && lost.Load() > 0 {
			t.Errorf("kind %v: %d sent; %d came back, %d lost; %d refusals", kind, sent.Load(), back.Load(), lost.Load(), refused.Load())
		}
		if s := rt.Stats(); s.Sent != s.Done {
			t.Errorf("%d sent, %d done", s.Sent, s.Done)
		}
	}
}
