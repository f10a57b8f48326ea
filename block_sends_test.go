package freerun_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// An operation has the same rights when it sends from outside: after it has left its processor, or
// through a context that is not its own.

// insiders are the ways to send from outside without being an ordinary goroutine. Each runs a body
// in its way, and passes it the context to send through.
var insiders = map[string]func(rt *freerun.Runtime, body func(c *freerun.Context)) func(ctx context.Context) error{
	"after Block": operation(func(c *freerun.Context, body func(c *freerun.Context)) {
		c.Block(func() {})
		body(c)
	}),
	"in Block": operation(func(c *freerun.Context, body func(c *freerun.Context)) {
		c.Block(func() { body(c) })
	}),
	"through the runtime's context": operation(func(c *freerun.Context, body func(c *freerun.Context)) {
		body(c.Runtime().Context())
	}),
	"in a branch": operation(func(c *freerun.Context, body func(c *freerun.Context)) {
		freerun.Join(c,
			func(c *freerun.Context) int { return 0 },
			func(c *freerun.Context) int {
				c.Block(func() {})
				body(c)
				return 0
			})
	}),
	"in a stolen branch": operation(func(c *freerun.Context, body func(c *freerun.Context)) {
		begun := make(chan struct{})
		freerun.Join(c,
			func(c *freerun.Context) int { <-begun; return 0 },
			func(c *freerun.Context) int {
				close(begun)
				c.Block(func() {})
				body(c)
				return 0
			})
	}),
	"after Block in a scope": func(rt *freerun.Runtime, body func(c *freerun.Context)) func(ctx context.Context) error {
		s := rt.Scope(context.Background())
		freerun.Go(s.Context(), func(c *freerun.Context) (int, error) {
			c.Block(func() {})
			body(c)
			return 0, nil
		})
		return s.Wait
	},
	activityBlock: func(rt *freerun.Runtime, body func(c *freerun.Context)) func(ctx context.Context) error {
		a := activity.Go(rt, func(a *activity.Activity) {
			c := freerun.ContextOf(a)
			a.Block(func() { body(c) })
		})
		return a.Wait
	},
}

const activityBlock = "in an activity's Block"

func operation(run func(c *freerun.Context, body func(c *freerun.Context))) func(rt *freerun.Runtime, body func(c *freerun.Context)) func(ctx context.Context) error {
	return func(rt *freerun.Runtime, body func(c *freerun.Context)) func(ctx context.Context) error {
		f := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			run(c, body)
			return 0, nil
		})
		return func(ctx context.Context) error {
			_, err := f.Wait(ctx)
			return err
		}
	}
}

// sendEach sends to u in each way, and calls tell for each outcome. It returns how many operations
// it has sent.
func sendEach(c *freerun.Context, u, v *freerun.Unit[int], tell func(way string, err func(context.Context) error)) int {
	now := func(err error) func(context.Context) error {
		return func(context.Context) error { return err }
	}
	tell("Send", outcomeOf(runtimetest.AddOne.Send(c, u, 1)))
	tell("Tell", now(runtimetest.AddOne.Tell(c, u, 1)))
	tell("Tell again", now(runtimetest.AddOne.Tell(c, u, 1)))
	tell("Do", outcomeOf(freerun.Do(c, u, func(_ *freerun.Context, n *int) (int, error) { *n++; return *n, nil })))
	tell("When2", outcomeOf(freerun.When2(c, u, v, func(_ *freerun.Context, n, _ *int) (int, error) { *n++; return *n, nil })))
	tell("Then", outcomeOf(freerun.Then(c, runtimetest.AddOne.Send(c, u, 1), func(*freerun.Context, int) (int, error) { return 0, nil })))
	tell("Go", outcomeOf(freerun.Go(c, func(c *freerun.Context) (int, error) {
		return freerun.Forward(c, runtimetest.AddOne.Send(c, u, 1))
	})))
	acts := activity.Go(c, func(a *activity.Activity) { runtimetest.AddOne.Tell(freerun.ContextOf(a), u, 1) })
	tell("activity", acts.Wait)
	return 8
}

func outcomeOf[R any](f freerun.Future[R]) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := f.Wait(ctx)
		return err
	}
}

// TestShutdownTakesWhatFollows: a runtime that drains takes what its operations send, with or
// without a processor, and runs it before Shutdown returns.
func TestShutdownTakesWhatFollows(t *testing.T) {
	for name, insider := range insiders {
		for _, stripes := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				rt, _ := runtimetest.Start(t, freerun.Processors(2))
				if !stripes {
					freerun.WithoutStripes(rt)
				}
				u, v := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
				entered := make(chan struct{})
				outcomes := map[string]func(context.Context) error{}
				var sent int
				ended := insider(rt, func(c *freerun.Context) {
					close(entered)
					<-rt.Draining()
					sent = sendEach(c, u, v, func(way string, err func(context.Context) error) { outcomes[way] = err })
					refused := make(chan error)
					go func() { refused <- runtimetest.AddOne.Tell(c, u, 100) }()
					if err := <-refused; !errors.Is(err, freerun.ErrClosed) {
						t.Errorf("a goroutine that the operation has started: %v", err)
					}
				})
				<-entered
				if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
					t.Error(err)
				}
				if err := ended(runtimetest.Within(t)); err != nil {
					t.Error(err)
				}
				for way, err := range outcomes {
					if err := err(runtimetest.Within(t)); err != nil {
						t.Errorf("%s: %v", way, err)
					}
				}
				if n := u.Stats().Operations; n != uint64(sent) {
					t.Errorf("%d operations of %d have run", n, sent)
				}
				if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 {
					t.Errorf("stats %+v", s)
				}
			})
		}
	}
}

// TestAbortRefusesWhatFollows: past the deadline, and after Close, the runtime takes nothing from
// operations either, wherever they are. All messages are accounted for.
func TestAbortRefusesWhatFollows(t *testing.T) {
	for how, end := range map[string]func(rt *freerun.Runtime) error{
		"Close": (*freerun.Runtime).Close,
		"deadline": func(rt *freerun.Runtime) error {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return rt.Shutdown(ctx)
		},
	} {
		for name, insider := range insiders {
			t.Run(how+"/"+name, func(t *testing.T) {
				rt, _ := runtimetest.Start(t, freerun.Processors(2), freerun.Grace(time.Minute))
				u, v := freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)
				entered := make(chan struct{})
				outcomes := map[string]func(context.Context) error{}
				insider(rt, func(c *freerun.Context) {
					close(entered)
					<-c.Done()
					sendEach(c, u, v, func(way string, err func(context.Context) error) { outcomes[way] = err })
				})
				<-entered
				err, left := end(rt), uint64(0)
				if name == activityBlock {
					left = 1 // the activity itself, which gets no processor any more, and ends
				}
				if e := new(freerun.ShutdownError); errors.As(err, &e) && (e.Abandoned != 0 || e.Ended != left || len(e.Running) > 0) || (err == nil) != (left == 0) {
					t.Error(err)
				}
				for way, err := range outcomes {
					if err := err(runtimetest.Within(t)); way != "activity" && !errors.Is(err, freerun.ErrClosed) {
						t.Errorf("%s: %v", way, err)
					}
				}
				if n := u.Stats().Operations; n != 0 {
					t.Errorf("%d operations have run", n)
				}
			})
		}
	}
}

// TestShutdownRefusesVisitors: a runtime that drains refuses what operations of another runtime
// send.
func TestShutdownRefusesVisitors(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	other, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	g := runtimetest.NewGate()
	freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	ended := make(chan error)
	go func() { ended <- rt.Shutdown(runtimetest.Within(t)) }()
	<-rt.Draining()
	for _, block := range []bool{false, true} {
		runtimetest.Must(t, freerun.Go(other.Context(), func(c *freerun.Context) (int, error) {
			if block {
				c.Block(func() {})
			}
			if err := runtimetest.AddOne.Tell(rt.Context(), u, 1); !errors.Is(err, freerun.ErrClosed) {
				t.Errorf("Tell: %v", err)
			}
			if _, err := runtimetest.AddOne.Send(rt.Context(), u, 1).Result(); !errors.Is(err, freerun.ErrClosed) {
				t.Errorf("Send: %v", err)
			}
			return 0, nil
		}))
	}
	close(g.Opened)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestShutdownStressBlock has operations read in Block and save what they have read, each some
// times in a row, while the runtime is shut down. All that follows from what was accepted runs.
func TestShutdownStressBlock(t *testing.T) {
	const rounds, readers, deep = 60, 6, 4
	for range rounds {
		rt, _ := runtimetest.Start(t, freerun.Processors(2))
		saved := freerun.NewUnit(rt, 0)
		var begun, refused atomic.Int64
		var read func(c *freerun.Context, left int) error
		read = func(c *freerun.Context, left int) error {
			return tellError(freerun.Do(c, freerun.NewUnit(rt, left), func(c *freerun.Context, left *int) (int, error) {
				begun.Add(1)
				c.Block(func() {})
				if err := runtimetest.AddOne.Tell(c, saved, 1); err != nil {
					refused.Add(1)
				}
				if *left > 0 {
					if err := read(c, *left-1); err != nil {
						refused.Add(1)
					}
				}
				return 0, nil
			}))
		}
		for range readers {
			if err := read(rt.Context(), deep); err != nil {
				t.Fatal(err)
			}
		}
		if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		if b, r, n := begun.Load(), refused.Load(), saved.Stats().Operations; b != readers*(deep+1) || r != 0 || n != uint64(b) {
			t.Fatalf("%d operations have read, %d sends were refused, %d have saved", b, r, n)
		}
	}
}

// tellError returns the error of a message that was refused at once, nil otherwise.
func tellError[R any](f freerun.Future[R]) error {
	if _, err := f.Result(); !errors.Is(err, freerun.ErrWouldBlock) {
		return err
	}
	return nil
}

// TestFloodDoesNotHoldOperations: Tell makes no operation sleep, wherever it sends from. In the
// bubble a goroutine that is made to wait sleeps, and time goes on only while all goroutines sleep.
func TestFloodDoesNotHoldOperations(t *testing.T) {
	for name, insider := range insiders {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, rt *freerun.Runtime) {
				const messages = 40_000
				u := freerun.NewUnit(rt, 0)
				stuck := make(chan struct{})
				freerun.Do(rt.Context(), u, func(c *freerun.Context, _ *int) (int, error) { c.Block(func() { <-stuck }); return 0, nil })
				begun := time.Now()
				ended := insider(rt, func(c *freerun.Context) {
					for range messages {
						if err := runtimetest.AddOne.Tell(c, u, 1); err != nil {
							t.Error(err)
							return
						}
					}
					if slept := time.Since(begun); slept != 0 {
						t.Errorf("it has slept for %v", slept)
					}
					close(stuck)
				})
				if err := ended(t.Context()); err != nil {
					t.Error(err)
				}
				if err := rt.Quiesce(t.Context()); err != nil {
					t.Error(err)
				}
				if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != messages {
					t.Errorf("%d of %d messages", n, messages)
				}
			})
		})
	}
}

// TestMailboxDoesNotHoldOperations: an operation does not wait for room in a mailbox: the receiver
// may wait for that operation.
func TestMailboxDoesNotHoldOperations(t *testing.T) {
	for name, insider := range insiders {
		t.Run(name, func(t *testing.T) {
			const messages = 20
			rt, _ := runtimetest.Start(t, freerun.Processors(3))
			u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(1, freerun.WaitForRoom))
			stuck := make(chan struct{})
			freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { <-stuck; return 0, nil })
			ended := insider(rt, func(c *freerun.Context) {
				for range messages {
					if err := runtimetest.AddOne.Tell(c, u, 1); err != nil {
						t.Error(err)
					}
				}
				close(stuck)
			})
			if err := ended(runtimetest.Within(t)); err != nil {
				t.Error(err)
			}
			if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != messages {
				t.Errorf("%d of %d messages", n, messages)
			}
		})
	}
}
