package sched

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestBubble makes schedulers in a bubble of testing/synctest. The goroutines of an idle scheduler
// must count as durably blocked: otherwise Wait would not return and time would stand still.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Processors: 3})
		s.Start()
		synctest.Wait()
		if !s.parkedAll() {
			t.Error("all goroutines are blocked, but not all processors are parked")
		}
		begin := time.Now()
		time.Sleep(time.Hour)
		if passed := time.Since(begin); passed != time.Hour { // the bubble's time, which is exact
			t.Errorf("%v passed", passed)
		}
		ran := jobs(50)
		for i, j := range ran {
			j.do = func(p *Processor) {
				if i%2 == 0 {
					p.PushNext(&newJob(nop).Task) // arms the monitor
				}
				p.Spend()
			}
			s.Inject(&j.Task)
		}
		synctest.Wait()
		for i, j := range ran {
			if j.ran.Load() != 1 {
				t.Errorf("task %d ran %d times", i, j.ran.Load())
			}
		}
		time.Sleep(2 * SlotPatience)
		if s.monitor.pace.Load() != paceStopped {
			t.Error("the monitor of an idle scheduler is still armed")
		}
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Error(err)
		}
		if stuck := s.Stop(time.After(time.Second)); len(stuck) > 0 {
			t.Errorf("%d processors are stuck", len(stuck))
		}
	})
}

// TestBubbleStuck has a task wait in a bubble: the bubble's time goes on, and Stop gives up by it.
func TestBubbleStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Processors: 2})
		s.Start()
		b := newBlocker(func(p *Processor) { p.PushNext(&newJob(nop).Task) })
		s.Inject(&b.Task)
		<-b.runs
		begin := time.Now()
		if stuck := s.Stop(time.After(time.Minute)); len(stuck) != 1 || stuck[0].Task != &b.Task {
			t.Errorf("%d processors are stuck, want 1", len(stuck))
		}
		if passed := time.Since(begin); passed != time.Minute { // the bubble's time, which is exact
			t.Errorf("Stop returned after %v", passed)
		}
		close(b.release)
		<-s.exited
	})
}
