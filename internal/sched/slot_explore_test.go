//go:build explore

package sched

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreSlot has the owner of a slot take a task and put another while thieves steal, one of
// them by stealIf: each task is got once. The control steals without a compare-and-swap.
func TestExploreSlot(t *testing.T) {
	program := func(stealIf func(s *slot, accept func(*Task) bool) *Task) func(r *explore.Run) {
		return func(r *explore.Run) {
			var s slot
			tasks := [2]*Task{&newJob(nop).Task, &newJob(nop).Task}
			var got [3][]*Task
			s.put(tasks[0])
			r.Go("owner", func() { got[0] = append(got[0], s.take(), s.put(tasks[1])) })
			r.Go("thief that accepts", func() {
				got[1] = append(got[1], stealIf(&s, func(*Task) bool { return true }))
			})
			r.Go("thief", func() { got[2] = append(got[2], s.steal()) })
			r.After(func() {
				times := map[*Task]int{s.take(): 1}
				for _, list := range got {
					for _, t := range list {
						times[t]++
					}
				}
				if times[tasks[0]] != 1 || times[tasks[1]] != 1 {
					r.Failf("the tasks were got %d and %d times", times[tasks[0]], times[tasks[1]])
				}
			})
		}
	}
	explore.Exhaustive(t, 3, program((*slot).stealIf))
	explore.MustFail(t, 3, program(func(s *slot, accept func(*Task) bool) *Task {
		w, t := s.word.Load(), s.task.Load()
		if w&slotFull == 0 || !accept(t) || s.word.Load() != w {
			return nil
		}
		s.word.Store(w &^ slotFull)
		return t
	}))
}
