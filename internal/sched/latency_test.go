package sched

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// TestHighIsNext floods processors with tasks that come after High. It counts, in events, how soon
// a task of High runs that was injected, or queued by a processor that does not return from its
// task then.
func TestHighIsNext(t *testing.T) {
	random := rand.New(rand.NewPCG(replay.Seed(t), 0))
	for _, processors := range []int{1, 2, 5, 8} {
		for _, flood := range byRank[1:] {
			for name, how := range ways(High) {
				t.Run(fmt.Sprint(processors, " of ", flood, ", ", name), func(t *testing.T) {
					s := newPuppets(t, processors)
					others := 0
					for _, p := range s.all() {
						for _, w := range ways(flood) {
							s.flood(p, &others, w)
						}
					}
					for range 500 {
						for range random.IntN(20) {
							s.step(s.all()[random.IntN(processors)])
						}
						stuck, done := random.IntN(processors), false
						how(s.all()[stuck], &newJob(func(*Processor) { done = true }).Task)
						if processors == 1 {
							stuck = -1
						}
						before := s.starts
						for !done {
							if i := random.IntN(processors); i != stuck {
								s.step(s.all()[i])
							}
							// Each processor may run a turn of a lower priority once; its next
							// pick is the task. And the task itself counts.
							if n := s.starts - before; n > processors+1 {
								t.Fatalf("%d others were started after it was queued", n)
							}
						}
					}
				})
			}
		}
	}
}

// TestHighIsNextAlive is TestHighIsNext on running processors, whose starts are counted one by
// one: the processor that runs the task of High starts hardly any other task between its queueing
// and its run.
func TestHighIsNextAlive(t *testing.T) {
	const processors, rounds = 4, 500
	for _, flood := range byRank[1:] {
		t.Run(flood.String(), func(t *testing.T) {
			s := started(t, processors)
			var started [processors]atomic.Int64
			var ended atomic.Bool
			for range 3 * processors {
				var j *job
				j = newJob(func(p *Processor) {
					started[p.Index()].Add(1)
					p.Spend()
					if !ended.Load() {
						p.PushBackAt(flood, &j.Task)
					}
				})
				s.InjectAt(flood, &j.Task)
			}
			defer ended.Store(true)
			for range rounds {
				done, where, at := make(chan struct{}), 0, int64(0)
				high := newJob(func(p *Processor) {
					where, at = p.Index(), started[p.Index()].Load()
					close(done)
				})
				s.InjectAt(High, &high.Task)
				var before [processors]int64
				for i := range before {
					before[i] = started[i].Load()
				}
				await(t, "the task of High", done)
				// One was picked when the task came, one may have had its turn.
				if n := at - before[where]; n > 2 {
					t.Fatalf("processor %d started %d others after it was queued", where, n)
				}
			}
		})
	}
}

// TestHighIsFetched has one processor stay in a task that queues another one of High and waits for
// it, while the other processors never run dry of lower tasks: one of them must fetch it soon. (To
// wait is against the rules, and makes the latency visible.)
func TestHighIsFetched(t *testing.T) {
	const processors, rounds = 3, 150
	s := started(t, processors)
	var started [processors]atomic.Int64
	var ended atomic.Bool
	for range 3 * processors {
		var j *job
		j = newJob(func(p *Processor) {
			started[p.Index()].Add(1)
			p.Spend()
			if !ended.Load() {
				p.PushBack(&j.Task)
			}
		})
		s.Inject(&j.Task)
	}
	defer ended.Store(true)
	for round := range rounds {
		inTask(t, s, func(p *Processor) {
			done, where, at := make(chan struct{}), 0, int64(0)
			high := newJob(func(p *Processor) {
				where, at = p.Index(), started[p.Index()].Load()
				close(done)
			})
			if round%2 == 0 {
				p.PushAt(High, &high.Task)
			} else {
				p.PushBackAt(High, &high.Task)
			}
			var before [processors]int64
			for i := range before {
				before[i] = started[i].Load()
			}
			await(t, "the task of High", done)
			if n := at - before[where]; n > 2 {
				t.Errorf("processor %d started %d others after it was queued", where, n)
			}
		})
	}
}

// TestHighWaits checks what HighWaits tells a long task.
func TestHighWaits(t *testing.T) {
	for name, how := range ways(High) {
		s := newPuppets(t, 2)
		here, there := s.all()[0], s.all()[1]
		there.PushAt(Low, &newJob(nop).Task)
		if here.HighWaits() || there.HighWaits() {
			t.Errorf("%s: something waits before it was queued", name)
		}
		how(here, &newJob(nop).Task)
		if !here.HighWaits() || !there.HighWaits() {
			t.Errorf("%s: it waits here: %v, there: %v, want both", name, here.HighWaits(), there.HighWaits())
		}
		s.drain(there)
		s.drain(here)
		if here.HighWaits() || there.HighWaits() {
			t.Errorf("%s: something waits after all were run", name)
		}
	}
}
