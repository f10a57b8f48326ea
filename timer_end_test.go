package freerun

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/timerwheel"
)

var timerAtTheEnd = FreeOp("timerAtTheEnd", func(*Context, int) (int, error) { return 1, nil })

// TestTimerAtTheEnd has a timer fire, and the runtime end before the timer sends its message. When
// the runtime has ended, the message has failed, is counted nowhere, and is not open in its scope.
func TestTimerAtTheEnd(t *testing.T) {
	begin := map[string]func(c *Context) (m *promised, timer *Timer){
		"SendAfter": func(c *Context) (*promised, *Timer) {
			f, timer := timerAtTheEnd.SendAfter(c, time.Hour, 0)
			return &f.cell.promised, timer
		},
		"After": func(c *Context) (*promised, *Timer) {
			f := After(c, time.Hour)
			return &f.cell.promised, c.Scope().newestTimer()
		},
	}
	end := map[string]func(rt *Runtime) error{
		"Shutdown": func(rt *Runtime) error { return rt.Shutdown(context.Background()) },
		"Close":    (*Runtime).Close,
	}
	for made, begin := range begin {
		for ended, end := range end {
			t.Run(made+"/"+ended, func(t *testing.T) {
				rt := New(Processors(1), Grace(10*time.Second))
				hand := handWheels(rt)
				scope := rt.Scope(t.Context())
				m, timer := begin(scope.Context())
				m.doneChannel()
				hasEnded := make(chan struct{})
				was := timer.target.vtable()
				due := *was
				due.late = func(w *worker, msg *message) {
					go func() {
						defer close(hasEnded)
						if err := end(rt); err != nil {
							t.Error(err)
						}
					}()
					for rt.phase.Load() == running {
						runtime.Gosched()
					}
					for range 1000 { // an end that does not wait is most likely over after these
						runtime.Gosched()
					}
					select {
					case <-hasEnded:
						t.Error("the end did not wait for the timer that fires")
					default:
					}
					msg.become(was)
					was.late(w, msg)
				}
				timer.target.become(&due)
				if !hand.strike() {
					t.Error("no alarm is set")
				}
				<-hasEnded
				<-m.doneChannel()
				closed, err := m.Outcome()
				if !closed || made == "SendAfter" && err != ErrClosed {
					t.Errorf("%v, %v", closed, err)
				}
				if s := rt.Stats(); s.Sent != 0 || s.Done != 0 {
					t.Errorf("%+v", s)
				}
				if n := scope.account.Open.Open(); n != 0 {
					t.Errorf("%d open in the scope", n)
				}
			})
		}
	}
}

// newestTimer returns the timer that was made last in the scope, nil if there is none.
func (s *Scope) newestTimer() (newest *Timer) {
	s.more.Load().timers.Each(func(e *timerwheel.Entry) {
		if newest == nil {
			newest = timerOf(e)
		}
	})
	return newest
}

// TestTimerAfterTheEnd has a timer send its message only after the runtime has ended and the
// promise was abandoned. The message is counted nowhere, and is not open in its scope.
func TestTimerAfterTheEnd(t *testing.T) {
	rt := New(Processors(1))
	scope := rt.Scope(t.Context())
	f, timer := timerAtTheEnd.SendAfter(scope.Context(), time.Hour, 0)
	g := After(scope.Context(), time.Hour)
	other := scope.newestTimer()
	late := []*message{timer.target, other.target}
	for _, t := range []*Timer{timer, other} {
		t.entry.State.Store(timerwheel.Fired) // without a count in Runtime.firing
	}
	if err := rt.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	for _, err := range []error{outcomeOf(f), outcomeOf(g)} {
		if err != ErrClosed {
			t.Errorf("came to %v", err)
		}
	}
	for _, m := range late {
		m.vtable().late(rt.detachedWorker(), m)
	}
	if s := rt.Stats(); s.Sent != 0 || s.Done != 0 {
		t.Errorf("%+v", s)
	}
	if n := scope.account.Open.Open(); n != 0 {
		t.Errorf("%d open in the scope", n)
	}
}

func outcomeOf[R any](f Future[R]) error {
	_, err := f.Result()
	return err
}
