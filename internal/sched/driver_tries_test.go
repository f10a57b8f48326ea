//go:build !explore

package sched

import (
	"math/rand/v2"
	"testing"
)

// trier is a task that tries to take a lock which has no waiters, holds it for some steps, and
// ends.
type trier struct {
	Task
	s      *Scheduler
	locked *bool
	ended  *int
	tried  int
}

func (x *trier) run(p *Processor) {
	if x.tried++; x.tried == 1 {
		x.s.Tries(&x.Task)
	} else {
		p.Spend() // as an activity that comes to run
		x.s.TriesAgain(&x.Task)
	}
	if *x.locked {
		x.s.TriedInVain(&x.Task)
		x.s.AwaitChange(&x.Task, func() { x.s.InjectAt(Normal, &x.Task) })
		return
	}
	*x.locked = true
	for range 3 {
		p.Spend()
	}
	*x.locked = false
	*x.ended++
}

// TestTries holds that a task which tries comes to its end if it can, and that the driver finds
// nothing left to run if not: also where it always has the processor with the least number go on,
// or that with the greatest.
func TestTries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, choose := range map[string]func(ready []int) int{
		"first":  func([]int) int { return 0 },
		"last":   func(ready []int) int { return len(ready) - 1 },
		"random": func(ready []int) int { return random.IntN(len(ready)) },
	} {
		for processors := range 4 {
			for _, never := range []bool{false, true} {
				steps := 0
				s, _ := driven(1+processors, func(ready []int) int {
					if steps++; steps > 10_000 {
						t.Fatalf("%s of %d, never %v: no end", name, 1+processors, never)
					}
					return choose(ready)
				})
				locked, ended := never, 0
				kind := &Kind{}
				all := make([]*trier, 8)
				for i := range all {
					all[i] = &trier{Task: Task{Kind: kind}, s: s, locked: &locked, ended: &ended}
				}
				kind.Run = func(p *Processor, task *Task) {
					for _, x := range all {
						if &x.Task == task {
							x.run(p)
						}
					}
				}
				for _, x := range all {
					s.Inject(&x.Task)
				}
				s.Drive(nil)
				if never && ended != 0 || !never && ended != len(all) {
					t.Errorf("%s of %d, never %v: %d have come to their ends", name, 1+processors, never, ended)
				}
				if locked = false; never { // by the goroutine that drives
					if s.Drive(nil); ended != len(all) {
						t.Errorf("%s of %d: %d when they can", name, 1+processors, ended)
					}
				}
				s.Stop(nil)
			}
		}
	}
}
