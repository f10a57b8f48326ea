package sched

import (
	"runtime"
	"testing"
	"weak"
)

// TestIdleRetainsNothing runs tasks through all queues of a scheduler. Then neither the idle
// scheduler, nor a task of the same batch that its creator keeps, keeps any of them alive.
func TestIdleRetainsNothing(t *testing.T) {
	for _, processors := range []int{1, 4} {
		s := started(t, processors)
		var gone []weak.Pointer[job]
		fresh := func() *Task {
			j := newJob(func(p *Processor) { p.YieldIfDue() })
			gone = append(gone, weak.Make(j))
			return &j.Task
		}
		inTask(t, s, func(p *Processor) {
			for range 700 { // more than a ring holds
				p.PushBack(fresh())
				p.Push(fresh())
			}
			for _, pr := range []Priority{High, Low, Idle} {
				for range 300 {
					p.PushBackAt(pr, fresh())
					p.PushAt(pr, fresh())
				}
			}
			p.PushNext(fresh())
			p.PushNext(fresh())
		})
		awaitParked(t, s)
		for i := range 60 { // tasks that leave, and that wait
			t := fresh()
			jobOf(t).do = func(p *Processor) {
				if i%2 == 0 {
					p.Leave()
					return
				}
				var st Suspension
				p.Push(&newJob(func(q *Processor) { st.Ready(q) }).Task)
				st.Wait(p)
			}
			s.Inject(t)
		}
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Error(err)
		}
		first, last := newJob(nop), newJob(nop)
		inTask(t, s, func(*Processor) { // a batch: the inbox is not looked at before this task ends
			s.inbox.Add(&first.Node)
			for range 400 {
				s.inbox.Add(&fresh().Node)
			}
			s.inbox.Add(&last.Node)
		})
		until(t, "the last of the batch", func() bool { return last.ran.Load() == 1 })
		awaitParked(t, s)
		runtime.GC()
		runtime.GC()
		kept := 0
		for _, w := range gone {
			if w.Value() != nil {
				kept++
			}
		}
		if kept > 0 {
			t.Errorf("%d processors: %d of %d tasks are kept alive", processors, kept, len(gone))
		}
		runtime.KeepAlive(first)
	}
}
