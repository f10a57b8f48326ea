package sched

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun/internal/sys/goid"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// checkHere fails the test unless the running goroutine is the home of p and runs the task.
func checkHere(t *testing.T, p *Processor, task *Task) {
	t.Helper()
	if CurrentProcessor() != p || p.Home() != goid.ID() || p.Running() != task || CurrentHost().Task() != task {
		t.Error("after a wait, a task does not know where it runs")
	}
}

// TestSuspensionOrders waits for suspensions that are made ready before and after the wait begins,
// by each kind of goroutine that may call Ready.
func TestSuspensionOrders(t *testing.T) {
	for name, ready := range map[string]func(s *Scheduler, p *Processor, st *Suspension){
		"before": func(_ *Scheduler, p *Processor, st *Suspension) { st.Ready(p) },
		"outside": func(_ *Scheduler, _ *Processor, st *Suspension) {
			go st.Ready(nil)
		},
		"a task on the same processor": func(_ *Scheduler, p *Processor, st *Suspension) {
			p.Push(&newJob(func(p *Processor) { st.Ready(p) }).Task)
		},
		"an injected task": func(s *Scheduler, _ *Processor, st *Suspension) {
			s.Inject(&newJob(func(p *Processor) { st.Ready(p) }).Task)
		},
		"a task that has left": func(s *Scheduler, _ *Processor, st *Suspension) {
			s.Inject(&newJob(func(p *Processor) {
				p.Leave()
				st.Ready(nil)
			}).Task)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, processors := range []int{1, 2} {
				s := started(t, processors)
				var st Suspension
				done := make(chan struct{})
				j := newJob(nil)
				j.do = func(p *Processor) {
					defer close(done)
					id := goid.ID()
					for i := range 200 { // the suspension is used again and again
						ready(s, p, &st)
						for range i % 7 {
							runtime.Gosched()
						}
						q := st.Wait(p)
						if name == "before" && q != p {
							t.Error("what need not wait changes its processor")
						}
						checkHere(t, q, &j.Task)
						p = q
					}
					if goid.ID() != id {
						t.Error("a task changed its goroutine")
					}
				}
				s.Inject(&j.Task)
				await(t, "a task that waits", done)
				if err := s.AwaitIdle(t.Context(), always); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestSuspensionsByRank has a task for each priority wait, and makes all ready in some order: they
// continue by priority.
func TestSuspensionsByRank(t *testing.T) {
	for _, queue := range []string{"pushed", "injected"} {
		t.Run(queue, func(t *testing.T) {
			s := started(t, 1)
			var suspensions [priorities]Suspension
			var order []Priority
			for pr := range Priority(priorities) {
				s.Inject(&newJob(func(p *Processor) {
					suspensions[pr].Wait(p)
					order = append(order, pr)
				}).Task)
			}
			inTask(t, s, func(p *Processor) { // behind all of those
				for pr := range Priority(priorities) {
					if queue == "pushed" {
						suspensions[pr].ReadyAt(pr, p)
					} else {
						suspensions[pr].ReadyAt(pr, nil)
					}
				}
			})
			if err := s.AwaitIdle(t.Context(), always); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(order); got != "[high normal low idle]" {
				t.Errorf("they went on as %s", got)
			}
		})
	}
}

// TestManySuspensionsWait has thousands of tasks wait at once, until a task that comes last makes
// all of them ready.
func TestManySuspensionsWait(t *testing.T) {
	const count = 3_000
	for _, processors := range []int{1, 4} {
		s := started(t, processors)
		suspensions := make([]Suspension, count)
		var waiting, ended atomic.Int32
		for i := range suspensions {
			j := newJob(nil)
			j.do = func(p *Processor) {
				waiting.Add(1)
				checkHere(t, suspensions[i].Wait(p), &j.Task)
				ended.Add(1)
			}
			s.Inject(&j.Task)
		}
		until(t, "all tasks to wait", func() bool { return waiting.Load() == count })
		s.Inject(&newJob(func(p *Processor) {
			for i := range suspensions {
				suspensions[i].Ready(p)
			}
		}).Task)
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Error(err)
		}
		if n := ended.Load(); n != count {
			t.Errorf("%d of %d tasks have ended", n, count)
		}
		most := int32(processors + len(s.spares))
		until(t, "the hosts that are too many to end", func() bool { return s.alive.Load() <= most })
	}
}

// fork is a node of a tree of tasks: it runs one child itself and waits for the other.
type fork struct {
	*testing.T
	random *rand.Rand
	mu     sync.Mutex
	leaves atomic.Int32
}

func (f *fork) draw(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.IntN(n)
}

// tree runs the nodes below one of the given depth, in the task that runs on p, and returns the
// processor that the task is on then.
func (f *fork) tree(p *Processor, task *Task, depth int) *Processor {
	if depth == 0 {
		f.leaves.Add(1)
		return p
	}
	var joined Suspension
	child := newJob(nil)
	child.do = func(q *Processor) {
		q = f.tree(q, &child.Task, depth-1)
		switch f.draw(8) {
		case 0:
			q.Leave()
			joined.Ready(nil)
		case 1:
			defer runtime.Goexit()
			joined.Ready(q)
		default:
			joined.Ready(q)
		}
	}
	if f.draw(4) == 0 {
		p.PushBack(&child.Task)
	} else {
		p.Push(&child.Task)
	}
	p = f.tree(p, task, depth-1)
	p = joined.Wait(p)
	checkHere(f.T, p, task)
	return p
}

// TestForkJoin runs trees whose inner nodes wait for their children; some of the nodes leave or
// end their goroutines.
func TestForkJoin(t *testing.T) {
	const depth, trees = 9, 4
	seed := replay.Seed(t)
	for _, processors := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(processors), func(t *testing.T) {
			s := New(Config{Processors: processors, Crashed: func(_ *Host, _ *Task, value any, _ []byte) {
				if value != nil {
					t.Error(value)
				}
			}})
			s.Start()
			t.Cleanup(func() { stop(t, s) })
			f := &fork{T: t, random: rand.New(rand.NewPCG(seed, 0))}
			for range trees {
				j := newJob(nil)
				j.do = func(p *Processor) { f.tree(p, &j.Task, depth) }
				s.Inject(&j.Task)
			}
			if err := s.AwaitIdle(t.Context(), always); err != nil {
				t.Error(err)
			}
			if n := f.leaves.Load(); n != trees<<depth {
				t.Errorf("%d leaves, want %d", n, trees<<depth)
			}
		})
	}
}

// TestCrashAfterWait has tasks fail after they have waited: Crashed gets the processor that they
// run on then.
func TestCrashAfterWait(t *testing.T) {
	for _, how := range []string{"panic", "goexit"} {
		s, crashes := crashing(t, 2)
		for range 50 {
			var st Suspension
			var on atomic.Pointer[Processor]
			failing := newJob(func(p *Processor) {
				s.Inject(&newJob(func(p *Processor) { st.Ready(p) }).Task)
				on.Store(st.Wait(p))
				theTaskThatFails(how)
			})
			s.Inject(&failing.Task)
			if c := <-crashes; c.t != &failing.Task || c.p != on.Load() {
				t.Errorf("%s: Crashed was told another task or processor", how)
			}
		}
	}
}

// TestStopWaitsForSuspensions stops a scheduler while tasks wait: they continue when any goroutine
// makes them ready, and then Stop returns.
func TestStopWaitsForSuspensions(t *testing.T) {
	const count = 20
	for round := range 50 {
		s := New(Config{Processors: 1 + round%3})
		s.Start()
		suspensions := make([]Suspension, count)
		var waiting, ended atomic.Int32
		for i := range suspensions {
			s.Inject(&newJob(func(p *Processor) {
				waiting.Add(1)
				if suspensions[i].Wait(p) == nil {
					t.Error("a task lost its processor before the end")
				}
				ended.Add(1)
			}).Task)
		}
		until(t, "all tasks to run", func() bool { return waiting.Load() == count })
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			if stuck := s.Stop(nil); len(stuck) > 0 {
				t.Errorf("%d tasks are stuck", len(stuck))
			}
		}()
		for i := range suspensions {
			suspensions[i].Ready(nil)
		}
		await(t, "Stop", stopped)
		if ended.Load() != count {
			t.Errorf("%d of %d tasks have ended", ended.Load(), count)
		}
	}
}

// TestStopReportsSuspensions stops a scheduler while a task waits without end. When it is made
// ready after all, it goes on without a processor.
func TestStopReportsSuspensions(t *testing.T) {
	for range 50 {
		s := New(Config{Processors: 2})
		s.Start()
		var st Suspension
		waits := newJob(func(p *Processor) {
			if st.Wait(p) != nil {
				t.Error("a processor came after the end")
			}
		})
		s.Inject(&waits.Task)
		until(t, "the wait", func() bool { return st.state.Load() == suspensionWaiting })
		awaitParked(t, s)
		if stuck := s.Stop(over()); len(stuck) != 1 || stuck[0].Task != &waits.Task || stuck[0].Processor != nil {
			t.Errorf("%d tasks are stuck, want the one that waits", len(stuck))
		}
		until(t, "the processors to end", func() bool { return s.serving.Load() == 0 })
		st.Ready(nil)
		await(t, "the end of the hosts", s.exited)
	}
}

func TestSuspensionReadyTwicePanics(t *testing.T) {
	var st Suspension
	st.Ready(nil)
	defer func() {
		if recover() == nil {
			t.Error("a suspension was made ready twice")
		}
	}()
	st.Ready(nil)
}

// TestSuspensionInBubble has tasks wait in a bubble of testing/synctest, which counts them as
// durably blocked.
func TestSuspensionInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Processors: 2})
		s.Start()
		suspensions := make([]Suspension, 10)
		for i := range suspensions {
			s.Inject(&newJob(func(p *Processor) { suspensions[i].Wait(p) }).Task)
		}
		synctest.Wait()
		for i := range suspensions {
			if suspensions[i].state.Load() != suspensionWaiting {
				t.Error("all goroutines are blocked, but not all suspensions wait")
			}
			time.AfterFunc(time.Hour, func() { suspensions[i].Ready(nil) })
		}
		begin := time.Now()
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Error(err)
		}
		if passed := time.Since(begin); passed != time.Hour { // the bubble's time, which is exact
			t.Errorf("%v passed", passed)
		}
		if stuck := s.Stop(time.After(time.Second)); len(stuck) > 0 {
			t.Errorf("%d tasks are stuck", len(stuck))
		}
	})
}
