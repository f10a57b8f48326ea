package sched

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// crash holds the arguments of one call of Crashed.
type crash struct {
	p     *Processor
	t     *Task
	value any
	stack string
}

// crashing returns a running scheduler and the channel of its crashes.
func crashing(t *testing.T, processors int) (*Scheduler, chan crash) {
	crashes := make(chan crash, 1000)
	s := New(Config{Processors: processors, Crashed: func(h *Host, t *Task, value any, stack []byte) {
		crashes <- crash{h.Processor(), t, value, string(stack)}
	}})
	s.Start()
	t.Cleanup(func() { stop(t, s) })
	return s, crashes
}

// theTaskThatFails has a name that the test finds in stacks.
func theTaskThatFails(how string) {
	switch how {
	case "panic":
		panic(fmt.Errorf("it went wrong"))
	case "goexit":
		runtime.Goexit()
	}
}

// TestCrashes has tasks fail while others wait in all queues behind them: Crashed must be called,
// and all others run.
func TestCrashes(t *testing.T) {
	for _, how := range []string{"panic", "goexit"} {
		t.Run(how, func(t *testing.T) {
			for _, processors := range []int{1, 2} {
				s, crashes := crashing(t, processors)
				for range 20 {
					behind := jobs(12)
					var on atomic.Pointer[Processor]
					failing := newJob(func(p *Processor) {
						on.Store(p)
						p.Hand(&behind[0].Task)
						p.PushNext(&behind[1].Task)
						for i, j := range behind[2:] {
							if i%2 == 0 {
								p.Push(&j.Task)
							} else {
								p.PushBack(&j.Task)
							}
						}
						theTaskThatFails(how)
					})
					s.Inject(&failing.Task)
					c := <-crashes
					if c.t != &failing.Task || c.p != on.Load() {
						t.Error("Crashed was told another task or processor")
					}
					if err, _ := c.value.(error); (how == "panic") != (err != nil && err.Error() == "it went wrong") {
						t.Errorf("Crashed was told the value %v", c.value)
					}
					if !strings.Contains(c.stack, "theTaskThatFails") {
						t.Errorf("the stack does not show where it happened:\n%s", c.stack)
					}
					for i, j := range behind {
						until(t, fmt.Sprint("task ", i, " behind the one that failed"), func() bool { return j.ran.Load() == 1 })
					}
				}
				awaitParked(t, s)
			}
		})
	}
}

// TestGoexitReplacesTheGoroutine ends the goroutines of processors again and again while another
// goroutine reads their homes: a home is the identity of a goroutine that knows that it is a host,
// never of one that has ended.
func TestGoexitReplacesTheGoroutine(t *testing.T) {
	const rounds = 1_000
	s, crashes := crashing(t, 2)
	var finished atomic.Bool
	var exits atomic.Int64
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for !finished.Load() {
			for _, p := range s.Processors() {
				before, home := exits.Load(), p.Home()
				if home == 0 {
					continue
				}
				stranger := func() bool {
					now, ok := registry.Load(home)
					return !ok || now.(*registration).host == nil || now.(*registration).host.scheduler != s
				}
				// Go may give the identity to the goroutine that takes over. That goroutine is
				// registered before it is the home, so the second look finds it, unless it has
				// ended as well.
				if stranger() && p.Home() == home && stranger() && exits.Load() == before {
					t.Error("a processor's home is a goroutine that has ended")
					return
				}
			}
			runtime.Gosched()
		}
	}()
	for range rounds {
		s.Inject(&newJob(func(p *Processor) {
			if CurrentProcessor() != p || p.Home() != goid.ID() {
				t.Error("a goroutine does not know which processor it is")
			}
			exits.Add(1)
			runtime.Goexit()
		}).Task)
		<-crashes
	}
	finished.Store(true)
	<-watched
}

// TestGoexitWhileStopping stops a scheduler whose queues are full of tasks that end their
// goroutines: all of them run, and the processors end.
func TestGoexitWhileStopping(t *testing.T) {
	const count = 100
	var crashes atomic.Int32
	s := New(Config{Processors: 2, Crashed: func(*Host, *Task, any, []byte) { crashes.Add(1) }})
	s.Start()
	b := newBlocker(nop)
	s.Inject(&b.Task)
	await(t, "the task", b.runs)
	for range count {
		s.Inject(&newJob(func(*Processor) { runtime.Goexit() }).Task)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.Stop(nil)
	}()
	close(b.release)
	await(t, "Stop", stopped)
	if n := crashes.Load(); n != count {
		t.Errorf("%d tasks ended their goroutines, want %d", n, count)
	}
}

func TestCurrent(t *testing.T) {
	s, other := started(t, 2), started(t, 1)
	if CurrentProcessor() != nil {
		t.Error("an ordinary goroutine is a processor")
	}
	inTask(t, s, func(p *Processor) {
		if CurrentProcessor() != p {
			t.Error("a task does not run on its processor's goroutine")
		}
		if p.Local != nil || s.Processors()[p.Index()] != p {
			t.Error("a processor has another index")
		}
		within := make(chan *Processor)
		go func() { within <- CurrentProcessor() }()
		if <-within != nil {
			t.Error("a goroutine that a task started is a processor")
		}
		inTask(t, other, func(q *Processor) {
			if CurrentProcessor() != q || q == p {
				t.Error("a task runs on another scheduler's processor")
			}
		})
	})
}
