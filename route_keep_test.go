package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// keptTarget is what an operation sends to whose outcome is kept back. What comes counts in came.
type keptTarget struct {
	rt   *freerun.Runtime
	s    *freerun.Scope
	a, b *freerun.Unit[int]
	came atomic.Int64
	// futures has the outcomes of what was sent, and timers the repetitions.
	futures []func() error
	timers  []*freerun.Timer
	jobs    *freerun.Keyed[int, int]
}

func newKeptTarget(rt *freerun.Runtime, s *freerun.Scope) *keptTarget {
	x := &keptTarget{rt: rt, s: s, a: freerun.NewUnit(rt, 0), b: freerun.NewUnit(rt, 0)}
	x.jobs = freerun.NewKeyed(rt, freerun.KeyedLimits{Total: 1, PerKey: 1}, func(*freerun.Context, int, int) error { x.come(); return nil })
	return x
}

type keptValue struct{}

func (x *keptTarget) come() { x.came.Add(1) }

// sent notes a future of an operation that counts.
func sent[R any](x *keptTarget, f freerun.Future[R]) error {
	x.futures = append(x.futures, func() error { _, err := f.Result(); return err })
	return nil
}

var (
	keptOp    = freerun.Op("keptOp", func(_ *freerun.Context, _ *int, x *keptTarget) (int, error) { x.come(); return 0, nil })
	keptRead  = freerun.ReadOp("keptRead", func(_ *freerun.Context, _ *int, x *keptTarget) (int, error) { x.come(); return 0, nil })
	keptFree  = freerun.FreeOp("keptFree", func(_ *freerun.Context, x *keptTarget) (int, error) { x.come(); return 0, nil })
	keptSmall = freerun.SmallOp("keptSmall", func(_ *freerun.Context, x *keptTarget) (int, error) { x.come(); return 0, nil })
	keptOp2   = freerun.Op2("keptOp2", func(_ *freerun.Context, _, _ *int, x *keptTarget) (int, error) { x.come(); return 0, nil })
	keptOpAll = freerun.OpAll("keptOpAll", func(_ *freerun.Context, _ []*int, x *keptTarget) (int, error) { x.come(); return 0, nil })
)

// keptVerbs are all ways in which an operation can send. Each has its target count one.
var keptVerbs = []struct {
	name string
	send func(c *freerun.Context, x *keptTarget) error
}{
	{"Send", func(c *freerun.Context, x *keptTarget) error { return sent(x, keptOp.Send(c, x.a, x)) }},
	{"Tell", func(c *freerun.Context, x *keptTarget) error { return keptOp.Tell(c, x.a, x) }},
	{"a read", func(c *freerun.Context, x *keptTarget) error { return sent(x, keptRead.Send(c, x.a, x)) }},
	{"a free Send", func(c *freerun.Context, x *keptTarget) error { return sent(x, keptFree.Send(c, x)) }},
	{"a free Tell", func(c *freerun.Context, x *keptTarget) error { return keptFree.Tell(c, x) }},
	{"a small Send", func(c *freerun.Context, x *keptTarget) error { return sent(x, keptSmall.Send(c, x)) }},
	{"Op2", func(c *freerun.Context, x *keptTarget) error { return sent(x, keptOp2.Send(c, x.a, x.b, x)) }},
	{"Op2 Tell", func(c *freerun.Context, x *keptTarget) error { return keptOp2.Tell(c, x.b, x.a, x) }},
	{"OpAll", func(c *freerun.Context, x *keptTarget) error {
		return sent(x, keptOpAll.Send(c, []*freerun.Unit[int]{x.a, x.b}, x))
	}},
	{"OpAll Tell", func(c *freerun.Context, x *keptTarget) error {
		return keptOpAll.Tell(c, []*freerun.Unit[int]{x.a, x.b}, x)
	}},
	{"When2", func(c *freerun.Context, x *keptTarget) error {
		return sent(x, freerun.When2(c, x.a, x.b, func(*freerun.Context, *int, *int) (int, error) { x.come(); return 0, nil }))
	}},
	{"Do", func(c *freerun.Context, x *keptTarget) error {
		return sent(x, freerun.Do(c, x.a, func(*freerun.Context, *int) (int, error) { x.come(); return 0, nil }))
	}},
	{"Go", func(c *freerun.Context, x *keptTarget) error {
		return sent(x, freerun.Go(c, func(*freerun.Context) (int, error) { x.come(); return 0, nil }))
	}},
	{"Then", func(c *freerun.Context, x *keptTarget) error {
		return sent(x, freerun.Then(c, freerun.Resolved(1), func(*freerun.Context, int) (int, error) { x.come(); return 0, nil }))
	}},
	{"Then of what is kept", func(c *freerun.Context, x *keptTarget) error {
		f := freerun.Go(c, func(*freerun.Context) (int, error) { return 0, nil })
		return sent(x, freerun.Then(c, f, func(*freerun.Context, int) (int, error) { x.come(); return 0, nil }))
	}},
	{"Handle", func(c *freerun.Context, x *keptTarget) error {
		return sent(x, freerun.Handle(c, freerun.Resolved(1), func(*freerun.Context, int, error) (int, error) { x.come(); return 0, nil }))
	}},
	{"SendAfter", func(c *freerun.Context, x *keptTarget) error {
		f, _ := keptOp.SendAfter(c, 0, x.a, x)
		return sent(x, f)
	}},
	{"a free SendAfter", func(c *freerun.Context, x *keptTarget) error {
		f, _ := keptFree.SendAfter(c, time.Microsecond, x)
		return sent(x, f)
	}},
	{"Every", func(c *freerun.Context, x *keptTarget) error {
		var t atomic.Pointer[freerun.Timer]
		t.Store(freerun.Every(c, time.Microsecond, func(*freerun.Context) error {
			if t.Load() != nil && t.Load().Stop() {
				x.come()
			}
			return nil
		}))
		x.timers = append(x.timers, t.Load())
		return nil
	}},
	{"Submit", func(c *freerun.Context, x *keptTarget) error { return x.jobs.Submit(c, 1, 1) }},
	{"activity.Go", func(c *freerun.Context, x *keptTarget) error {
		a := activity.Go(c, func(*activity.Activity) { x.come() })
		x.futures = append(x.futures, func() error { return a.Wait(context.Background()) })
		return nil
	}},
	{"Stop", func(c *freerun.Context, x *keptTarget) error {
		f := freerun.Stop(c, x.a)
		freerun.Handle(x.rt.Context(), f, func(_ *freerun.Context, stopped bool, _ error) (int, error) {
			if stopped {
				x.come()
			}
			return 0, nil
		})
		return sent(x, f)
	}},
	{"Suspend", func(c *freerun.Context, x *keptTarget) error {
		p := freerun.NewPromise[int](x.rt.Context())
		f := freerun.Suspend(c, x.a, p.Future())
		g := keptOp.Send(c, x.a, x)
		freerun.Handle(x.rt.Context(), freerun.Go(c, func(*freerun.Context) (int, error) { return 0, nil }),
			func(*freerun.Context, int, error) (int, error) { p.Resolve(1, nil); return 0, nil })
		return errors.Join(sent(x, f), sent(x, g))
	}},
	{"with a value", func(c *freerun.Context, x *keptTarget) error {
		return keptOp.Tell(c.WithValue(keptValue{}, 1), x.a, x)
	}},
	{"with a scope", func(c *freerun.Context, x *keptTarget) error { return keptOp.Tell(c.WithScope(x.s), x.a, x) }},
	{"a Send with a scope", func(c *freerun.Context, x *keptTarget) error {
		return sent(x, keptOp.Send(c.WithScope(x.s), x.a, x))
	}},
	{"the context of a scope", func(c *freerun.Context, x *keptTarget) error { return keptOp.Tell(x.s.Context(), x.a, x) }},
	{"with a priority", func(c *freerun.Context, x *keptTarget) error {
		return keptOp.Tell(c.WithPriority(freerun.High), x.a, x)
	}},
	{"with the usual priority", func(c *freerun.Context, x *keptTarget) error {
		return keptOp.Tell(c.WithPriority(freerun.High).WithPriority(freerun.Normal), x.a, x)
	}},
	{"NoWait", func(c *freerun.Context, x *keptTarget) error { return keptOp.Tell(c.NoWait(), x.a, x) }},
	{"after Block", func(c *freerun.Context, x *keptTarget) error {
		c.Block(func() {})
		return keptOp.Tell(c, x.a, x)
	}},
	{"in Block", func(c *freerun.Context, x *keptTarget) (err error) {
		c.Block(func() { err = keptOp.Tell(c, x.a, x) })
		return err
	}},
	{"in a branch", func(c *freerun.Context, x *keptTarget) error {
		_, err := freerun.Join(c, func(c *freerun.Context) int {
			time.Sleep(time.Millisecond) // if another processor may take the other branch, it does
			return 0
		}, func(c *freerun.Context) error { return keptOp.Tell(c, x.a, x) })
		return err
	}},
}

// onKept calls test for each verb, with an operation that sends so: with contexts of no key, and of
// a scope.
func onKept(t *testing.T, test func(t *testing.T, rt *freerun.Runtime, x *keptTarget, run func(c *freerun.Context) freerun.Future[int], release func(err error))) {
	for _, verb := range keptVerbs {
		for _, scoped := range []bool{false, true} {
			runtimetest.OnSome(t, func(t *testing.T, processors int) {
				rt, _ := runtimetest.Start(t, freerun.Processors(processors))
				defer func() {
					if t.Failed() {
						t.Logf("%s, of a scope: %v", verb.name, scoped)
					}
				}()
				x := newKeptTarget(rt, rt.Scope(t.Context()))
				h := &holder{}
				u := freerun.NewUnit(rt, 0, freerun.Intercept(h.around))
				run := func(c *freerun.Context) freerun.Future[int] {
					if scoped {
						c = rt.Scope(t.Context()).Context()
					}
					f := freerun.Do(c, u, func(c *freerun.Context, _ *int) (int, error) { return 0, verb.send(c, x) })
					behind(t, rt, u)
					return f
				}
				test(t, rt, x, run, func(err error) { h.take(t, 1)[0].Release(err) })
			})
		}
	}
}

// TestKept: what an operation sends leaves when its outcome is given free, whatever the way.
func TestKept(t *testing.T) {
	onKept(t, func(t *testing.T, rt *freerun.Runtime, x *keptTarget, run func(c *freerun.Context) freerun.Future[int], release func(err error)) {
		f := run(rt.Context())
		time.Sleep(time.Millisecond)
		if n := x.came.Load(); n != 0 {
			t.Errorf("%d came before the outcome", n)
		}
		release(nil)
		runtimetest.Must(t, f)
		for within := runtimetest.Within(t); x.came.Load() != 1; time.Sleep(time.Millisecond) {
			if within.Err() != nil {
				t.Fatalf("%d came", x.came.Load())
			}
		}
		s := quiet(t, rt)
		if s.Lost != 0 || s.Failed != 0 {
			t.Errorf("%d lost, %d failed", s.Lost, s.Failed)
		}
		for _, outcome := range x.futures {
			if err := outcome(); err != nil {
				t.Error(err)
			}
		}
		if err := errors.Join(x.s.Wait(runtimetest.Within(t)), x.jobs.Wait(runtimetest.Within(t))); err != nil {
			t.Error(err)
		}
	})
}

// TestKeptWithdrawn: what an operation has sent whose outcome is an error never leaves. Its futures
// fail, and nobody is told besides.
func TestKeptWithdrawn(t *testing.T) {
	onKept(t, func(t *testing.T, rt *freerun.Runtime, x *keptTarget, run func(c *freerun.Context) freerun.Future[int], release func(err error)) {
		f := run(rt.Context())
		release(errByRoute)
		if _, err := f.Wait(runtimetest.Within(t)); err != errByRoute {
			t.Error(err)
		}
		s := quiet(t, rt)
		if n := x.came.Load(); n != 0 || s.Lost != 0 {
			t.Errorf("%d came, %d lost", n, s.Lost)
		}
		for _, outcome := range x.futures {
			if err := outcome(); !errors.Is(err, freerun.ErrCanceled) {
				t.Error(err)
			}
		}
		for _, timer := range x.timers {
			if timer.Stop() {
				t.Error("a repetition goes on")
			}
		}
		if err := errors.Join(x.s.Wait(runtimetest.Within(t)), x.jobs.Wait(runtimetest.Within(t))); err != nil {
			t.Error(err)
		}
		if err := x.jobs.Submit(rt.Context(), 1, 1); err != nil { // its place is free again
			t.Error(err)
		}
		quiet(t, rt)
		if n := x.came.Load(); n != 1 {
			t.Errorf("%d jobs", n)
		}
	})
}

// TestKeptPanic: what an operation has sent that panics, or ends its goroutine, never leaves.
func TestKeptPanic(t *testing.T) {
	for _, ends := range []func(){func() { panic("boom") }, runtime.Goexit} {
		rt, _ := runtimetest.Start(t)
		x := newKeptTarget(rt, rt.Scope(t.Context()))
		h := &holder{}
		u := freerun.NewUnit(rt, 0, freerun.Intercept(h.around))
		f := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			err := errors.Join(keptOp.Tell(c, x.a, x), sent(x, keptOp.Send(c, x.a, x)))
			ends()
			return 0, err
		})
		var panicked *freerun.PanicError
		if _, err := f.Wait(runtimetest.Within(t)); !errors.As(err, &panicked) {
			t.Error(err)
		}
		quiet(t, rt)
		if n := x.came.Load(); n != 0 || !errors.Is(x.futures[0](), freerun.ErrCanceled) {
			t.Errorf("%d came, %v", n, x.futures[0]())
		}
	}
}

// TestKeptWaited: an activity that is kept may be waited for, until the outcome is given free, also
// as an error, or the runtime has ended.
func TestKeptWaited(t *testing.T) {
	for _, end := range []string{"outcome", "error", "Close", "Close before"} {
		rt := runtimetest.Quiet(t)
		h := &holder{}
		u := freerun.NewUnit(rt, 0, freerun.Intercept(h.around))
		var kept *activity.Activity
		ran, waits := false, make(chan error)
		freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			kept = activity.Go(c, func(*activity.Activity) { ran = true })
			return 0, nil
		})
		behind(t, rt, u)
		soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if err := kept.Wait(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: it does not wait: %v", end, err)
		}
		cancel()
		go func() { waits <- kept.Wait(runtimetest.Within(t)) }()
		var why, want error
		switch end {
		case "error":
			why, want = errByRoute, freerun.ErrCanceled
		case "Close before":
			_ = rt.Close()
			want = freerun.ErrClosed
		}
		h.take(t, 1)[0].Release(why)
		if end == "Close" {
			_ = rt.Close()
		}
		if err := <-waits; !errors.Is(err, want) && !(end == "Close" && errors.Is(err, freerun.ErrClosed)) || ran != (err == nil) {
			t.Errorf("%s: %v, ran %v", end, err, ran)
		}
		_ = rt.Close()
	}
}

// TestKeptOpen: what has no effect on others is not kept, nor is what is sent through the context
// of the runtime, or by another goroutine. An operation that goes on to send once its outcome was
// given free is kept until it returns.
func TestKeptOpen(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	x := newKeptTarget(rt, rt.Scope(t.Context()))
	h := &holder{}
	u := freerun.NewUnit(rt, 0, freerun.Intercept(h.around))
	var watch freerun.Future[freerun.Ended]
	f := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
		watch = freerun.Watch(c, x.b)
		p := freerun.NewPromise[int](c)
		p.Resolve(1, nil)
		if _, err := p.Future().Result(); err != nil {
			t.Error(err)
		}
		err := keptOp.Tell(rt.Context(), x.a, x)
		sent := make(chan error)
		c.Block(func() {
			go func() { sent <- keptOp.Tell(c, x.a, x) }()
			err = errors.Join(err, <-sent)
		})
		return 0, err
	})
	behind(t, rt, u)
	runtimetest.Must(t, freerun.Do(rt.Context(), x.a, func(*freerun.Context, *int) (int, error) { return 0, nil }))
	if n := x.came.Load(); n != 2 {
		t.Errorf("%d came", n)
	}
	freerun.Stop(rt.Context(), x.b)
	if ended := runtimetest.Must(t, watch); ended.Err == nil {
		t.Error("it has not ended")
	}
	h.take(t, 1)[0].Release(nil)
	runtimetest.Must(t, f)
	quiet(t, rt)
}

// TestKeptOrder: what one unit sends to another comes in the order of sending, over operations
// whose outcomes are given free in their order.
func TestKeptOrder(t *testing.T) {
	rt, _ := runtimetest.Start(t)
	h := &holder{}
	u := freerun.NewUnit(rt, 0, freerun.Intercept(h.around))
	to := freerun.NewUnit(rt, []int(nil))
	const operations, messages = 5, 10
	for n := range operations {
		freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			for i := range messages {
				freerun.Do(c, to, func(_ *freerun.Context, got *[]int) (int, error) { *got = append(*got, n*messages+i); return 0, nil })
			}
			return 0, nil
		})
	}
	behind(t, rt, u)
	for _, h := range h.take(t, operations) {
		h.Release(nil)
	}
	got := runtimetest.Must(t, freerun.Do(rt.Context(), to, func(_ *freerun.Context, got *[]int) ([]int, error) { return *got, nil }))
	if len(got) != operations*messages {
		t.Errorf("%d came", len(got))
	}
	for i, n := range got {
		if i != n {
			t.Fatalf("%v", got)
		}
	}
}

// keptWaits adds what a future has.
var keptWaits = freerun.Op("keptWaits", func(_ *freerun.Context, n *int, f freerun.Future[int]) (int, error) {
	v, err := f.Result()
	*n += v
	return *n, err
})

// TestKeptWaits: a route is asked about a message that is kept since it waits for a future, at the
// send and when it leaves. An error at the send refuses it.
func TestKeptWaits(t *testing.T) {
	for _, why := range []error{nil, errByRoute} {
		rt, _ := runtimetest.Start(t)
		var asked, waited atomic.Int64
		to := routed(rt, routeFunc(func(m route.Message) (route.Verdict, error) {
			if asked.Add(1); !m.Ahead() {
				return route.Here, nil
			}
			if waited.Add(1); m.Sender() == nil {
				t.Error("it waits, and has no sender")
			}
			return route.Elsewhere, why // of which nothing comes
		}))
		p := freerun.NewPromise[int](rt.Context())
		h := &holder{}
		u := freerun.NewUnit(rt, 0, freerun.Intercept(h.around))
		var told error
		var got freerun.Future[int]
		f := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			told = keptWaits.Tell(c, to, p.Future())
			got = keptWaits.Send(c, to, p.Future())
			return 0, nil
		})
		behind(t, rt, u)
		if asked.Load() != 2 || waited.Load() != 2 || !errors.Is(told, why) {
			t.Errorf("asked %d times, %d waited; told: %v", asked.Load(), waited.Load(), told)
		}
		h.take(t, 1)[0].Release(nil)
		runtimetest.Must(t, f)
		p.Resolve(3, nil)
		n, err := got.Wait(runtimetest.Within(t))
		if want := map[bool]int{true: 6}[why == nil]; n != want || !errors.Is(err, why) {
			t.Errorf("%d, %v", n, err)
		}
		if want := map[bool]int64{true: 4, false: 2}[why == nil]; asked.Load() != want || waited.Load() != 2 {
			t.Errorf("asked %d times in all, want %d; %d waited", asked.Load(), want, waited.Load())
		}
	}
}

// TestKeptCanceled: what is kept is canceled with its scope.
func TestKeptCanceled(t *testing.T) {
	for _, why := range []error{nil, errByRoute} {
		rt, _ := runtimetest.Start(t)
		x := newKeptTarget(rt, rt.Scope(t.Context()))
		h := &holder{}
		u := freerun.NewUnit(rt, 0, freerun.Intercept(h.around))
		f := freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
			c = c.WithScope(x.s)
			return 0, errors.Join(keptOp.Tell(c, x.a, x), sent(x, keptOp.Send(c, x.a, x)), keptOp2.Tell(c, x.a, x.b, x), x.jobs.Submit(c, 1, 1))
		})
		behind(t, rt, u)
		soon, cancel := context.WithCancel(t.Context())
		cancel()
		if err := x.s.Wait(soon); !errors.Is(err, context.Canceled) {
			t.Errorf("the scope does not wait: %v", err)
		}
		x.s.Cancel(nil)
		if err := x.futures[0](); !errors.Is(err, freerun.ErrCanceled) {
			t.Error(err)
		}
		h.take(t, 1)[0].Release(why)
		if _, err := f.Wait(runtimetest.Within(t)); err != why {
			t.Error(err)
		}
		quiet(t, rt)
		if n := x.came.Load(); n != 0 {
			t.Errorf("%d came", n)
		}
		if err := x.jobs.Submit(rt.Context(), 1, 1); err != nil {
			t.Error(err)
		}
		quiet(t, rt)
	}
}
