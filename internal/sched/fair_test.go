package sched

import "testing"

// respawn returns a task that queues itself again until the test has ended, and counts its runs.
func respawn(runs *int, ended *bool, again func(p *Processor, t *Task)) *job {
	j := newJob(nil)
	j.do = func(p *Processor) {
		*runs++
		if !*ended {
			again(p, &j.Task)
		}
	}
	return j
}

// TestFairness floods one processor with tasks that queue themselves again, in all the ways at
// once that a case names. It counts how many of them run before a task that waits in another place
// gets its turn.
func TestFairness(t *testing.T) {
	push := func(p *Processor, t *Task) { p.Push(t) }
	pushBack := func(p *Processor, t *Task) { p.PushBack(t) }
	pushNext := func(p *Processor, t *Task) { p.PushNext(t) }
	pushWoken := func(p *Processor, t *Task) { p.PushWoken(t) }
	wakeAnother := func(p *Processor, t *Task) { // the first one lies in the deque then
		p.PushWoken(t)
		p.PushWoken(&newJob(func(*Processor) {}).Task)
	}
	inject := func(p *Processor, t *Task) { p.scheduler.Inject(t) }
	type way = func(p *Processor, t *Task)
	for name, c := range map[string]struct {
		floods []way
		victim way
		atMost int // runs of the others before the victim
	}{
		"slot, ring":               {[]way{pushNext}, pushBack, slotRuns + 1},
		"slot, deque":              {[]way{pushNext}, push, slotRuns + 1},
		"slot, inbox":              {[]way{pushNext}, inject, overdueTurn},
		"slot and deque, ring":     {[]way{pushNext, push}, pushBack, (ringTurn + 1) * (slotRuns + 1)},
		"slot and ring, deque":     {[]way{pushNext, pushBack}, push, (ringTurn + 1) * (slotRuns + 1)},
		"deque, ring":              {[]way{push}, pushBack, ringTurn},
		"deque, inbox":             {[]way{push}, inject, overdueTurn},
		"ring, deque":              {[]way{pushBack}, push, 2},
		"ring, inbox":              {[]way{pushBack}, inject, overdueTurn},
		"inbox, ring":              {[]way{inject, inject}, pushBack, 2},
		"all, ring":                {[]way{pushNext, push, push, pushBack, inject}, pushBack, 4 * (ringTurn + 1) * (slotRuns + 1)},
		"all, inbox":               {[]way{pushNext, push, push, pushBack, inject}, inject, 3 * overdueTurn},
		"deque, oldest of its own": {[]way{push}, push, overdueTurn * oldestTurn},
		"woken, ring":              {[]way{pushWoken, pushWoken, pushWoken}, pushBack, (ringTurn + 1) * (slotRuns + 1)},
		"woken, inbox":             {[]way{pushWoken, pushWoken, pushWoken}, inject, overdueTurn},
		"deque, woken":             {[]way{push}, wakeAnother, 2*lifoTurn + 2*ringTurn},
		"deque twice, woken":       {[]way{push, push}, wakeAnother, 2*lifoTurn + 2*ringTurn},
		"slot and deque, woken":    {[]way{pushNext, push}, wakeAnother, 2*lifoTurn + (ringTurn+1)*(slotRuns+1)},
		"woken, oldest of its own": {[]way{pushWoken, pushWoken, pushWoken}, pushWoken, lifoTurn + 4*(ringTurn+1)*(slotRuns+1)},
	} {
		t.Run(name, func(t *testing.T) {
			s := started(t, 1)
			for offset := range 5 { // the state of the processor's turns when the victim comes
				runs, before, ended := 0, 0, false
				done := make(chan struct{})
				victim := newJob(func(*Processor) {
					before, ended = runs, true
					close(done)
				})
				inTask(t, s, func(p *Processor) {
					c.victim(p, &victim.Task)
					for _, flood := range c.floods {
						flood(p, &respawn(&runs, &ended, flood).Task)
					}
				})
				await(t, "the task among the others", done)
				awaitParked(t, s)
				if before > c.atMost {
					t.Errorf("offset %d: %d of the others ran before it, want at most %d", offset, before, c.atMost)
				}
			}
		})
	}
}

// TestFairnessOfBuried wakes a thousand tasks, and then runs one that queues itself again and
// another one, newest first: each of those that were woken gets its turn.
func TestFairnessOfBuried(t *testing.T) {
	s := started(t, 1)
	const woken = 1000
	runs, before, ended, left := 0, 0, false, woken
	done := make(chan struct{})
	inTask(t, s, func(p *Processor) {
		for range woken {
			p.PushWoken(&newJob(func(*Processor) {
				if left--; left == 0 {
					before, ended = runs, true
					close(done)
				}
			}).Task)
		}
		push := func(p *Processor, t *Task) {
			p.Push(&newJob(func(*Processor) {}).Task)
			p.Push(t)
		}
		p.Push(&respawn(&runs, &ended, push).Task)
	})
	await(t, "the tasks that were woken", done)
	if most := 2*lifoTurn + ringTurn*(woken+1); before > most {
		t.Errorf("the other one has run %d times before all had, want at most %d", before, most)
	}
}

// TestFairnessOfPingPong has two tasks wake each other through the slot: a third one behind them
// in the ring must get its turn.
func TestFairnessOfPingPong(t *testing.T) {
	s := started(t, 1)
	runs, before, ended := 0, 0, false
	var ping, pong *job
	done := make(chan struct{})
	ping = newJob(func(p *Processor) {
		if runs++; !ended {
			p.PushNext(&pong.Task)
		}
	})
	pong = newJob(func(p *Processor) {
		if runs++; !ended {
			p.PushNext(&ping.Task)
		}
	})
	inTask(t, s, func(p *Processor) {
		p.PushNext(&ping.Task)
		p.PushBack(&newJob(func(*Processor) {
			before, ended = runs, true
			close(done)
		}).Task)
	})
	await(t, "the third task", done)
	if before > slotRuns+1 {
		t.Errorf("%d turns of the two before the third got its own", before)
	}
}
