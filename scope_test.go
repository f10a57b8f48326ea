package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// TestScopeAwaitsAllThatFollows sends trees of messages of all forms, under several scopes at once.
// When Wait of a scope returns, all messages of that scope are done.
func TestScopeAwaitsAllThatFollows(t *testing.T) {
	const trees, depth, rounds = 8, 5, 20
	for _, processors := range []int{1, 3} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				s := rt.Scope(context.Background())
				defer s.Cancel(nil)
				u := freerun.NewUnit(rt, 0)
				for round := range rounds {
					for range trees {
						runtimetest.Spread.Tell(s.Context(), runtimetest.SpreadArg{To: u, Left: depth})
					}
					f := freerun.Then(s.Context(), freerun.Go(s.Context(), forwarded), func(*freerun.Context, int) (int, error) { return 1, nil })
					if err := s.Wait(runtimetest.Within(t)); err != nil {
						t.Error(err)
						return
					}
					if n := u.Stats().Operations; n != uint64((round+1)*trees<<depth) {
						t.Errorf("%d processors, round %d: %d operations when Wait returned", processors, round, n)
					}
					if v, err := f.Result(); v != 1 || err != nil {
						t.Errorf("a future of the scope, when Wait returned: %v, %v", v, err)
					}
				}
			})
		}
		all.Wait()
	}
}

func forwarded(c *freerun.Context) (int, error) {
	return freerun.Forward(c, freerun.Go(c, func(c *freerun.Context) (int, error) {
		return freerun.Forward(c, runtimetest.Tick.Send(c, 1))
	}))
}

// TestScopeAwaitsForeignSends: messages that another goroutine sends through an operation's context
// belong to the operation's scope.
func TestScopeAwaitsForeignSends(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(t.Context())
	defer s.Cancel(nil)
	u := freerun.NewUnit(rt, 0)
	runtimetest.Must(t, freerun.Go(s.Context(), func(c *freerun.Context) (int, error) {
		sent := make(chan struct{})
		go func() { runtimetest.AddOne.Tell(c, u, 1); close(sent) }()
		<-sent
		return 0, nil
	}))
	if err := s.Wait(runtimetest.Within(t)); err != nil || u.Stats().Operations != 1 {
		t.Errorf("%v, %d operations", err, u.Stats().Operations)
	}
}

var scopeFails = freerun.FreeOp("scopeFails", func(_ *freerun.Context, err error) (int, error) { return 0, err })

var scopeSends = freerun.FreeOp("scopeSends", func(c *freerun.Context, err error) (int, error) {
	return 0, scopeFails.Tell(c, err)
})

// TestScopeErrorTellsTheChain: Wait returns the first failure, with its scope and its chain of
// senders, even if the program holds no future.
func TestScopeErrorTellsTheChain(t *testing.T) {
	rt, j := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(t.Context(), freerun.ScopeName("import"))
	defer s.Cancel(nil)
	boom := errors.New("boom")
	for range 3 {
		runtimetest.Must(t, freerun.Go(s.Context(), func(c *freerun.Context) (int, error) { return 0, scopeSends.Tell(c, boom) }))
	}
	err := s.Wait(runtimetest.Within(t))
	var e *freerun.ScopeError
	if !errors.As(err, &e) || !errors.Is(err, boom) || e.Scope != "import" || e.Operation != "freerun_test.scopeFails" {
		t.Fatalf("%#v", err)
	}
	if len(e.Senders) != 2 || e.Senders[0] != "freerun_test.scopeSends" || !strings.Contains(e.Senders[1], "TestScopeErrorTellsTheChain") {
		t.Errorf("senders %q", e.Senders)
	}
	for _, part := range []string{"scope import: freerun_test.scopeFails, sent by freerun_test.scopeSends, sent by ", ": boom"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	// The error of a failed future names the chain too, and so does the log.
	var inner freerun.Future[int]
	runtimetest.Must(t, freerun.Go(s.Context(), func(c *freerun.Context) (int, error) { inner = scopeFails.Send(c, boom); return 0, nil }))
	if _, err := inner.Wait(runtimetest.Within(t)); err != boom || len(inner.Senders()) != 1 || !strings.Contains(inner.Senders()[0], "TestScopeErrorTellsTheChain") {
		t.Errorf("%v, sent by %q", err, inner.Senders())
	}
	if log := strings.Join(j.Texts(), " "); !strings.Contains(log, "scope=import senders=freerun_test.scopeSends, ") {
		t.Error(log)
	}
	if again := s.Wait(runtimetest.Within(t)); again != err {
		t.Errorf("the second Wait: %v", again)
	}
}

// TestScopeErrors: each way to fail is an error of the scope, and leaves no message open.
func TestScopeErrors(t *testing.T) {
	boom := errors.New("boom")
	other, _ := runtimetest.Start(t)
	foreign := freerun.NewUnit(other, 0)
	for name, c := range map[string]struct {
		send func(c *freerun.Context, u *freerun.Unit[int])
		want error
		by   string
	}{
		"tell":  {func(c *freerun.Context, u *freerun.Unit[int]) { scopeFails.Tell(c, boom) }, boom, "freerun_test.scopeFails"},
		"send":  {func(c *freerun.Context, u *freerun.Unit[int]) { scopeFails.Send(c, boom) }, boom, "freerun_test.scopeFails"},
		"panic": {func(c *freerun.Context, u *freerun.Unit[int]) { runtimetest.Panicking.Tell(c, u, boom) }, boom, "runtimetest.panicking"},
		"argument": {func(c *freerun.Context, u *freerun.Unit[int]) {
			runtimetest.AddTwo.Send(c, runtimetest.Pair{X: freerun.Failed[int](boom), Y: freerun.Resolved(1)})
		}, boom, "runtimetest.addTwo"},
		"closure": {func(c *freerun.Context, u *freerun.Unit[int]) {
			freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { return 0, boom })
		}, boom, "TestScopeErrors"},
		"goexit": {func(c *freerun.Context, u *freerun.Unit[int]) {
			freerun.Go(c, func(*freerun.Context) (int, error) { runtime.Goexit(); return 0, nil })
		}, freerun.ErrGoexit, "TestScopeErrors"},
		"forwarded": {func(c *freerun.Context, u *freerun.Unit[int]) {
			freerun.Go(c, func(c *freerun.Context) (int, error) { return freerun.Forward(c, freerun.Failed[int](boom)) })
		}, boom, ""},
		"refused": {func(c *freerun.Context, u *freerun.Unit[int]) { runtimetest.AddOne.Send(c, foreign, 1) }, freerun.ErrOtherRuntime, "runtimetest.addOne"},
		"cycle": {func(c *freerun.Context, u *freerun.Unit[int]) {
			var own freerun.Future[int]
			g := runtimetest.NewGate()
			freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { g.Pass(); return 0, nil })
			<-g.Entered
			own = freerun.Do(c, u, func(c *freerun.Context, _ *int) (int, error) { return freerun.Forward(c, own) })
			close(g.Opened)
		}, freerun.ErrCycle, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rt, _ := runtimetest.Start(t, freerun.Processors(1))
			s := rt.Scope(t.Context())
			defer s.Cancel(nil)
			c.send(s.Context(), freerun.NewUnit(rt, 0))
			var e *freerun.ScopeError
			if err := s.Wait(runtimetest.Within(t)); !errors.As(err, &e) || !errors.Is(err, c.want) || !strings.Contains(e.Operation, c.by) {
				t.Errorf("%#v", err)
			}
		})
	}
}

// TestScopeChainIsBounded: when two operations have sent to each other a thousand times, the error
// has the last 16 senders.
func TestScopeChainIsBounded(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(t.Context())
	defer s.Cancel(nil)
	boom := errors.New("boom")
	scopePingArg := scopePing{left: 1000, err: boom}
	scopePings[0].Tell(s.Context(), scopePingArg)
	var e *freerun.ScopeError
	if err := s.Wait(runtimetest.Within(t)); !errors.As(err, &e) || !errors.Is(err, boom) || len(e.Senders) != 16 {
		t.Errorf("%v", err)
	}
}

type scopePing struct {
	left int
	err  error
}

var scopePings [2]*freerun.FreeOperation[scopePing, int]

func init() {
	for i := range scopePings {
		scopePings[i] = freerun.FreeOp(fmt.Sprint("scopePing", i), func(c *freerun.Context, p scopePing) (int, error) {
			if p.left == 0 {
				return 0, p.err
			}
			p.left--
			return 0, scopePings[1-i].Tell(c, p)
		})
	}
}

// TestScopeChildren: a child is awaited and canceled with its parent; its failures are its own.
func TestScopeChildren(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(context.Background(), freerun.ScopeName("parent"))
	boom := errors.New("boom")
	g := runtimetest.NewGate()
	var child, grandchild *freerun.Scope
	runtimetest.Must(t, freerun.Go(s.Context(), func(c *freerun.Context) (int, error) {
		child = rt.Scope(c, freerun.ScopeName("child"))
		ctx, cancel := context.WithCancel(child.Context())
		context.AfterFunc(ctx, cancel)
		grandchild = rt.Scope(ctx)
		scopeFails.Tell(c.WithScope(child), boom)
		freerun.Go(c.WithScope(grandchild), func(*freerun.Context) (int, error) { g.Pass(); return 1, nil })
		return 0, nil
	}))
	<-g.Entered
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, waiting := range []*freerun.Scope{s, child, grandchild} {
		if err := waiting.Wait(gone); err != context.Canceled {
			t.Errorf("%q, while something is open below: %v", waiting.Name(), err)
		}
	}
	close(g.Opened)
	if err := s.Wait(runtimetest.Within(t)); err != nil {
		t.Errorf("parent: %v", err)
	}
	if err := child.Wait(runtimetest.Within(t)); !errors.Is(err, boom) || !strings.Contains(err.Error(), "TestScopeChildren") {
		t.Errorf("child: %v", err)
	}
	if err := grandchild.Wait(runtimetest.Within(t)); err != nil {
		t.Errorf("grandchild: %v", err)
	}
	s.Cancel(boom)
	for _, below := range []*freerun.Scope{child, grandchild} {
		if _, err := runtimetest.Tick.Send(below.Context(), 1).Result(); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, boom) {
			t.Errorf("%q, after the parent was canceled: %v", below.Name(), err)
		}
	}
}

func TestScopeFailFast(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	s := rt.Scope(t.Context(), freerun.FailFast())
	boom := errors.New("boom")
	started := make(chan struct{}) // without it, the failure may come before the operation starts
	waits := freerun.Go(s.Context(), func(c *freerun.Context) (int, error) { close(started); <-c.Done(); return 1, nil })
	<-started
	scopeFails.Tell(s.Context(), boom)
	runtimetest.Must(t, waits)
	if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, boom) || errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("Wait: %v", err)
	}
	if _, err := runtimetest.Tick.Send(s.Context(), 1).Result(); !errors.Is(err, freerun.ErrCanceled) || !errors.Is(err, boom) {
		t.Errorf("sent later: %v", err)
	}
}

func TestScopeWaitInside(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	s := rt.Scope(t.Context())
	defer s.Cancel(nil)
	_, err := freerun.Go(s.Context(), func(c *freerun.Context) (int, error) { return 0, s.Wait(c) }).Wait(runtimetest.Within(t))
	if !errors.Is(err, freerun.ErrWouldBlock) {
		t.Error(err)
	}
}

// TestScopeEndOfRuntime: contexts of a scope are done when the runtime gives up, and Wait returns.
func TestScopeEndOfRuntime(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	s := rt.Scope(context.Background())
	g := runtimetest.NewGate()
	waited := make(chan error)
	freerun.Go(s.Context(), func(c *freerun.Context) (int, error) {
		close(g.Entered)
		<-c.Done()
		if !errors.Is(context.Cause(c), freerun.ErrClosed) {
			t.Error(context.Cause(c))
		}
		return 0, nil
	})
	<-g.Entered
	queued := runtimetest.Tick.Send(s.Context(), 1)
	go func() { waited <- s.Wait(runtimetest.Within(t)) }()
	rt.Close()
	if err := <-waited; !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("Wait: %v", err)
	}
	if _, err := queued.Result(); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("queued: %v", err)
	}
	late := rt.Scope(context.Background())
	if err := late.Context().Err(); err != context.Canceled {
		t.Errorf("a scope of a closed runtime: %v", err)
	}
	if err := late.Wait(runtimetest.Within(t)); err != nil {
		t.Errorf("Wait of an empty scope: %v", err)
	}
}

// TestScopeCost: a message under a scope allocates no more than a message without, and neither
// messages nor futures keep the scope from being collected.
func TestScopeCost(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	s := rt.Scope(context.Background())
	tell := allocations(func() { runtimetest.AddOne.Tell(s.Context(), u, 1); awaitDone(rt) })
	send := allocations(func() { runtimetest.Tick.Send(s.Context(), 1); awaitDone(rt) })
	runtimetest.Must(t, freerun.Go(s.Context(), func(c *freerun.Context) (int, error) { runtimetest.AddOne.Tell(c, u, 1); return 0, nil }))
	if tell != 0 || send > 1 {
		t.Errorf("allocations: %v per Tell, %v per Send", tell, send)
	}
	future := runtimetest.Tick.Send(s.Context(), 1)
	if err := s.Wait(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	// Another context becomes the active one of the worker.
	runtimetest.Must(t, runtimetest.Tick.Send(rt.Context(), 1))
	runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 1))
	watched := weak.Make(s)
	s.Cancel(nil)
	s = nil
	for range 100 {
		if runtime.GC(); watched.Value() == nil {
			runtime.KeepAlive(future)
			return
		}
	}
	t.Error("the scope is still there")
}

// TestScopesTakeTurns puts messages of many scopes side by side into one mailbox. Each operation
// sees its own scope's context.
func TestScopesTakeTurns(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	var scopes [5]*freerun.Scope
	for i := range scopes[1:] {
		scopes[i+1] = rt.Scope(t.Context())
	}
	var contexts sync.Map
	for i := range 1000 {
		want := scopes[i%len(scopes)]
		c := rt.Context()
		if want != nil {
			c = want.Context()
		}
		freerun.Do(c, u, func(c *freerun.Context, _ *int) (int, error) {
			contexts.Store(c, true)
			if c.Scope() != want {
				t.Errorf("message %d runs in another scope", i)
			}
			return 0, nil
		})
	}
	for _, s := range slices.Backward(scopes[1:]) {
		if err := s.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		s.Cancel(nil)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	n := 0
	contexts.Range(func(any, any) bool { n++; return true })
	if n != len(scopes) {
		t.Errorf("%d contexts for %d scopes on one processor", n, len(scopes))
	}
}
