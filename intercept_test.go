package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

var (
	icAdd   = freerun.Op("icAdd", func(_ *freerun.Context, s *int, n int) (int, error) { *s += n; return *s, nil })
	icLook  = freerun.ReadOp("icLook", func(_ *freerun.Context, s *int, n int) (int, error) { return *s + n, nil })
	icFree  = freerun.FreeOp("icFree", func(_ *freerun.Context, n int) (int, error) { return n + 1, nil })
	icSmall = freerun.SmallOp("icSmall", func(_ *freerun.Context, n int) (int, error) { return n + 2, nil })
	icMove  = freerun.Op2("icMove", func(_ *freerun.Context, a, b *int, n int) (int, error) { *a -= n; *b += n; return n, nil })
	icAll   = freerun.OpAll("icAll", func(_ *freerun.Context, all []*int, n int) (int, error) {
		for _, s := range all {
			*s += n
		}
		return len(all), nil
	})
	icSub = freerun.Op("icSub", func(c *freerun.Context, _ *int, n int) (int, error) {
		f := icSmall.Send(c, n)
		return freerun.Forward(c, f)
	})
)

// icLog notes what interceptors see, in the order in which they see it.
type icLog struct {
	mu  sync.Mutex
	all []string
}

func (l *icLog) add(s string) { l.mu.Lock(); l.all = append(l.all, s); l.mu.Unlock() }

func (l *icLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := strings.Join(l.all, " ")
	l.all = nil
	return s
}

func icShort(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// note returns an interceptor that notes each operation and its end.
func (l *icLog) note(mark string) func(*freerun.Context, *freerun.Invocation) error {
	return func(c *freerun.Context, i *freerun.Invocation) error {
		l.add(mark + "(" + icShort(i.Operation))
		err := i.Next(c)
		l.add(")" + mark)
		return err
	}
}

// TestInterceptEveryForm sends operations of all forms, by all verbs, to units with interceptors of
// the runtime, the kind and the unit.
func TestInterceptEveryForm(t *testing.T) {
	var l icLog
	rt, _ := runtimetest.Start(t, freerun.Processors(1), freerun.InterceptAll(l.note("r")))
	c, ctx := rt.Context(), runtimetest.Within(t)
	unit := freerun.Intercept(l.note("u"))
	a := freerun.NewUnit(rt, 10, unit, freerun.Intercept(l.note("v")))
	b := freerun.NewUnit(rt, 20, unit)
	plain := freerun.NewUnit(rt, 0)
	tell := func(err error) func() (int, error) {
		return func() (int, error) {
			if err == nil {
				err = rt.Quiesce(ctx)
			}
			return 0, err
		}
	}
	for name, k := range map[string]struct {
		do         func() (int, error)
		want       int
		sequential string
	}{
		"send":    {func() (int, error) { return icAdd.Send(c, a, 1).Wait(ctx) }, 11, "r(icAdd u(icAdd v(icAdd )v )u )r"},
		"plain":   {func() (int, error) { return icAdd.Send(c, plain, 1).Wait(ctx) }, 1, "r(icAdd )r"},
		"tell":    {func() (int, error) { return tell(icAdd.Tell(c, b, 0))() }, 0, "r(icAdd u(icAdd )u )r"},
		"call":    {func() (int, error) { return icAdd.Call(ctx, b, 0) }, 20, "r(icAdd u(icAdd )u )r"},
		"high":    {func() (int, error) { return icAdd.Send(c.WithPriority(freerun.High), b, 0).Wait(ctx) }, 20, "r(icAdd u(icAdd )u )r"},
		"read":    {func() (int, error) { return icLook.Send(c, b, 3).Wait(ctx) }, 23, "r(icLook u(icLook )u )r"},
		"free":    {func() (int, error) { return icFree.Send(c, 3).Wait(ctx) }, 4, "r(icFree )r"},
		"freetel": {func() (int, error) { return tell(icFree.Tell(c, 3))() }, 0, "r(icFree )r"},
		"two":     {func() (int, error) { return icMove.Send(c, a, b, 0).Wait(ctx) }, 0, "r(icMove u(icMove v(icMove )v )u )r"},
		"twotell": {func() (int, error) { return tell(icMove.Tell(c, b, plain, 0))() }, 0, "r(icMove u(icMove )u )r"},
		"all": {
			func() (int, error) { return icAll.Send(c, []*freerun.Unit[int]{plain, b, a}, 0).Wait(ctx) }, 3,
			"r(icAll u(icAll v(icAll )v )u )r",
		},
		"none":    {func() (int, error) { return icAll.Send(c, nil, 0).Wait(ctx) }, 0, "r(icAll )r"},
		"forward": {func() (int, error) { return icSub.Send(c, b, 5).Wait(ctx) }, 7, "r(icSub u(icSub )u )r r(icSmall )r"},
		"after": {func() (int, error) {
			f, _ := icAdd.SendAfter(c, time.Microsecond, b, 0)
			return f.Wait(ctx)
		}, 20, "r(icAdd u(icAdd )u )r"},
		"closure": {func() (int, error) {
			return freerun.Do(c, b, icClosure).Wait(ctx)
		}, 20, "r(icClosure u(icClosure )u )r"},
		"then": {func() (int, error) {
			return freerun.Then(c, freerun.Resolved(4), icThen).Wait(ctx)
		}, 5, "r(icThen )r"},
	} {
		a0, p0 := runtimetest.Must(t, icLook.Send(c, a, 0)), runtimetest.Must(t, icLook.Send(c, plain, 0))
		l.take()
		got, err := k.do()
		if err != nil || got != k.want {
			t.Errorf("%s: %d, %v, want %d", name, got, err, k.want)
		}
		if err := rt.Quiesce(ctx); err != nil {
			t.Fatal(err)
		}
		if got := l.take(); got != k.sequential {
			t.Errorf("%s: interceptors saw %q, want %q", name, got, k.sequential)
		}
		// The operation ran once.
		a1, p1 := runtimetest.Must(t, icLook.Send(c, a, 0)), runtimetest.Must(t, icLook.Send(c, plain, 0))
		runtimetest.Must(t, icAdd.Send(c, a, a0-a1))
		runtimetest.Must(t, icAdd.Send(c, plain, p0-p1))
	}
}

func icClosure(_ *freerun.Context, s *int) (int, error)   { return *s, nil }
func icThen(_ *freerun.Context, v int) (int, error)       { return v + 1, nil }
func icNever(*freerun.Context, *freerun.Invocation) error { return errRefused }
func icAnswer(_ *freerun.Context, i *freerun.Invocation) error {
	*i.Result().(*int) = 42
	return nil
}

var errRefused = errors.New("refused")

// TestInterceptDecides has interceptors refuse, answer, change and repeat operations.
func TestInterceptDecides(t *testing.T) {
	rt, journal := runtimetest.Start(t, freerun.Processors(2))
	c, ctx := rt.Context(), runtimetest.Within(t)
	unit := func(fn func(*freerun.Context, *freerun.Invocation) error) *freerun.Unit[int] {
		return freerun.NewUnit(rt, 0, freerun.Intercept(fn), freerun.UnitName("ada"))
	}
	state := func(u *freerun.Unit[int]) (n int) {
		// A read would be intercepted too; a second operation on both units sees the state.
		done := freerun.When2(c, u, freerun.NewUnit(rt, 0), func(_ *freerun.Context, s, _ *int) (struct{}, error) { n = *s; return struct{}{}, nil })
		done.Wait(ctx)
		return n
	}
	refuse := unit(icNever)
	if _, err := icAdd.Send(c, refuse, 1).Wait(ctx); err != errRefused {
		t.Error(err)
	}
	lost := rt.Stats().Lost
	if err := icAdd.Tell(c, refuse, 1); err != nil {
		t.Error(err)
	}
	rt.Quiesce(ctx)
	if n := rt.Stats().Lost; n != lost+1 {
		t.Errorf("%d failures were lost, want %d: %q", n, lost+1, journal.Texts())
	}
	if v, err := icAdd.Send(c, unit(icAnswer), 1).Wait(ctx); v != 42 || err != nil {
		t.Error(v, err)
	}
	double := unit(func(c *freerun.Context, i *freerun.Invocation) error {
		if p, ok := i.Arg().(*int); ok {
			*p *= 2
			if i.Unit() != "ada" {
				t.Errorf("the unit is %q", i.Unit())
			}
		}
		err := i.Next(c)
		if r, ok := i.Result().(*int); ok {
			*r = -*r
		}
		return err
	})
	if v, err := icAdd.Send(c, double, 3).Wait(ctx); v != -6 || err != nil {
		t.Error(v, err)
	}
	if n := state(double); n != 6 {
		t.Errorf("the state is %d", n)
	}
	twice := unit(func(c *freerun.Context, i *freerun.Invocation) error { i.Next(c); return i.Next(c) })
	if v, err := icAdd.Send(c, twice, 3).Wait(ctx); v != 6 || err != nil {
		t.Error(v, err)
	}
	// The last of two forwarded futures counts.
	n := 0
	forwarding := freerun.Do(c, unit(func(c *freerun.Context, i *freerun.Invocation) error {
		if err := i.Next(c); err != nil {
			t.Error(err)
		}
		return i.Next(c)
	}), func(c *freerun.Context, _ *int) (int, error) {
		n++
		return freerun.Forward(c, icFree.Send(c, n))
	})
	if v, err := forwarding.Wait(ctx); v != 3 || err != nil {
		t.Error(v, err)
	}
	// An interceptor's error comes before what was forwarded.
	late := freerun.Do(c, unit(func(c *freerun.Context, i *freerun.Invocation) error { i.Next(c); return errRefused }), func(c *freerun.Context, _ *int) (int, error) {
		return freerun.Forward(c, icFree.Send(c, 1))
	})
	if _, err := late.Wait(ctx); err != errRefused {
		t.Error(err)
	}
	// A Forward that is not returned is refused with an interceptor, as without one.
	if _, err := freerun.Do(c, unit(icNext), func(c *freerun.Context, _ *int) (int, error) {
		freerun.Forward(c, icFree.Send(c, 1))
		return 0, nil
	}).Wait(ctx); !errors.Is(err, freerun.ErrForward) {
		t.Error(err)
	}
	// An interceptor may forward itself, if it knows the type.
	if v, err := icAdd.Send(c, unit(func(c *freerun.Context, i *freerun.Invocation) error {
		_, err := freerun.Forward(c, icFree.Send(c, 8))
		return err
	}), 1).Wait(ctx); v != 9 || err != nil {
		t.Error(v, err)
	}
}

func icNext(c *freerun.Context, i *freerun.Invocation) error { return i.Next(c) }

// TestInterceptFaults has an operation or its interceptor panic, exit, and leave its processor.
func TestInterceptFaults(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c, ctx := rt.Context(), runtimetest.Within(t)
	recovers := func(c *freerun.Context, i *freerun.Invocation) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("recovered %v, then %w", v, i.Next(c))
			}
		}()
		return i.Next(c)
	}
	runs := 0
	u := freerun.NewUnit(rt, 0, freerun.Intercept(recovers), freerun.Intercept(icNext), freerun.StopOnPanic())
	_, err := freerun.Do(c, u, func(*freerun.Context, *int) (int, error) {
		if runs++; runs == 1 {
			panic("oh")
		}
		return 0, errRefused
	}).Wait(ctx)
	if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), "recovered oh") {
		t.Error(err)
	}
	if v, err := icAdd.Send(c, u, 1).Wait(ctx); v != 1 || err != nil {
		t.Error("the unit has not gone on:", v, err)
	}
	var p *freerun.PanicError
	for name, fn := range map[string]func(*freerun.Context, *freerun.Invocation) error{
		"panic":  func(c *freerun.Context, i *freerun.Invocation) error { i.Next(c); panic(errRefused) },
		"goexit": func(c *freerun.Context, i *freerun.Invocation) error { i.Next(c); runtime.Goexit(); return nil },
	} {
		want := map[string]error{"panic": errRefused, "goexit": freerun.ErrGoexit}[name]
		u := freerun.NewUnit(rt, 0, freerun.Intercept(fn), freerun.StopOnPanic())
		if _, err := icAdd.Send(c, u, 1).Wait(ctx); !errors.Is(err, want) || !errors.As(err, &p) || icShort(p.Operation) != "icAdd" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := icAdd.Send(c, u, 1).Wait(ctx); !errors.Is(err, freerun.ErrStopped) {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone := make(chan struct{})
	blocks := freerun.NewUnit(rt, 0, freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
		c.Block(func() { <-gone })
		err := i.Next(c)
		c.Block(func() {})
		*i.Result().(*int)++
		return err
	}))
	f := icAdd.Send(c, blocks, 1)
	g := icAdd.Send(c, blocks, 1)
	close(gone)
	if v, w := runtimetest.Must(t, f), runtimetest.Must(t, g); v != 2 || w != 3 {
		t.Error(v, w)
	}
}

// TestInterceptMisuse uses an invocation at the wrong time, and in the wrong place.
func TestInterceptMisuse(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c, ctx := rt.Context(), runtimetest.Within(t)
	panics := func(f func()) (value any) {
		defer func() { value = recover() }()
		f()
		return nil
	}
	const outside = "freerun: use of an Invocation outside of its interceptor, or by another goroutine than the operation's"
	var kept *freerun.Invocation
	u := freerun.NewUnit(rt, 0, freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
		kept = i
		done := make(chan any)
		go func() { done <- panics(func() { i.Next(c) }) }()
		if v := <-done; v != outside {
			t.Errorf("another goroutine: %v", v)
		}
		if v := panics(func() { i.Next(rt.Context()) }); v != "freerun: Next with another context than that of the operation" {
			t.Errorf("another context: %v", v)
		}
		return i.Next(c)
	}))
	if v, err := icAdd.Send(c, u, 1).Wait(ctx); v != 1 || err != nil {
		t.Error(v, err)
	}
	later := freerun.Go(c, func(c *freerun.Context) (int, error) {
		for _, f := range []func(){func() { kept.Next(c) }, func() { kept.Arg() }, func() { kept.Result() }, func() { kept.Unit() }} {
			if v := panics(f); v != outside {
				t.Errorf("later: %v", v)
			}
		}
		return 0, nil
	})
	runtimetest.Must(t, later)
	if v := panics(func() { new(freerun.Invocation).Next(c) }); v != outside {
		t.Error(v)
	}
	if v := panics(func() { freerun.Intercept(nil) }); v != "freerun: Intercept with a nil function" {
		t.Error(v)
	}
	if v := panics(func() { freerun.InterceptAll(nil) }); v != "freerun: InterceptAll with a nil function" {
		t.Error(v)
	}
}

// TestInterceptEnds cancels scopes, closes the runtime and fills mailboxes while intercepted
// operations are on their way: the interceptors see exactly the messages that ran.
func TestInterceptEnds(t *testing.T) {
	for round := range 60 {
		var around atomic.Int64
		count := func(c *freerun.Context, i *freerun.Invocation) error { around.Add(1); return i.Next(c) }
		rt := runtimetest.Quiet(t, freerun.Processors(2), freerun.InterceptAll(count))
		u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(4, freerun.Reject))
		other := freerun.NewUnit(rt, 0)
		s := rt.Scope(context.Background())
		var futures []freerun.Future[int]
		var ended sync.WaitGroup
		for i := range 40 {
			futures = append(futures, icAdd.Send(s.Context(), u, 1), icLook.Send(s.Context(), other, 1), icMove.Send(s.Context(), u, other, 1), icFree.Send(s.Context(), 1))
			if i == 20 {
				ended.Go(func() {
					if round%2 == 0 {
						s.Cancel(nil)
					} else {
						rt.Close()
					}
				})
			}
		}
		ended.Wait()
		ran := int64(0)
		for _, f := range futures {
			switch _, err := f.Wait(runtimetest.Within(t)); {
			case err == nil:
				ran++
			case !errors.Is(err, freerun.ErrCanceled) && !errors.Is(err, freerun.ErrClosed) && !errors.Is(err, freerun.ErrFull):
				t.Fatal(err)
			}
		}
		rt.Close()
		if n := around.Load(); n != ran {
			t.Fatalf("round %d: %d operations ran, interceptors saw %d", round, ran, n)
		}
	}
}

var icAccounts = freerun.NewKind("icAccount", func(*freerun.Context, string) (int, error) { return 100, nil },
	freerun.PassivateAfter(time.Hour), freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
		icSeen.add(icShort(i.Operation) + "@" + i.Unit())
		return i.Next(c)
	}))

var icSeen icLog

// TestInterceptKind intercepts the operations on units of a kind: not what makes and drops their
// states.
func TestInterceptKind(t *testing.T) {
	var all icLog
	rt, _ := runtimetest.Start(t, freerun.Processors(2), freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		all.add(icShort(i.Operation))
		return i.Next(c)
	}))
	c := rt.Context()
	if v := runtimetest.Must(t, icAdd.Send(c, icAccounts.At(c, "ada"), 1)); v != 101 {
		t.Error(v)
	}
	runtimetest.Must(t, icMove.Send(c, icAccounts.At(c, "ada"), icAccounts.At(c, "bob"), 1))
	if !runtimetest.Must(t, icAccounts.Stop(c, "ada")) {
		t.Error("ada was not active")
	}
	if v := runtimetest.Must(t, icLook.Send(c, icAccounts.At(c, "ada"), 1)); v != 101 {
		t.Error(v)
	}
	seen := strings.Fields(icSeen.take())
	for i := range seen {
		op, unit, _ := strings.Cut(seen[i], "@")
		seen[i] = op
		if op != "icMove" && !strings.Contains(unit, "ada") {
			t.Errorf("%s of unit %q", op, unit)
		}
	}
	if want := []string{"icAdd", "icMove", "icLook"}; !slices.Equal(seen, want) {
		t.Errorf("the kind's interceptor saw %q", seen)
	}
	if got := all.take(); got != "icAdd icMove icLook" {
		t.Errorf("the runtime's interceptor saw %q", got)
	}
}

// icRooms is a kind whose keeper works, and is asked for room.
var icRooms = freerun.NewKind("icRooms", func(*freerun.Context, int) (int, error) { return 0, nil })

// TestInterceptOwn holds that interceptors of a runtime see the jobs of a Keyed, but nothing of
// what the runtime sends to itself: for the keeper of a kind, for its room, for a Stop or a Watch.
func TestInterceptOwn(t *testing.T) {
	var l icLog
	rt := freerun.New(freerun.Deterministic(1), freerun.InterceptAll(l.note("")))
	icRooms.Configure(rt, freerun.PassivateAfter(time.Second), freerun.MaxActive(2))
	c := rt.Context()
	sent := 0
	for range 3 {
		for key := range 8 { // more than twice as many as may be active: they wait for room
			runtimetest.Must(t, icAdd.Send(c, icRooms.At(c, key), 1))
			sent++
		}
		runtimetest.Must(t, freerun.After(c, 10*time.Second)) // all are idle for long
	}
	u := freerun.NewUnit(rt, 0)
	_ = icAdd.Tell(c, u, 1)
	end := freerun.Watch(c, u)
	runtimetest.Must(t, freerun.Stop(c, u))
	runtimetest.Must(t, icRooms.Stop(c, 3))
	if e := runtimetest.Must(t, end); !errors.Is(e.Err, freerun.ErrStopped) {
		t.Errorf("the watch ended with %v", e)
	}
	k := freerun.NewKeyed(rt, freerun.KeyedLimits{}, func(*freerun.Context, string, int) error { return nil })
	for i := range 4 {
		if err := k.Submit(c, "a key", i); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := rt.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	seen := strings.Fields(l.take())
	add, jobs := 0, 0
	for _, s := range seen {
		switch {
		case s == "(icAdd":
			add++
		case strings.Contains(s, "TestInterceptOwn"), s == "(func1":
			jobs++
		case s != ")":
			t.Errorf("the interceptor has seen %s", s)
		}
	}
	if add != sent+1 || jobs != 4 {
		t.Errorf("the interceptor has seen %d operations and %d jobs, want %d and 4: %v", add, jobs, sent+1, seen)
	}
}

// TestInterceptFork has ordinary goroutines fork while all operations are intercepted, and refused.
func TestInterceptFork(t *testing.T) {
	for _, fn := range []func(*freerun.Context, *freerun.Invocation) error{icNext, icNever, func(*freerun.Context, *freerun.Invocation) error { return nil }} {
		rt := runtimetest.Quiet(t, freerun.Processors(2), freerun.InterceptAll(fn))
		for range 20 {
			a, b := freerun.Join(rt.Context(), func(*freerun.Context) int { return 1 }, func(*freerun.Context) int { return 2 })
			var sum atomic.Int64
			freerun.For(rt.Context(), 100, func(_ *freerun.Context, i int) { sum.Add(int64(i)) })
			if a != 1 || b != 2 || sum.Load() != 4950 {
				t.Fatal(a, b, sum.Load())
			}
		}
	}
}

// TestInterceptCost holds that an interceptor costs one allocation a message.
func TestInterceptCost(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	c := rt.Context()
	u := freerun.NewUnit(rt, 0, freerun.Intercept(icNext), freerun.Intercept(icNext))
	if n := allocations(func() {
		for f := icAdd.Send(c, u, 1); ; runtime.Gosched() {
			if _, err := f.Result(); err != freerun.ErrWouldBlock {
				return
			}
		}
	}); n > 2 {
		t.Errorf("%v allocations per Send, want 2: the message and the invocation", n)
	}
}

// TestInterceptSeesNoHousekeeping has a runtime remember the restart of a unit of a kind: that is
// no operation of the program.
func TestInterceptSeesNoHousekeeping(t *testing.T) {
	var seen atomic.Int64
	rt, _ := runtimetest.Start(t, freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		seen.Add(1)
		return i.Next(c)
	}))
	u := forgetful.At(rt.Context(), shy("exit"))
	_, err := breakIt.Send(rt.Context(), u, false).Wait(t.Context())
	var failed *freerun.PanicError
	if !errors.As(err, &failed) || failed.Unit != "freerun_test.forgetful(?)" {
		t.Errorf("the panic: %v", err)
	}
	// The operation, the function that makes the state, and what remembers.
	for ctx := runtimetest.Within(t); rt.Stats().Done < 3; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("%+v", rt.Stats())
		}
	}
	if seen.Load() != 1 {
		t.Errorf("%d operations were seen, want that which panicked", seen.Load())
	}
}

// shy is a key whose text ends the goroutine that asks for it.
type shy string

func (shy) String() string { runtime.Goexit(); return "" }

var forgetful = freerun.NewKind("forgetful", func(*freerun.Context, shy) (int, error) { return 0, nil }, freerun.Restarts(1, time.Millisecond))
