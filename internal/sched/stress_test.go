package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// wanderer is a task that queues itself again, somewhere, a given number of times, and now and
// then another one.
type wanderer struct {
	job
	left    atomic.Int32
	running atomic.Bool
}

// wanderers makes the tasks of a test and counts them.
type wanderers struct {
	t       *testing.T
	s       *Scheduler
	mu      sync.Mutex
	members []*wanderer
	runs    []int32 // how many each should make
	ended   atomic.Int64
	queued  [priorities]atomic.Uint64
}

func (c *wanderers) recruit(random *rand.Rand) *wanderer {
	w, runs := &wanderer{}, 1+random.Int32N(20)
	w.left.Store(runs)
	w.Kind, w.do = jobKind, func(p *Processor) { c.step(p, w) }
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members, c.runs = append(c.members, w), append(c.runs, runs)
	return w
}

func (c *wanderers) step(p *Processor, w *wanderer) {
	if w.running.Swap(true) {
		c.t.Error("a task runs twice at the same time")
	}
	if p.Running() != &w.Task || CurrentProcessor() != p {
		c.t.Error("a processor does not know what it runs, or which it is")
	}
	random := p.Local.(*rand.Rand)
	if random.IntN(40) == 0 {
		c.queue(p, random, c.recruit(random))
	}
	p.Spend()
	w.running.Store(false) // once it is queued, another processor may run it
	if w.left.Add(-1) > 0 {
		c.queue(p, random, w)
	} else {
		c.ended.Add(1)
	}
}

// queue queues w anywhere. Handing must be the last act of the running task.
func (c *wanderers) queue(p *Processor, random *rand.Rand, w *wanderer) {
	pr := c.level(random)
	switch random.IntN(6) {
	case 0, 1:
		p.PushAt(pr, &w.Task)
	case 2:
		p.PushBackAt(pr, &w.Task)
	case 3:
		p.PushNextAt(pr, &w.Task)
	case 4:
		c.s.InjectAt(pr, &w.Task)
	case 5:
		if pr != Normal {
			p.PushAt(pr, &w.Task)
		} else {
			p.Hand(&w.Task)
		}
	}
}

// level draws a priority, more often Normal than another, and counts it.
func (c *wanderers) level(random *rand.Rand) Priority {
	pr := Priority(max(0, random.IntN(2*priorities)-priorities))
	c.queued[pr].Add(1)
	return pr
}

// TestStress runs tasks that go through all queues, from inside and outside, and counts their
// runs.
func TestStress(t *testing.T) {
	const outside, each = 3, 700
	seed := replay.Seed(t)
	for _, processors := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			s := New(Config{Processors: processors})
			for i, p := range s.Processors() {
				p.Local = rand.New(rand.NewPCG(seed, uint64(i)))
			}
			s.Start()
			t.Cleanup(func() { stop(t, s) })
			c := &wanderers{t: t, s: s}
			var sending sync.WaitGroup
			for i := range uint64(outside) {
				random := rand.New(rand.NewPCG(seed, 100+i))
				sending.Go(func() {
					for range each {
						s.InjectAt(c.level(random), &c.recruit(random).Task)
					}
				})
			}
			sending.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			settled := func() bool {
				c.mu.Lock()
				defer c.mu.Unlock()
				return int(c.ended.Load()) == len(c.members)
			}
			if err := s.AwaitIdle(ctx, settled); err != nil {
				t.Error(err)
				hang(t, "all tasks to end")
			}
			steps, high, low, idle := uint64(0), uint64(0), uint64(0), uint64(0)
			for _, p := range s.Processors() {
				stats := p.Stats()
				steps, high, low, idle = steps+stats.Steps, high+stats.High, low+stats.Low, idle+stats.Idle
			}
			for i, w := range c.members {
				steps -= uint64(c.runs[i])
				if w.ran.Load() != c.runs[i] || w.left.Load() != 0 || w.discarded.Load() != 0 {
					t.Fatalf("task %d of %d ran %d times, want %d", i, len(c.members), w.ran.Load(), c.runs[i])
				}
			}
			awaitParked(t, s)
			for pr, counted := range map[Priority]uint64{High: high, Low: low, Idle: idle} {
				if queued := c.queued[pr].Load(); counted != queued {
					t.Errorf("the processors counted %d tasks of priority %v, want %d", counted, pr, queued)
				}
			}
			if steps != 0 {
				t.Errorf("the processors counted %d runs too many", int64(steps))
			}
		})
	}
}

// TestSpill pushes more tasks from one task than a ring holds.
func TestSpill(t *testing.T) {
	const count = 10_000
	for _, processors := range []int{1, 2, 4} {
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
				p.PushBack(&j.Task)
			}
		}).Task)
		await(t, "all tasks of a ring that overflowed", done)
		awaitParked(t, s)
		for i, j := range all {
			if j.ran.Load() != 1 {
				t.Fatalf("%d processors: task %d ran %d times", processors, i, j.ran.Load())
			}
		}
	}
}
