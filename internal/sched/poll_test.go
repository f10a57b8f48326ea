package sched

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun/internal/sys/netpoll"
)

// endlessTasks has a task for each processor queue itself again until ended.
func endlessTasks(s *Scheduler, ended *atomic.Bool) {
	for range s.Processors() {
		j := newJob(nil)
		j.do = func(p *Processor) {
			p.Spend()
			if !ended.Load() {
				p.PushBack(&j.Task)
			}
		}
		s.Inject(&j.Task)
	}
}

// pollsOf returns how often the processors of s have polled.
func pollsOf(s *Scheduler) (n uint64) {
	for _, p := range s.Processors() {
		n += p.Stats().Polls
	}
	return n
}

// TestBusyProcessorsPoll has as many processors as Ps, and several times as many, keep all Ps
// busy, of one scheduler and of two: polls continue, and end well.
func TestBusyProcessorsPoll(t *testing.T) {
	if way, why := netpoll.Way(); way == netpoll.WayYield {
		t.Skip(why)
	}
	for _, c := range []struct{ ps, processors, schedulers int }{{1, 1, 1}, {2, 2, 1}, {2, 7, 1}, {2, 2, 2}, {1, 4, 2}} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.ps))
			var ended atomic.Bool
			var all []*Scheduler
			for range c.schedulers {
				s := New(Config{Processors: c.processors})
				s.Start()
				endlessTasks(s, &ended)
				all = append(all, s)
			}
			until(t, "polls", func() bool {
				polls := uint64(0)
				for _, s := range all {
					polls += pollsOf(s)
				}
				return polls > 30
			})
			ended.Store(true)
			for _, s := range all {
				stop(t, s)
				if made, free := s.pollers.made.Load(), len(s.pollers.free); made > mostPollers || free != 0 {
					t.Errorf("%v: %d pollers were made, %d are left open", c, made, free)
				}
			}
		}()
	}
}

// TestPollersCloseLate stops a scheduler whose task does not return: the poller that the task's
// processor uses afterwards is closed, too.
func TestPollersCloseLate(t *testing.T) {
	s := New(Config{Processors: 1})
	ps := &s.pollers
	poller := ps.take(0)
	if poller == nil {
		t.Skip("no poller can be made here")
	}
	ps.close()
	ps.giveBack(poller)
	if len(ps.free) != 0 || poller.Poll(patience) {
		t.Error("a poller is open after the end")
	}
	if ps.take(0) != nil {
		t.Error("a poller was made after the end")
	}
}

// TestPollersAreFew asks for more pollers than a scheduler may have: the others are refused, which
// leaves nothing open, and those that are given back are used again.
func TestPollersAreFew(t *testing.T) {
	s := New(Config{Processors: 1})
	ps := &s.pollers
	var all []*netpoll.Poller
	for range mostPollers {
		poller := ps.take(0)
		if poller == nil {
			t.Skip("no poller can be made here")
		}
		all = append(all, poller)
	}
	before := openFiles()
	for range 10 {
		if ps.take(0) != nil {
			t.Error("there is one more poller than there may be")
		}
	}
	if after := openFiles(); after > before {
		t.Errorf("%d files are open, %d were before the calls that were refused", after, before)
	}
	if made := ps.made.Load(); made != mostPollers {
		t.Errorf("%d pollers are counted, not %d", made, mostPollers)
	}
	for _, poller := range all {
		ps.giveBack(poller)
	}
	for range all {
		if ps.take(0) == nil {
			t.Fatal("a poller that was given back is not used again")
		}
	}
	for _, poller := range all {
		poller.Close()
	}
}

// openFiles returns how many files the process has open; 0 where the system does not say.
func openFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// TestNoPollers has processors that can make no poller: they yield as before.
func TestNoPollers(t *testing.T) {
	s := New(Config{Processors: 1})
	s.pollers.failed.Store(int64(time.Hour) << 10)
	s.Start()
	t.Cleanup(func() { stop(t, s) })
	var ended atomic.Bool
	endlessTasks(s, &ended)
	until(t, "yields", func() bool { return s.Processors()[0].Stats().Yields > 100 })
	ended.Store(true)
	if n := pollsOf(s); n > 0 {
		t.Errorf("it polled %d times", n)
	}
	if made := s.pollers.made.Load(); made != 0 {
		t.Errorf("%d pollers are counted", made)
	}
}

// TestBubblePollsNothing holds that a scheduler in a bubble has no pollers, and one outside has,
// where there are any.
func TestBubblePollsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if s := New(Config{Processors: 1}); s.pollers.free != nil {
			t.Error("a scheduler in a bubble would poll")
		}
	})
	if s := New(Config{Processors: 1, Choose: func([]int) int { return 0 }}); s.pollers.free != nil {
		t.Error("a deterministic scheduler would poll")
	}
	if s := New(Config{Processors: 1}); s.pollers.free == nil {
		t.Error("a scheduler outside of a bubble would not poll")
	}
}

// TestPausedIsNotLate has the watchdog look at a processor that yields for long in the middle of a
// task. The task is not late then, nor until After has passed since the end of the yield.
func TestPausedIsNotLate(t *testing.T) {
	s := New(Config{Processors: 1})
	p := s.all()[0]
	p.begin(&newJob(nop).Task)
	p.host.Store(s.newHost())
	reports := 0
	config := Watchdog{After: 10 * time.Millisecond, Report: func(Stuck, time.Duration) { reports++ }}
	var at observation
	now := time.Now()
	look := func(after time.Duration) bool {
		now = now.Add(after)
		return at.isLate(p, now, config)
	}
	look(0)
	p.counters.pauses.Add(1) // it begins to yield
	for range 10 {
		if look(5 * time.Millisecond) {
			t.Fatal("late while it yields")
		}
	}
	p.counters.pauses.Add(1) // and ends it
	if look(5*time.Millisecond) || look(9*time.Millisecond) {
		t.Error("late before its time")
	}
	if reports > 0 {
		t.Error("it was reported")
	}
	if !look(time.Millisecond) || reports != 1 {
		t.Errorf("not late after its time, %d reports", reports)
	}
}
