package freerun_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// hangs is the time limit for calls that must not wait. It is far above their duration, and below
// the duration of a call that waits for firing timers.
const hangs = 5 * time.Second

// waitingEvery returns a runtime in which an Every waits for room in the mailbox of a unit. The
// unit runs busy, whose future is running.
func waitingEvery(t *testing.T, busy func(c *freerun.Context) error) (rt *freerun.Runtime, running freerun.Future[int]) {
	rt = freerun.New(freerun.Processors(2))
	t.Cleanup(func() { rt.Close() })
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(1, freerun.WaitForRoom))
	began := make(chan struct{})
	running = freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) {
		close(began)
		return 0, busy(c)
	})
	<-began
	runtimetest.AddOne.Send(rt.Context(), u, 1)
	runtimetest.AddOne.Every(rt.Context(), time.Millisecond, u, 1)
	for rt.Stats().Sent != 3 { // the running message, the one in the mailbox, the one that waits
		runtime.Gosched()
	}
	return rt, running
}

// TestFullEveryShutdown: an Every that waits for room delays no Shutdown beyond its deadline.
func TestFullEveryShutdown(t *testing.T) {
	for name, end := range map[string]func(*freerun.Runtime) error{
		"shutdown": func(rt *freerun.Runtime) error {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return rt.Shutdown(ctx)
		},
		"close": (*freerun.Runtime).Close,
	} {
		t.Run(name, func(t *testing.T) {
			rt, running := waitingEvery(t, func(c *freerun.Context) error {
				<-c.Done() // closed by the deadline only
				return nil
			})
			ended := make(chan error, 1)
			go func() { ended <- end(rt) }()
			var err error
			select {
			case err = <-ended:
			case <-time.After(hangs):
				t.Fatal("it waits for an Every that waits for room")
			}
			var left *freerun.ShutdownError
			if !errors.As(err, &left) || left.Abandoned != 2 || len(left.Running) != 0 {
				t.Errorf("came to %v", err)
			}
			runtimetest.Must(t, running)
			if s := rt.Stats(); s.Sent != 3 || s.Done != 3 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestFullEveryAfter: an Every waits for room at a unit, whose operation makes timers during a
// drain. The timers fail at once, and the drain runs the message of the Every.
func TestFullEveryAfter(t *testing.T) {
	made := make(chan error, 3)
	rt, running := waitingEvery(t, func(c *freerun.Context) error {
		<-c.Runtime().Draining()
		_, err := freerun.After(c, time.Hour).Result()
		made <- err
		f, timer := runtimetest.Tick.SendAfter(c, time.Hour, 1)
		_, err = f.Result()
		made <- err
		if timer.Stop() || runtimetest.Tick.Every(c, time.Hour, 1).Stop() {
			err = errors.New("a timer runs during a drain")
		}
		made <- err
		return nil
	})
	ended := make(chan error, 1)
	go func() { ended <- rt.Shutdown(context.Background()) }()
	for range cap(made) {
		select {
		case err := <-made:
			if err != freerun.ErrClosed {
				t.Errorf("a timer made during a drain: %v", err)
			}
		case <-time.After(hangs):
			t.Fatal("an operation waits for an Every that waits for room")
		}
	}
	runtimetest.Must(t, running)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if s := rt.Stats(); s.Sent != 3 || s.Done != 3 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
}
