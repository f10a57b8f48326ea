package sched

import (
	"testing"
	"testing/synctest"
)

// alone waits, in a task on p, until all other processors sleep.
func alone(t *testing.T, p *Processor) {
	until(t, "the other processors to park", func() bool { return p.scheduler.census.awake() == 1 && p.scheduler.census.searching() == 0 })
}

// inTask runs do as a task and waits for its end.
func inTask(t *testing.T, s *Scheduler, do func(p *Processor)) {
	t.Helper()
	done := make(chan struct{})
	s.Inject(&newJob(func(p *Processor) {
		defer close(done)
		do(p)
	}).Task)
	await(t, "a task", done)
}

func TestSlotOrder(t *testing.T) {
	s := started(t, 1)
	var order []string
	named := func(name string) *Task {
		return &newJob(func(*Processor) { order = append(order, name) }).Task
	}
	inTask(t, s, func(p *Processor) {
		p.PushBack(named("ring"))
		p.Push(named("deque"))
		p.PushNext(named("replaced"))
		p.PushNext(named("slot"))
		p.Hand(named("handed"))
	})
	awaitParked(t, s)
	if len(order) != 5 || order[0] != "handed" || order[1] != "slot" || order[4] != "replaced" {
		t.Errorf("the tasks ran in the order %v", order)
	}
	if s.monitor.pace.Load() != paceStopped {
		t.Error("the monitor is armed though there are no thieves")
	}
}

// TestPushNextWakesNone reads the census right after PushNext: unless the monitor has looked in the
// meantime, the other processors must still sleep. (A look that opened the slot of an earlier round
// may wake a processor late.)
func TestPushNextWakesNone(t *testing.T) {
	s := started(t, 4)
	closed := 0 // rounds without a look
	for range 300 {
		inTask(t, s, func(p *Processor) {
			looks := s.monitor.looks.Load() // before looking: a look counts itself after that
			alone(t, p)
			if s.monitor.looking.Load() {
				return
			}
			p.PushNext(&newJob(nop).Task)
			w := s.census.word.Load()
			if s.monitor.looking.Load() || s.monitor.looks.Load() != looks {
				return
			}
			closed++
			if awakeIn(w) != 1 || searchingIn(w) != 0 {
				t.Errorf("PushNext left %d awake and %d searching", awakeIn(w), searchingIn(w))
			}
			if s.hasWork() {
				t.Error("a task in a slot that is not open counts as work for others")
			}
		})
	}
	if closed == 0 {
		t.Error("the monitor looked in each round")
	}
}

// TestSlotIsStolenFromLongTasks has a task wait for what it put into its slot, several times: each
// time another processor must come for it, though it sleeps when the slot is filled.
func TestSlotIsStolenFromLongTasks(t *testing.T) {
	s := started(t, 2)
	var next [5]*job
	inTask(t, s, func(p *Processor) {
		for i := range next {
			alone(t, p)
			done := make(chan struct{})
			next[i] = newJob(func(*Processor) { close(done) })
			p.PushNext(&next[i].Task)
			await(t, "the task in the slot", done)
		}
	})
	for i, j := range next {
		if j.stolen.Load() != 1 {
			t.Errorf("task %d was told %d times that it was stolen", i, j.stolen.Load())
		}
	}
}

// TestOneLookAtATime holds that a look beside an unfinished one does nothing, and the next one
// looks again.
func TestOneLookAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where the timer fires only when the test waits
		m := newMonitor(New(Config{Processors: 1}))
		defer m.timer.Stop()
		m.looking.Store(true)
		if m.look(); m.looks.Load() != 0 {
			t.Error("a look began before the last one has ended")
		}
		m.looking.Store(false)
		if m.look(); m.looks.Load() != 1 || m.looking.Load() {
			t.Errorf("there were %d looks, and one is under way: %v", m.looks.Load(), m.looking.Load())
		}
	})
}

// TestMonitorStopsBesideTasks holds that the monitor of a scheduler that needs it for slots alone
// stops while a task runs.
func TestMonitorStopsBesideTasks(t *testing.T) {
	s := started(t, 2)
	if s.monitorsAlways {
		t.Fatal("the monitor has more to do than look at slots")
	}
	inTask(t, s, func(p *Processor) {
		p.PushNext(&newJob(nop).Task)
		until(t, "the monitor to stop", func() bool { return s.monitor.pace.Load() == paceStopped && !p.slot.filled() })
	})
}

// TestMonitorStops holds that a scheduler has no timer running before a slot is used, nor when it
// sleeps.
func TestMonitorStops(t *testing.T) {
	s := started(t, 2)
	awaitParked(t, s)
	if s.monitor.pace.Load() != paceStopped {
		t.Error("the monitor is armed though no slot was ever used")
	}
	for range 3 {
		inTask(t, s, func(p *Processor) {
			p.PushNext(&newJob(nop).Task)
			if s.monitor.pace.Load() == paceStopped && p.slot.filled() {
				t.Error("a task is in a slot and the monitor is not armed")
			}
		})
		awaitParked(t, s)
		until(t, "the monitor to stop", func() bool { return s.monitor.pace.Load() == paceStopped })
		if s.census.awake() != 0 {
			t.Error("the monitor woke a processor")
		}
	}
}
