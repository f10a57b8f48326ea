package sched

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// theTaskThatIsLate has a name that the test finds in stacks.
func theTaskThatIsLate(until <-chan struct{}) { <-until }

// TestWatchdogReports has tasks that return after known times, by the clock of a bubble: those
// that take too long are reported, once each.
func TestWatchdogReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const after = 10 * time.Millisecond
		type report struct {
			Stuck
			been  time.Duration
			stack string
		}
		var reports []report
		s := New(Config{Processors: 2, Watchdog: Watchdog{After: after, Report: func(late Stuck, been time.Duration) {
			reports = append(reports, report{late, been, string(late.Stack())})
		}}})
		s.Start()
		run := func(do func(p *Processor)) *job {
			j := newJob(do)
			reports = nil
			s.Inject(&j.Task)
			if err := s.AwaitIdle(t.Context(), always); err != nil {
				t.Error(err)
			}
			return j
		}
		pause := func(d time.Duration) { theTaskThatIsLate(expiry(d)) }
		for _, took := range []time.Duration{0, after / 2, after - 2*SlotPatience} {
			run(func(*Processor) { pause(took) })
			if len(reports) > 0 {
				t.Errorf("a task that took %v was reported", took)
			}
		}
		run(func(p *Processor) { // many short operations in one task
			for range 20 {
				pause(after / 2)
				p.Spend()
			}
		})
		if len(reports) > 0 {
			t.Errorf("a task that spends was reported, after %v", reports[0].been)
		}
		for range 2 { // once more each time
			var on *Processor
			var host *Host
			late := run(func(p *Processor) {
				on, host = p, CurrentHost()
				pause(50 * after)
			})
			if len(reports) != 1 {
				t.Fatalf("a task that is late was reported %d times", len(reports))
			}
			r := reports[0]
			if r.Task != &late.Task || r.Processor != on || r.Host != host {
				t.Error("another task was reported, or elsewhere")
			}
			if r.been < after || r.been > after+2*SlotPatience { // the bubble's time is exact
				t.Errorf("reported after %v", r.been)
			}
			if !strings.Contains(r.stack, "theTaskThatIsLate") || strings.Contains(r.stack, "\n\n") {
				t.Errorf("the stack is not that of the task:\n%s", r.stack)
			}
		}
		run(func(p *Processor) {
			pause(2 * after)
			p.Spend()
			pause(2 * after)
		})
		if len(reports) != 2 {
			t.Errorf("a task that was late twice was reported %d times", len(reports))
		}
		run(func(p *Processor) {
			p.Leave()
			pause(50 * after)
		})
		if len(reports) > 0 {
			t.Error("a task that has no processor was reported")
		}
		time.Sleep(time.Hour)
		if s.monitor.pace.Load() != paceStopped {
			t.Error("the monitor of an idle scheduler is still armed")
		}
		s.Stop(nil)
	})
}

// expiry returns a channel that is closed after d.
func expiry(d time.Duration) <-chan struct{} {
	c := make(chan struct{})
	time.AfterFunc(d, func() { close(c) })
	return c
}

// TestWatchdogRelieves has all processors in tasks that wait for tasks queued behind them. Within
// its limit, the watchdog adds processors for those, and releases them when the tasks have
// returned. It runs in a bubble, where no task is late because the machine is busy.
func TestWatchdogRelieves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const extra = 3
		for _, processors := range []int{1, 2} {
			s := New(Config{Processors: processors, Watchdog: Watchdog{After: time.Millisecond, Extra: extra}})
			s.Start()
			t.Cleanup(func() { stop(t, s) })
			for range 3 {
				var blockers []*blocker
				for range processors + extra {
					b := newBlocker(nop)
					s.Inject(&b.Task)
					await(t, "a task behind late ones", b.runs)
					blockers = append(blockers, b)
				}
				behind := newJob(nop)
				s.Inject(&behind.Task) // no processor is left for it
				looked := s.monitor.looks.Load()
				until(t, "the monitor to look", func() bool { return s.monitor.looks.Load() > looked+20 })
				if behind.ran.Load() > 0 || s.inService() != processors+extra {
					t.Errorf("%d processors in service, want %d at most", s.inService(), processors+extra)
				}
				for _, b := range blockers {
					close(b.release)
				}
				until(t, "the task behind all", func() bool { return behind.ran.Load() == 1 })
				meet(t, s, processors)
				awaitParked(t, s)
			}
			if n := len(s.Processors()); n != processors+extra {
				t.Errorf("there were %d processors, want %d", n, processors+extra)
			}
		}
	})
}

// TestWatchdogAddsNoneInVain has all processors in late tasks with nothing queued, and then one
// that is late beside one that is not.
func TestWatchdogAddsNoneInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported atomic.Int32
		s := New(Config{Processors: 2, Watchdog: Watchdog{
			After: time.Millisecond, Extra: 3,
			Report: func(Stuck, time.Duration) { reported.Add(1) },
		}})
		s.Start()
		t.Cleanup(func() { stop(t, s) })
		first, second := newBlocker(nop), newBlocker(nop)
		s.Inject(&first.Task)
		await(t, "the first task", first.runs)
		until(t, "the first report", func() bool { return reported.Load() == 1 })
		for range 1000 {
			inTask(t, s, nop) // the other processor is there
		}
		s.Inject(&second.Task)
		await(t, "the second task", second.runs)
		until(t, "the second report", func() bool { return reported.Load() == 2 })
		looked := s.monitor.looks.Load()
		until(t, "the monitor to look", func() bool { return s.monitor.looks.Load() > looked+5 })
		if n := len(s.Processors()); n != 2 {
			t.Errorf("there are %d processors", n)
		}
		close(first.release)
		close(second.release)
	})
}

// TestStackOf finds goroutines among many.
func TestStackOf(t *testing.T) {
	const count = 300
	numbers, release := make(chan uint64, count), make(chan struct{})
	for range count {
		go func() {
			numbers <- goroutineNumber()
			theTaskThatIsLate(release)
		}()
	}
	var last uint64
	for range count {
		last = <-numbers
		if last == 0 {
			t.Fatal("a goroutine has no number")
		}
	}
	until(t, "the goroutine to wait", func() bool { return strings.Contains(string(stackOf(last)), "theTaskThatIsLate") })
	if own := string(stackOf(goroutineNumber())); !strings.Contains(own, "TestStackOf") {
		t.Errorf("the stack of the test is\n%s", own)
	}
	close(release)
	until(t, "the goroutine to end", func() bool { return stackOf(last) == nil })
}
