package freerun

import (
	"context"
	"testing"
	"time"
)

var timerAtTheEnd = FreeOp("test.timerAtTheEnd", func(*Context, int) (int, error) { return 1, nil })

// TestTimerAtTheEnd has a timer fire, and the runtime end, in full, before the timer comes to send what it was made for. What was not sent is not
// counted as done: neither by who then finds the future open, nor by the timer.
func TestTimerAtTheEnd(t *testing.T) {
	begin := map[string]func(c *Context) (m *message, timer *Timer){
		"SendAfter": func(c *Context) (*message, *Timer) {
			f, timer := timerAtTheEnd.SendAfter(c, time.Hour, 0)
			return &f.cell.message, timer
		},
		"After": func(c *Context) (*message, *Timer) {
			f := After(c, time.Hour)
			var timer *Timer
			c.rt.timers.Range(func(t, _ any) bool { timer = t.(*Timer); return false })
			return &f.cell.message, timer
		},
	}
	look := map[string]func(m *message){
		"nobody asks":   func(*message) {},
		"somebody asks": func(m *message) { m.closedNow() },
		"somebody did":  func(m *message) { m.done() },
	}
	for made, begin := range begin {
		for looked, look := range look {
			t.Run(made+"/"+looked, func(t *testing.T) {
				rt := New(Processors(1))
				m, timer := begin(rt.Context())
				if looked == "somebody did" {
					look(m)
				}
				even := func(when string) {
					if s := rt.Stats(); s.Sent != s.Done || s.Failed != 0 {
						t.Errorf("%s: %+v", when, s)
					}
				}
				fire := timer.fire
				timer.fire = func() {
					if err := rt.Shutdown(context.Background()); err != nil {
						t.Error(err)
					}
					look(m)
					even("before it is sent")
					fire()
				}
				timer.tick()
				even("after that")
				if closed, err := m.outcomeNow(); !closed || err != ErrClosed {
					t.Errorf("%v, %v", closed, err)
				}
				<-m.done()
				even("in the end")
			})
		}
	}
}
