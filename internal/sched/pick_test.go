package sched

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// puppets is a scheduler whose processors have no goroutines: the test steps one after the other,
// and counts.
type puppets struct {
	*Scheduler
	t      *testing.T
	starts int
}

func newPuppets(t *testing.T, processors int) *puppets {
	s := New(Config{Processors: processors})
	s.monitor = newMonitor(s)
	s.monitor.pace.Store(paceFast) // nothing arms it
	return &puppets{Scheduler: s, t: t}
}

// step has a processor run one task, and search for one if it must. It reports whether there was
// any.
func (s *puppets) step(p *Processor) bool {
	t := p.next()
	if t == nil {
		t = p.findAnywhere()
	}
	if t == nil {
		return false
	}
	s.starts++
	p.run(t)
	return true
}

// run does what the processor's host does.
func (p *Processor) run(t *Task) {
	p.counters.steps.Add(1)
	t.Kind.Run(p, t)
}

// drain has one processor run all tasks.
func (s *puppets) drain(p *Processor) {
	for s.step(p) {
	}
}

// flood queues a task that queues itself again at each run, the same way, and counts its runs.
func (s *puppets) flood(p *Processor, runs *int, again way) {
	var j *job
	j = newJob(func(p *Processor) {
		*runs++
		again(p, &j.Task)
	})
	again(p, &j.Task)
}

// way is one of the ways to queue a task.
type way func(p *Processor, t *Task)

// ways returns all of them for a priority.
func ways(pr Priority) map[string]way {
	return map[string]way{
		fmt.Sprint(pr, " push"):   func(p *Processor, t *Task) { p.PushAt(pr, t) },
		fmt.Sprint(pr, " back"):   func(p *Processor, t *Task) { p.PushBackAt(pr, t) },
		fmt.Sprint(pr, " next"):   func(p *Processor, t *Task) { p.PushNextAt(pr, t) },
		fmt.Sprint(pr, " inject"): func(p *Processor, t *Task) { p.scheduler.InjectAt(pr, t) },
	}
}

// TestPickOrder queues tasks of all priorities, in all ways and any order: they run by priority.
func TestPickOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(replay.Seed(t), 0))
	for range 50 {
		s := newPuppets(t, 1)
		p := s.all()[0]
		var order []Priority
		var queue []func()
		for _, pr := range byRank {
			for _, how := range ways(pr) {
				queue = append(queue, func() { how(p, &newJob(func(*Processor) { order = append(order, pr) }).Task) })
			}
		}
		for _, i := range random.Perm(len(queue)) {
			queue[i]()
		}
		s.drain(p)
		// No turn makes a difference: Normal's is the eighth pick, when Normal has come anyway,
		// and that of Low is later.
		if got := fmt.Sprint(order); got != "[high high high high normal normal normal normal low low low low idle idle idle idle]" {
			t.Fatalf("they were run as %v", got)
		}
		if p.held != 0 || s.board.word.Load() != 0 {
			t.Errorf("nothing is left, but %b is held and the board says %b", p.held, s.board.word.Load())
		}
		if s := p.Stats(); s.High != 4 || s.Low != 4 || s.Idle != 4 || s.Steps != 16 {
			t.Errorf("it counted %+v", s)
		}
	}
}

// TestPickOrderInsideALevel holds that ring and deque keep their order and take turns within each
// level, as they do within Normal.
func TestPickOrderInsideALevel(t *testing.T) {
	for _, pr := range byRank {
		s := newPuppets(t, 1)
		p, order := s.all()[0], ""
		for i := range 6 {
			p.PushBackAt(pr, &newJob(func(*Processor) { order += fmt.Sprint("r", i, " ") }).Task)
			p.PushAt(pr, &newJob(func(*Processor) { order += fmt.Sprint("d", i, " ") }).Task)
		}
		s.drain(p)
		if want := "d5 d4 d3 r0 d2 d1 d0 r1 r2 r3 r4 r5 "; order != want {
			t.Errorf("%v: they were run as %s, want %s", pr, order, want)
		}
	}
}

// TestHandedGivesWay holds that a task of High comes before a handed one, and that thieves see the
// handed task meanwhile.
func TestHandedGivesWay(t *testing.T) {
	s := newPuppets(t, 2)
	p, order := s.all()[0], ""
	s.InjectAt(High, &newJob(func(*Processor) {
		order += "high "
		if p.level.hasWork() != (order == "high ") {
			t.Error("what was handed is hidden while another task runs")
		}
	}).Task)
	p.Hand(&newJob(func(*Processor) { order += "handed " }).Task)
	s.drain(p)
	if order != "high handed " {
		t.Errorf("they were run as %s", order)
	}
}

// TestAging floods a processor with each priority above another one, in each way. However the
// tasks of the lower priority come, they get at least the promised share, and, because the flood
// never runs dry, no more.
func TestAging(t *testing.T) {
	const steps = 40 * idleTurn
	for i, pr := range byRank[1:] {
		for victim, comes := range ways(pr) {
			for above := range map[Priority]bool{byRank[i]: true, High: true} {
				for name, flood := range ways(above) {
					t.Run(victim+" under "+name, func(t *testing.T) {
						s := newPuppets(t, 1)
						p, others, runs := s.all()[0], 0, 0
						s.flood(p, &others, flood)
						s.flood(p, &others, flood)
						s.flood(p, &runs, comes)
						for range steps {
							s.step(p)
						}
						want := steps / [...]int{Normal: normalTurn, Low: lowTurn, Idle: idleTurn}[pr]
						if runs < want-1 || runs > want+1 {
							t.Errorf("it ran %d times in %d steps, want %d", runs, steps, want)
						}
					})
				}
			}
		}
	}
}

// TestAgingOfAllTogether floods several processors with tasks of all priorities but one, and
// counts how long a task of that one waits in the inbox or on a processor.
func TestAgingOfAllTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(replay.Seed(t), 0))
	const processors = 3
	for _, pr := range byRank {
		for name, how := range ways(pr) {
			t.Run(name, func(t *testing.T) {
				s := newPuppets(t, processors)
				others := 0
				for _, p := range s.all() {
					for _, other := range byRank {
						if other != pr {
							s.flood(p, &others, ways(other)[fmt.Sprint(other, " next")])
							s.flood(p, &others, ways(other)[fmt.Sprint(other, " push")])
						}
					}
				}
				for range 30 {
					done, steps := false, [processors]int{}
					how(s.all()[0], &newJob(func(*Processor) { done = true }).Task)
					for !done {
						i := random.IntN(processors)
						steps[i]++
						s.step(s.all()[i])
						if steps[0] > 2*idleTurn {
							t.Fatalf("a task of %v waits though its processor has taken %v steps", pr, steps)
						}
					}
				}
			})
		}
	}
}

// TestBatchInOrder injects batches, of one task and of more than fit into a ring: a processor runs
// them in their order, without any other processor.
func TestBatchInOrder(t *testing.T) {
	for _, pr := range byRank {
		for _, count := range []int{1, 2, 5, 3 * ringSize} {
			s, got := newPuppets(t, 1), []int{}
			for i := range count {
				s.InjectAt(pr, &newJob(func(*Processor) { got = append(got, i) }).Task)
			}
			p := s.all()[0]
			for range count {
				task := p.next()
				if task == nil {
					t.Fatalf("%v: %d of %d were found", pr, len(got), count)
				}
				p.run(task)
			}
			// Now and then the share comes before the ring; only within each of them is the oldest
			// first.
			inOrder := 0
			for i := range got[1:] {
				if got[i] < got[i+1] {
					inOrder++
				}
			}
			if moved := len(got) - 1 - inOrder; moved > 2*count/overdueTurn {
				t.Errorf("%v: %d of %d were run before their predecessors", pr, moved, count)
			}
		}
	}
}
