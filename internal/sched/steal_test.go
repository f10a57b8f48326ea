package sched

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// TestStealByRank gives tasks of all priorities to several victims and to the inbox: a thief takes
// them by priority, wherever they are.
func TestStealByRank(t *testing.T) {
	random := rand.New(rand.NewPCG(replay.Seed(t), 0))
	for range 200 {
		s := newPuppets(t, 4)
		thief, counts := s.all()[0], map[Priority]int{}
		var got []Priority
		for range 40 {
			pr := Priority(random.IntN(priorities))
			task := &newJob(func(*Processor) { got = append(got, pr) }).Task
			victim := s.all()[1+random.IntN(3)]
			switch counts[pr]++; random.IntN(3) {
			case 0:
				victim.PushAt(pr, task)
			case 1:
				victim.PushBackAt(pr, task)
			default:
				s.InjectAt(pr, task)
			}
		}
		for task := thief.findAnywhere(); task != nil; task = thief.findAnywhere() {
			thief.run(task)
			for _, pr := range byRank { // the rest of what was stolen at once
				l := thief.levelOf(pr)
				for l != nil && l.hasWork() {
					thief.run(thief.pickFrom(l))
				}
			}
		}
		for i := range got[1:] {
			if got[i+1].Before(got[i]) {
				t.Fatalf("stolen in the order %v", got)
			}
		}
		if len(got) != 40 || s.hasWork() {
			t.Fatalf("%d of 40 were stolen", len(got))
		}
	}
}

// TestProbeBeforeLow gives a processor only tasks of Low or only tasks of Idle, and one of the
// others a better task, which that other one does not run. The first processor fetches the better
// task after few of its own: at most one for each turn of probes before the last.
func TestProbeBeforeLow(t *testing.T) {
	for _, processors := range []int{2, 3, 5, 12} {
		rounds := (processors-1+probeCount-1)/probeCount - 1
		for own, betters := range map[Priority][]Priority{Low: {High, Normal}, Idle: {High, Normal, Low}} {
			for _, better := range betters {
				for victim := 1; victim < processors; victim++ {
					s := newPuppets(t, processors)
					p, others, done := s.all()[0], 0, false
					s.flood(p, &others, ways(own)[fmt.Sprint(own, " back")])
					s.all()[victim].PushBackAt(better, &newJob(func(*Processor) { done = true }).Task)
					for !done && others < 100 {
						s.step(p)
					}
					if others > rounds {
						t.Errorf("%d tasks of %v before one of %v on processor %d of %d, want at most %d",
							others, own, better, victim, processors, rounds)
					}
				}
			}
		}
	}
}

// TestOwnNormalBeforeOthers holds that a processor with its own tasks of Normal does not look at
// what others have of Normal or below: probing is worth its cost only below Normal.
func TestOwnNormalBeforeOthers(t *testing.T) {
	s := newPuppets(t, 3)
	p, others := s.all()[0], 0
	s.flood(p, &others, func(p *Processor, t *Task) { p.PushBack(t) })
	s.all()[1].PushBack(&newJob(nop).Task)
	s.all()[2].PushBackAt(Low, &newJob(nop).Task)
	for range 1000 {
		s.step(p)
	}
	if stats := p.Stats(); stats.Steals != 0 || others != 1000 {
		t.Errorf("it stole %d times", stats.Steals)
	}
}

// TestSpillOfLevels pushes more tasks of each priority than a ring holds.
func TestSpillOfLevels(t *testing.T) {
	const count = 3_000
	for _, processors := range []int{1, 3} {
		for _, pr := range byRank {
			s, all := started(t, processors), jobs(count)
			var ran atomic.Int32
			done := make(chan struct{})
			for _, j := range all {
				j.do = func(*Processor) {
					if ran.Add(1) == count {
						close(done)
					}
				}
			}
			s.Inject(&newJob(func(p *Processor) {
				for _, j := range all {
					p.PushBackAt(pr, &j.Task)
				}
			}).Task)
			await(t, "all tasks of a ring that overflowed", done)
			awaitParked(t, s)
			for i, j := range all {
				if j.ran.Load() != 1 {
					t.Fatalf("%v: task %d ran %d times", pr, i, j.ran.Load())
				}
			}
		}
	}
}

// TestLevelsAreMadeWhenUsed holds that a processor has a level of a priority only after it held a
// task of it.
func TestLevelsAreMadeWhenUsed(t *testing.T) {
	s := newPuppets(t, 2)
	p := s.all()[0]
	for i, pr := range []Priority{High, Low, Idle} {
		if p.levelOf(pr) != nil {
			t.Errorf("there is a level of %v before its first use", pr)
		}
		p.PushAt(pr, &newJob(nop).Task)
		made := p.levelOf(pr)
		s.drain(p)
		p.PushBackAt(pr, &newJob(nop).Task)
		if s.drain(p); made == nil || p.levelOf(pr) != made || s.starts != 2*(i+1) {
			t.Errorf("the level of %v was made again, or %d tasks were run", pr, s.starts)
		}
	}
	if s.all()[1].levelOf(High) != nil {
		t.Error("another processor has a level that it never used")
	}
}
