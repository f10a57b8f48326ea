package sched

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"weak"
)

func TestSlotSequential(t *testing.T) {
	for _, start := range []uint32{0, 1<<31 - 4, 1<<32 - 4} { // where its numbers wrap around
		var s slot
		s.word.Store(start)
		all := jobs(30)
		if s.filled() || s.take() != nil || s.steal() != nil {
			t.Fatal("an empty slot is not empty")
		}
		for i := 0; i < len(all); i += 3 {
			if s.put(&all[i].Task) != nil || !s.filled() {
				t.Fatal("put into an empty slot displaced something, or was lost")
			}
			if s.put(&all[i+1].Task) != &all[i].Task {
				t.Fatal("put into a full slot did not displace what was there")
			}
			if s.steal() != &all[i+1].Task || s.steal() != nil || s.take() != nil || s.filled() {
				t.Fatal("what was stolen was another task, or is still there")
			}
			if s.put(&all[i+2].Task) != nil || s.take() != &all[i+2].Task || s.filled() || s.steal() != nil {
				t.Fatal("what was taken was another task, or is still there")
			}
		}
	}
}

// TestSlotFrozenThief freezes a thief before its compare-and-swap while the owner goes on: it must
// fail unless nothing has changed.
func TestSlotFrozenThief(t *testing.T) {
	a, b := newJob(nop), newJob(nop)
	for name, c := range map[string]struct {
		meanwhile func(s *slot)
		gets      bool
	}{
		"nothing":             {func(*slot) {}, true},
		"nothing to forget":   {func(s *slot) { s.forget() }, true},
		"taken":               {func(s *slot) { s.take() }, false},
		"displaced":           {func(s *slot) { s.put(&b.Task) }, false},
		"taken and put again": {func(s *slot) { s.take(); s.put(&a.Task) }, false},
		"stolen and replaced": {func(s *slot) { s.steal(); s.put(&b.Task) }, false},
	} {
		var s slot
		s.put(&a.Task)
		w, task := s.word.Load(), s.task.Load()
		c.meanwhile(&s)
		if gets := s.word.CompareAndSwap(w, w&^slotFull); gets != c.gets || gets && task != &a.Task {
			t.Errorf("%s: the thief gets it: %v, want %v", name, gets, c.gets)
		}
	}
}

// TestSlotStress has an owner that puts and takes, and thieves. Each task must come out once.
func TestSlotStress(t *testing.T) {
	const count, thieves = 200_000, 2
	var s slot
	all := jobs(count)
	var finished atomic.Bool
	var group sync.WaitGroup
	for range thieves {
		group.Go(func() {
			for !finished.Load() {
				if task := s.steal(); task != nil {
					jobOf(task).ran.Add(1)
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	got := func(task *Task) {
		if task != nil {
			jobOf(task).ran.Add(1)
		}
	}
	for i, j := range all {
		got(s.put(&j.Task))
		if i%3 == 0 {
			got(s.take())
		}
	}
	got(s.take())
	finished.Store(true)
	group.Wait()
	for i, j := range all {
		if n := j.ran.Load(); n != 1 {
			t.Fatalf("task %d came out %d times", i, n)
		}
	}
}

func TestSlotRetainsNothing(t *testing.T) {
	var s slot
	put := func() weak.Pointer[job] {
		j := newJob(nop)
		s.put(&j.Task)
		return weak.Make(j)
	}
	taken := put()
	s.take()
	runtime.GC()
	runtime.GC()
	if taken.Value() != nil {
		t.Error("what was taken is kept alive")
	}
	stolen := put()
	s.steal()
	s.forget()
	runtime.GC()
	runtime.GC()
	if stolen.Value() != nil {
		t.Error("what was stolen is kept alive")
	}
	runtime.KeepAlive(&s)
}

// TestIdleRetainsNoStolenSlot holds that a processor whose slot was stolen from drops its
// reference to the task when it sleeps.
func TestIdleRetainsNoStolenSlot(t *testing.T) {
	s := started(t, 2)
	var gone weak.Pointer[job]
	inTask(t, s, func(p *Processor) {
		done := make(chan struct{})
		next := newJob(func(*Processor) { close(done) })
		gone = weak.Make(next)
		p.PushNext(&next.Task)
		await(t, "the task in the slot", done)
	})
	awaitParked(t, s)
	runtime.GC()
	runtime.GC()
	if gone.Value() != nil {
		t.Error("an idle scheduler keeps a task alive that was stolen from a slot")
	}
}
