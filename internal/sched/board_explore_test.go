//go:build explore

package sched

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreBoard adds and takes tasks while the board is read: the tasks that are left in the end
// must be on the board, and no task is taken twice.
func TestExploreBoard(t *testing.T) {
	t.Run("inbox", func(t *testing.T) {
		explore.Exhaustive(t, 3, func(r *explore.Run) {
			s := New(Config{Processors: 2})
			taken := [2]int{}
			for i, name := range []string{"one adds", "another adds"} {
				r.Go(name, func() { s.InjectAt(High, &newJob(func(*Processor) { taken[i]++ }).Task) })
			}
			r.Go("collector", func() {
				for range 2 {
					for n := s.board.collect(High); n != nil; {
						var t *Task
						t, n = cut(n)
						t.Kind.Run(nil, t)
					}
				}
			})
			r.After(func() {
				left := 0
				for n := s.board.inboxes[High].TakeAll(); n != nil; n = n.Next() {
					left++
				}
				if left > 0 && s.board.word.Load()&High.bit() == 0 {
					r.Failf("%d tasks are not on the board", left)
				}
				if taken[0] > 1 || taken[1] > 1 || taken[0]+taken[1]+left != 2 {
					r.Failf("taken %v times, %d are left", taken, left)
				}
			})
		})
	})
	// A processor queues two tasks of High and runs one, while others fetch.
	for name, bound := range map[string]int{"one fetches": 3, "two fetch": 2} {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, bound, func(r *explore.Run) {
				s := New(Config{Processors: 3})
				runs := [3]int{}
				task := func(i int) *Task { return &newJob(func(*Processor) { runs[i]++ }).Task }
				run := func(p *Processor, t *Task) {
					if t != nil {
						p.run(t)
					}
				}
				s.board.raise(highElsewhere) // left by earlier tasks
				r.Go("owner", func() {
					p := s.all()[0]
					p.PushBackAt(High, task(0))
					p.PushBackAt(High, task(1))
					p.PushAt(High, task(2))
					run(p, p.pick(High))
				})
				for i, p := range s.all()[1:] {
					if i == 0 || name == "two fetch" {
						r.Go([...]string{"fetcher", "another"}[i], func() { run(p, p.pick(High)) })
					}
				}
				r.After(func() {
					left := 0
					for _, p := range s.all() {
						if l := p.levelOf(High); l != nil && l.hasWork() {
							left++
						}
					}
					if left > 0 && s.board.word.Load()&highElsewhere == 0 {
						r.Failf("what %d processors hold is not on the board", left)
					}
					for i, n := range runs {
						if n > 1 {
							r.Failf("task %d ran %d times", i, n)
						}
					}
				})
			})
		})
	}
}
