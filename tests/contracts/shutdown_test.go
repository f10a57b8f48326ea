package contracts_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 8: Shutdown runs all queued messages, and returns when they are done. Past the deadline
// the messages that have not started fail, and the operations that do not return are named.
// TestMain checks that no goroutine is left.

func TestShutdownRunsWhatIsQueued(t *testing.T) {
	for _, processors := range []int{1, 3} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		u := freerun.NewUnit(rt, 0)
		const trees = 50
		for range trees {
			// The operation goes on sending while the runtime drains.
			runtimetest.Spread.Tell(rt.Context(), runtimetest.SpreadArg{To: u, Left: 6})
		}
		if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		if n := u.Stats().Operations; n != trees*64 {
			t.Errorf("%d operations of %d", n, trees*64)
		}
		if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
			t.Errorf("second Shutdown: %v", err)
		}
		if err := rt.Close(); err != nil {
			t.Errorf("Close after Shutdown: %v", err)
		}
		if err := rt.Quiesce(runtimetest.Within(t)); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("Quiesce after Shutdown: %v", err)
		}
	}
}

func TestShutdownRefusesFromOutside(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	running := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		g.Pass()
		// From inside, sends are taken during a shutdown.
		return freerun.Forward(c, runtimetest.Tick.Send(c, 1))
	})
	<-g.Entered
	ended := make(chan error)
	go func() { ended <- rt.Shutdown(runtimetest.Within(t)) }()
	for { // until the runtime refuses messages from outside
		if _, err := runtimetest.Tick.Send(rt.Context(), 1).Result(); errors.Is(err, freerun.ErrClosed) {
			break
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("ended before the operation did: %v", err)
	default:
	}
	close(g.Opened)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if v := runtimetest.Must(t, running); v != 1 {
		t.Error(v)
	}
}

// TestShutdownPastDeadline has an operation that does not return, messages behind it in the
// mailbox, sent before and after it started, and a message that waits for its future.
func TestShutdownPastDeadline(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	first, stuck := runtimetest.NewGate(), runtimetest.NewGate()
	freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { first.Pass(); return 0, nil })
	<-first.Entered
	cancelled := make(chan error, 1)
	hung := stuckOp.Send(rt.Context(), u, stuckArg{stuck, cancelled})
	var behind []freerun.Future[int]
	for range 5 {
		behind = append(behind, runtimetest.AddOne.Send(rt.Context(), u, 1))
	}
	close(first.Opened)
	<-stuck.Entered
	for range 5 {
		behind = append(behind, runtimetest.AddOne.Send(rt.Context(), u, 1))
	}
	behind = append(behind, freerun.Then(rt.Context(), hung, func(*freerun.Context, int) (int, error) { return 0, nil }))
	waiting := make(chan error)
	done := behind[7].Done()
	go func() { // a goroutine that waits already
		_, err := behind[3].Wait(runtimetest.Within(t))
		waiting <- err
	}()
	ctx, cancel := context.WithTimeout(runtimetest.Within(t), 20*time.Millisecond)
	defer cancel()
	err := rt.Shutdown(ctx)
	var e *freerun.ShutdownError
	if !errors.As(err, &e) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Shutdown: %v", err)
	}
	if len(e.Running) != 1 || e.Running[0] != "contracts_test.stuck" || e.Abandoned != uint64(len(behind)) {
		t.Errorf("Shutdown: %v", err)
	}
	if !strings.Contains(err.Error(), "contracts_test.stuck") || !strings.Contains(err.Error(), "11") {
		t.Errorf("Shutdown: %v", err)
	}
	for i, f := range append(behind, hung) {
		if _, err := f.Result(); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("message %d: %v", i, err)
		}
	}
	<-done
	if err := <-waiting; !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("the waiting sender: %v", err)
	}
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("the operation's context: %v", err)
	}
	close(stuck.Opened) // the operation returns now: nothing changes, and its goroutine ends
	for i, f := range append(behind, hung) {
		if _, err := f.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("message %d, later: %v", i, err)
		}
	}
}

type stuckArg struct {
	g         *runtimetest.Gate
	cancelled chan error
}

var stuckOp = freerun.Op("stuck", func(c *freerun.Context, _ *int, a stuckArg) (int, error) {
	close(a.g.Entered)
	<-c.Done()
	a.cancelled <- c.Err()
	<-a.g.Opened
	return 1, nil
})

// TestCloseDiscards: Close fails the messages that were not started, and counts them.
func TestCloseDiscards(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	u := freerun.NewUnit(rt, 0)
	freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) { close(g.Entered); <-c.Done(); return 0, nil })
	<-g.Entered
	var queued []freerun.Future[int]
	for range 10 {
		queued = append(queued, runtimetest.AddOne.Send(rt.Context(), u, 1), runtimetest.Tick.Send(rt.Context(), 1))
	}
	err := rt.Close()
	var e *freerun.ShutdownError
	if !errors.As(err, &e) || e.Abandoned != 20 || len(e.Running) != 0 {
		t.Errorf("Close: %v", err)
	}
	for _, f := range queued {
		if _, err := f.Result(); !errors.Is(err, freerun.ErrClosed) {
			t.Errorf("queued message: %v", err)
		}
	}
}

func TestCloseIdle(t *testing.T) {
	for range 50 {
		rt := freerun.New(freerun.Processors(3))
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := rt.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// TestCloseDuringShutdown: Close ends a shutdown early.
func TestCloseDuringShutdown(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	g := runtimetest.NewGate()
	freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { close(g.Entered); <-c.Done(); return 0, nil })
	<-g.Entered
	queued := runtimetest.Tick.Send(rt.Context(), 1)
	ended := make(chan error)
	go func() { ended <- rt.Shutdown(runtimetest.Within(t)) }()
	if err := rt.Close(); err == nil {
		t.Error("Close returned nil with a message abandoned")
	}
	if err := <-ended; err == nil {
		t.Error("Shutdown returned nil with a message abandoned")
	}
	if _, err := queued.Result(); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("queued message: %v", err)
	}
}
