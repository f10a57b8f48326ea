package sched

import (
	"fmt"
	"slices"
	"testing"
)

// floodOf floods one processor with tasks of Normal, in one of the ways that keep it busy. It
// counts each operation before it runs, and calls do in each.
func floodOf(how string, s *puppets, p *Processor, ran *int, do func()) {
	one := func(p *Processor) {
		p.yieldTimer.left--
		*ran++
		do()
	}
	chain := func(again way) {
		var j *job
		j = newJob(func(p *Processor) { one(p); again(p, &j.Task) })
		again(p, &j.Task)
	}
	unit := func(limit int) {
		var j *job
		j = newJob(func(p *Processor) {
			for left := limit; left > 0; left-- {
				if one(p); left%16 == 1 && p.GiveWay(Normal) {
					break
				}
			}
			p.PushBack(&j.Task)
		})
		p.PushBack(&j.Task)
	}
	switch how {
	case "a busy unit":
		unit(128)
	case "four busy units":
		for range 4 {
			unit(128)
		}
	case "units of a few operations":
		for range 4 {
			unit(15)
		}
	case "a chain in the slot":
		chain((*Processor).PushNext)
	case "chains in the ring":
		chain((*Processor).PushBack)
		chain((*Processor).PushBack)
	case "a chain in the deque":
		chain((*Processor).Push)
	case "a chain that is handed":
		chain((*Processor).Hand)
	}
}

// TestOutsideInOrder has a flood of Normal keep a processor busy, and injects tasks one at a time,
// at any of its operations. A higher priority never waits for more of the flood than a lower one;
// Low and Idle wait for their shares, however rarely a task comes.
func TestOutsideInOrder(t *testing.T) {
	const rounds = 300
	for _, how := range []string{
		"a busy unit", "four busy units", "units of a few operations", "a chain in the slot", "chains in the ring", "a chain in the deque", "a chain that is handed",
	} {
		t.Run(how, func(t *testing.T) {
			var waited [priorities][]int
			for _, pr := range byRank {
				for _, gap := range []int{1, 7, 100, 700} { // flood operations between two tasks
					s := newPuppets(t, 1)
					p := s.all()[0]
					ran, at, done := 0, gap, true
					floodOf(how, s, p, &ran, func() {
						if done && ran >= at {
							done = false
							sent := ran
							s.InjectAt(pr, &newJob(func(p *Processor) {
								p.yieldTimer.left--
								waited[pr] = append(waited[pr], ran-sent)
								done, at = true, ran+gap+len(waited[pr])%13
							}).Task)
						}
					})
					for n := len(waited[pr]); len(waited[pr]) < n+rounds; {
						if s.step(p); ran > rounds*(gap+5000) {
							t.Fatalf("tasks of %v are not run", pr)
						}
					}
				}
			}
			for i, pr := range byRank {
				t.Logf("%v waits for %d to %d operations", pr, slices.Min(waited[pr]), slices.Max(waited[pr]))
				if i > 0 && slices.Max(waited[byRank[i-1]]) > slices.Min(waited[pr]) && pr != Normal {
					t.Errorf("%v waits for up to %d operations, %v for %d", byRank[i-1], slices.Max(waited[byRank[i-1]]), pr, slices.Min(waited[pr]))
				}
			}
			if high, normal := slices.Max(waited[High]), slices.Max(waited[Normal]); high > normal+1 {
				t.Errorf("High waits for up to %d operations, Normal for %d", high, normal)
			}
			for pr, share := range map[Priority]int{Low: lowTurn, Idle: idleTurn} {
				if n := slices.Max(waited[pr]); n > share+2*turnBatch {
					t.Errorf("%v waits for %d operations, its share is one in %d", pr, n, share)
				}
			}
		})
	}
}

// TestInboxStarvesNone floods a processor from outside with tasks of Normal that run many
// operations each: the processor's own tasks get their turns.
func TestInboxStarvesNone(t *testing.T) {
	for name, how := range ways(Normal) {
		t.Run(fmt.Sprint("a chain by ", name), func(t *testing.T) {
			s := newPuppets(t, 1)
			p := s.all()[0]
			flood, chain := 0, 0
			for range 3 {
				var j *job
				j = newJob(func(p *Processor) {
					for left := 128; left > 0; left-- {
						p.yieldTimer.left--
						if flood++; left%16 == 1 && p.GiveWay(Normal) {
							break
						}
					}
					s.Inject(&j.Task)
				})
				s.Inject(&j.Task)
			}
			s.flood(p, &chain, how)
			for range 3000 {
				s.step(p)
			}
			if chain < 3000/(2*(slotRuns+1)) || flood/16 < 3000/(2*(slotRuns+1)) {
				t.Errorf("in 3000 steps, the chain had %d, the flood %d operations", chain, flood)
			}
		})
	}
}

// TestTurnEndsForBetter holds that a task of Low or Idle must give way at its next operation when a
// better task waits for the processor, in any queue, and whether the task runs by its turn or
// because no better one was there. A task of Normal or High must give way for a better one that is
// visible to all.
func TestTurnEndsForBetter(t *testing.T) {
	for _, pr := range byRank {
		for _, better := range byRank {
			for name, how := range ways(better) {
				t.Run(fmt.Sprint(pr, ", ", name), func(t *testing.T) {
					s := newPuppets(t, 1)
					p := s.all()[0]
					told := -1
					p.PushBackAt(pr, &newJob(func(p *Processor) {
						for i := range 2 {
							if p.yieldTimer.left--; p.GiveWay(pr) {
								t.Errorf("after operation %d, while there is nothing else", i)
							}
						}
						how(p, &newJob(nop).Task)
						for i := range 2 {
							if p.yieldTimer.left--; p.GiveWay(pr) {
								told = i
								return
							}
						}
					}).Task)
					s.step(p)
					if want := better.Before(pr); told == 0 != want {
						t.Errorf("told after operation %d, want it at the next: %v", told, want)
					}
				})
			}
		}
	}
}

// TestTurnIsPaid holds that a turn is charged even if its level is empty when the turn ends.
func TestTurnIsPaid(t *testing.T) {
	for _, pr := range []Priority{Low, Idle} {
		s := newPuppets(t, 1)
		p := s.all()[0]
		ran, turns, done := 0, 0, true
		floodOf("a chain in the slot", s, p, &ran, func() {
			if done && ran%3 == 0 {
				done = false
				s.InjectAt(pr, &newJob(func(p *Processor) { p.yieldTimer.left--; turns++; done = true }).Task)
			}
		})
		for ran < 100*idleTurn {
			s.step(p)
		}
		if want := ran / map[Priority]int{Low: lowTurn, Idle: idleTurn}[pr]; turns > want+1 || turns < want/2 {
			t.Errorf("%v had %d of %d operations, want %d", pr, turns, ran, want)
		}
	}
}
