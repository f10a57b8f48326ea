//go:build !explore

package sched

import (
	"testing"
	"time"
)

// ticks is a Timed whose time passes with each choice; it keeps what it was told.
type ticks struct {
	now    time.Duration
	tick   time.Duration
	enters int
	thefts map[int]uint64 // by thief, how many tasks it has stolen
	due    time.Duration  // when happen is called; 0 if never
	happen func()
}

func (t *ticks) Now() time.Duration { return t.now }
func (t *ticks) Enter()             { t.enters++ }
func (t *ticks) Due() bool          { return t.due > 0 && t.now >= t.due }

func (t *ticks) Happen() {
	t.due = 0
	t.happen()
}

func (t *ticks) Stole(thief, victim *Processor, tasks uint64) {
	if thief == victim || tasks <= t.thefts[thief.index] {
		panic("a theft of nothing, or from oneself")
	}
	t.thefts[thief.index] = tasks
}

// timedScheduler returns a deterministic scheduler whose time advances by tick with each choice.
// The choice is the processor that was chosen least.
func timedScheduler(processors int, tick time.Duration) (*Scheduler, *ticks) {
	t := &ticks{tick: tick, thefts: map[int]uint64{}}
	turns := make([]int, processors)
	choose := func(ready []int) int {
		t.now += t.tick
		first := 0
		for i, n := range ready {
			if turns[n] < turns[ready[first]] {
				first = i
			}
		}
		turns[ready[first]]++
		return first
	}
	s := New(Config{Processors: processors, Choose: choose, Timed: t})
	s.Start()
	return s, t
}

// TestTimedThefts holds that Timed is told each theft and all tasks run, though most choices are
// made without a switch.
func TestTimedThefts(t *testing.T) {
	for _, processors := range []int{1, 2, 5} {
		s, told := timedScheduler(processors, time.Nanosecond)
		ran := 0
		s.Inject(&newJob(func(p *Processor) {
			for range 100 {
				p.Push(&newJob(func(q *Processor) {
					q.Spend()
					ran++
				}).Task)
			}
			p.Spend()
		}).Task)
		if s.Drive(nil); ran != 100 || told.enters != 1 {
			t.Errorf("%d processors: %d of 100 tasks have run, in %d drives", processors, ran, told.enters)
		}
		for _, p := range s.all() {
			if stolen := p.Stats().Stolen; stolen != told.thefts[p.index] {
				t.Errorf("processor %d of %d has stolen %d tasks, and told of %d", p.index, processors, stolen, told.thefts[p.index])
			}
		}
		if processors > 1 && len(told.thefts) == 0 {
			t.Errorf("%d processors stole nothing", processors)
		}
		s.Stop(nil)
	}
}

// TestTimedSlots holds that a task in a slot behind a long task is stolen after the simulated time
// that the monitor would wait, and not before.
func TestTimedSlots(t *testing.T) {
	for tick, stolen := range map[time.Duration]bool{SlotPatience / 10: true, SlotPatience / 1e6: false} {
		s, _ := timedScheduler(2, tick)
		where := -1
		s.Inject(&newJob(func(p *Processor) {
			p.PushNext(&newJob(func(q *Processor) { where = q.index - p.index }).Task)
			for range 100 {
				p.Spend()
			}
		}).Task)
		s.Drive(nil)
		if (where != 0) != stolen {
			t.Errorf("a choice takes %v: the task in the slot ran %d processors further on", tick, where)
		}
		s.Stop(nil)
	}
}

// TestTimedHappens holds that what is due happens while a task runs that pauses, off the task, and
// that the driver's choice goes on afterwards.
func TestTimedHappens(t *testing.T) {
	for _, processors := range []int{1, 3} {
		s, told := timedScheduler(processors, time.Nanosecond)
		ran, pauses := false, 0
		told.due, told.happen = 50, func() {
			if CurrentHost() != nil || told.now != 50 {
				t.Errorf("it happens at %v, on a host: %v", told.now, CurrentHost() != nil)
			}
			s.Inject(&newJob(func(*Processor) { ran = true }).Task)
		}
		s.Inject(&newJob(func(p *Processor) {
			for ; pauses < 1000; pauses++ {
				p.Pause()
			}
		}).Task)
		if s.Drive(nil); !ran || pauses != 1000 || told.due != 0 {
			t.Errorf("%d processors: what happened was run: %v, after %d pauses", processors, ran, pauses)
		}
		s.Stop(nil)
	}
}
