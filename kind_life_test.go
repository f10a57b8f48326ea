package freerun_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

var (
	breaks  = freerun.NewKind("breaks", func(c *freerun.Context, key int) (int, error) { return key, nil }, freerun.StopOnPanic(), freerun.PassivateAfter(4*time.Millisecond))
	twicer  = freerun.NewKind("twicer", func(c *freerun.Context, key int) (int, error) { return key, nil }, freerun.Restarts(1, time.Hour))
	shatter = freerun.Op("shatter", func(*freerun.Context, *int, struct{}) (int, error) { panic("half done") })
)

// collect runs the collector until it has taken what nobody holds.
func collect() {
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond) // for cleanups, which have a goroutine of their own
	}
}

// TestKindStaysStopped has a panic stop a unit that nobody holds, and that becomes passive: its key
// stays stopped until there is a Stop, whenever the collector runs.
func TestKindStaysStopped(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c, ctx := rt.Context(), soon(t)
	shatter.Send(c, breaks.At(c, 1), struct{}{}).Wait(ctx)
	for breaks.Len(rt) > 0 {
		if ctx.Err() != nil {
			t.Fatal("it stays active")
		}
		time.Sleep(time.Millisecond)
	}
	collect()
	if _, err := peek.Send(c, breaks.At(c, 1), struct{}{}).Wait(ctx); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("after a collection: %v", err)
	}
	if _, err := breaks.Stop(c, 1).Wait(ctx); err != nil {
		t.Error(err)
	}
	if n, err := peek.Send(c, breaks.At(c, 1), struct{}{}).Wait(ctx); n != 1 || err != nil {
		t.Errorf("after Stop: %d, %v", n, err)
	}
}

// TestKindCountsRestarts has a unit that nobody holds panic twice, with a collection in between.
func TestKindCountsRestarts(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c, ctx := rt.Context(), soon(t)
	for range 2 {
		shatter.Send(c, twicer.At(c, 1), struct{}{}).Wait(ctx)
		collect()
	}
	if _, err := peek.Send(c, twicer.At(c, 1), struct{}{}).Wait(ctx); !errors.Is(err, freerun.ErrStopped) {
		t.Errorf("after two panics: %v", err)
	}
}

var (
	beats  atomic.Int64
	beaten = freerun.NewKind("beaten", func(c *freerun.Context, key int) (int, error) {
		if key == 1 {
			freerun.Every(c, time.Millisecond, beat)
		}
		if key == 2 {
			return 0, errNoDisk
		}
		return key, nil
	})
	begin = freerun.Op("begin", func(c *freerun.Context, n *int, through *freerun.Context) (int, error) {
		if through == nil {
			through = c
		}
		if *n == 0 {
			for range 10 { // those that have ended make room for others
				freerun.Every(c, time.Hour, beat).Stop()
			}
			self := beaten.Self(c)
			every := func() {
				peek.Every(through, time.Millisecond, self, struct{}{})
				freerun.Every(through, time.Millisecond, beat)
			}
			if through == c {
				every()
			} else {
				c.Block(every) // there the operation has left its processor
			}
		}
		return *n, nil
	})
)

func beat(*freerun.Context) error { beats.Add(1); return nil }

// beatsOn reports whether there are more beats: at least three.
func beatsOn(t *testing.T) bool {
	for n, deadline := beats.Load(), time.Now().Add(200*time.Millisecond); ; time.Sleep(time.Millisecond) {
		if beats.Load() > n+2 {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// TestKindEvery has a repetition that the operation of a unit, or the function that makes its
// state, has begun. It ends with the activation, and the unit stays passive.
func TestKindEvery(t *testing.T) {
	for key := range 2 {
		rt := startQuiet(t)
		c, ctx := rt.Context(), soon(t)
		begin.Send(c, beaten.At(c, key), nil).Wait(ctx)
		if !beatsOn(t) {
			t.Error("no beat")
		}
		if was, err := beaten.Stop(c, key).Wait(ctx); !was || err != nil {
			t.Error(was, err)
		}
		rt.Quiesce(ctx)
		// What the repetition had sent may have made the unit active again.
		beaten.Stop(c, key).Wait(ctx)
		if beatsOn(t) || beaten.Len(rt) != 0 {
			t.Errorf("key %d: after the activation it goes on; %d active", key, beaten.Len(rt))
		}
		begin.Send(c, beaten.At(c, key), nil).Wait(ctx)
		if !beatsOn(t) {
			t.Error("no beat in the second activation")
		}
		rt.Close()
	}
}

// TestKindEveryThroughRuntime has a repetition through the context of the runtime: it goes on, and
// makes the unit active again. It is begun off the processors.
func TestKindEveryThroughRuntime(t *testing.T) {
	rt := startQuiet(t)
	defer rt.Close()
	c, ctx := rt.Context(), soon(t)
	begin.Send(c, beaten.At(c, 0), c).Wait(ctx)
	before := beaten.Stats(rt).Activations
	beaten.Stop(c, 0).Wait(ctx)
	for beaten.Stats(rt).Activations == before {
		if ctx.Err() != nil {
			t.Fatal("it has stayed passive")
		}
		time.Sleep(time.Millisecond)
	}
	if !beatsOn(t) {
		t.Error("no beat")
	}
}
