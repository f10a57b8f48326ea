//go:build !explore

package sched

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// driven returns a running deterministic scheduler and its log.
func driven(processors int, choose func(ready []int) int) (*Scheduler, *strings.Builder) {
	log := new(strings.Builder)
	s := New(Config{Processors: processors, Choose: choose, Crashed: func(h *Host, _ *Task, value any, _ []byte) {
		fmt.Fprintf(log, "crash of %v, with a processor: %v\n", value, h.Processor() != nil)
	}})
	s.Start()
	return s, log
}

// atRandom chooses by a seed.
func atRandom(seed uint64) func(ready []int) int {
	random := rand.New(rand.NewPCG(seed, 0))
	return func(ready []int) int { return random.IntN(len(ready)) }
}

// errand is a workload that reaches every part: each task logs where it runs, and queues others,
// waits, leaves or fails.
type errand struct {
	s      *Scheduler
	log    *strings.Builder
	random *rand.Rand
	tasks  int
	ended  int
}

func (e *errand) task(depth int) *Task {
	e.tasks++
	name := e.tasks
	return &newJob(func(p *Processor) {
		fmt.Fprintf(e.log, "%d on %d\n", name, p.Index())
		for range min(depth, 3) {
			pr := Priority(e.random.IntN(priorities))
			switch t := e.task(depth - 1); e.random.IntN(5) {
			case 0:
				p.PushAt(pr, t)
			case 1:
				p.PushBackAt(pr, t)
			case 2:
				p.PushNextAt(pr, t)
			case 3:
				e.s.InjectAt(pr, t)
			default:
				p.Hand(t)
			}
			p.Spend()
		}
		e.ended++
		switch e.random.IntN(6) {
		case 0:
			var st Suspension
			pr := Priority(e.random.IntN(priorities))
			p.Push(&newJob(func(q *Processor) { st.ReadyAt(pr, q) }).Task)
			fmt.Fprintf(e.log, "%d goes on on %d\n", name, st.Wait(p).Index())
		case 1:
			p.Leave()
			fmt.Fprintf(e.log, "%d left %d\n", name, p.Index())
			e.s.Inject(&newJob(func(q *Processor) { fmt.Fprintf(e.log, "from %d on %d\n", name, q.Index()) }).Task)
		case 2:
			panic(name)
		case 3:
			runtime.Goexit()
		}
	}).Task
}

// run runs the workload with choices by the seed and returns the log.
func (e *errand) run(t *testing.T, seed uint64) string {
	e.s, e.log = driven(3, atRandom(seed))
	e.random = rand.New(rand.NewPCG(1, 1)) // the same for all seeds
	for range 3 {
		e.s.Inject(e.task(4))
	}
	if err := e.s.AwaitIdle(t.Context(), func() bool { return e.ended == e.tasks }); err != nil {
		t.Errorf("%v; %d of %d tasks have ended", err, e.ended, e.tasks)
	}
	var steps, steals uint64
	for _, p := range e.s.Processors() {
		steps += p.Stats().Steps
		steals += p.Stats().Steals
	}
	fmt.Fprintf(e.log, "%d steps, %d steals\n", steps, steals)
	e.s.Inject(e.task(2)) // for Stop to run
	if stuck := e.s.Stop(nil); len(stuck) > 0 || e.ended != e.tasks {
		t.Errorf("%d tasks are stuck, %d of %d have ended", len(stuck), e.ended, e.tasks)
	}
	if steals == 0 {
		t.Error("nothing was stolen, so this shows little")
	}
	return e.log.String()
}

// TestSameChoicesSameRun holds that the choices, and nothing else, decide what runs when and
// where.
func TestSameChoicesSameRun(t *testing.T) {
	seed := replay.Seed(t)
	seen := map[string]bool{}
	for i := range uint64(20) {
		first, again := new(errand).run(t, seed+i), new(errand).run(t, seed+i)
		if first != again {
			t.Fatalf("two runs with the seed %d differ:\n%s\n\n%s", seed+i, first, again)
		}
		seen[first] = true
		runtime.GC() // moves nothing that a run may depend on
	}
	if len(seen) != 20 {
		t.Errorf("20 seeds made %d different runs", len(seen))
	}
}

// TestDriveUntil stops driving in the middle, and continues.
func TestDriveUntil(t *testing.T) {
	s, _ := driven(2, atRandom(1))
	ran := 0
	for range 10 {
		s.Inject(&newJob(func(*Processor) { ran++ }).Task)
	}
	if ran > 0 {
		t.Error("a task ran outside of Drive")
	}
	if !s.Drive(func() bool { return ran == 4 }) || ran != 4 {
		t.Errorf("driven until 4 tasks have run, %d have", ran)
	}
	if s.Drive(func() bool { return ran == 11 }) || ran != 10 {
		t.Errorf("driven to the end, %d tasks have run", ran)
	}
	if stuck := s.Stop(nil); len(stuck) > 0 {
		t.Errorf("%d tasks are stuck", len(stuck))
	}
}

// TestDriveStalls has a task wait for something outside: the driving goroutine is told, before and
// at the end.
func TestDriveStalls(t *testing.T) {
	for _, late := range []bool{false, true} {
		s, _ := driven(2, atRandom(1))
		var st Suspension
		waits := newJob(nil)
		waits.do = func(p *Processor) {
			if q := st.Wait(p); late != (q == nil) {
				t.Error("a suspension that is ready before the end gets a processor, and none after it")
			}
		}
		s.Inject(&waits.Task)
		if err := s.AwaitIdle(t.Context(), always); !errors.Is(err, ErrStalled) {
			t.Errorf("while a task waits: %v", err)
		}
		if !late {
			st.Ready(nil)
			if err := s.AwaitIdle(t.Context(), always); err != nil {
				t.Error(err)
			}
		}
		stuck := s.Stop(nil)
		if !late && len(stuck) > 0 || late && (len(stuck) != 1 || stuck[0].Task != &waits.Task) {
			t.Errorf("%d tasks are stuck", len(stuck))
		}
		if late {
			st.Ready(nil)
			s.Drive(nil)
		}
		await(t, "the end of the hosts", s.exited)
	}
}

// TestDrivenSlotIsOpened never chooses a processor whose slot is filled: another processor gets to
// run the task in it.
func TestDrivenSlotIsOpened(t *testing.T) {
	var keeper *Processor
	s, _ := driven(2, func(ready []int) int {
		for i, n := range ready {
			if keeper == nil || n != keeper.index {
				return i
			}
		}
		return 0
	})
	waits := newJob(nop)
	s.Inject(&newJob(func(p *Processor) {
		keeper = p
		left := 20
		var again *job
		again = newJob(func(q *Processor) { // keeps the other processor busy
			if left--; left > 0 {
				s.Inject(&again.Task)
			}
		})
		s.Inject(&again.Task)
		p.PushNext(&waits.Task)
	}).Task)
	if err := s.AwaitIdle(t.Context(), always); err != nil {
		t.Error(err)
	}
	if waits.stolen.Load() != 1 || waits.ran.Load() != 1 {
		t.Errorf("the task in the slot was stolen %d times and ran %d times", waits.stolen.Load(), waits.ran.Load())
	}
	s.Stop(nil)
}

// TestDriveMisuse holds that calls which would not be deterministic panic.
func TestDriveMisuse(t *testing.T) {
	refused := func(what string, f func()) {
		t.Helper()
		defer func() {
			if value := recover(); value == nil || !strings.HasPrefix(fmt.Sprint(value), "sched: ") {
				t.Errorf("%s: %v", what, value)
			}
		}()
		f()
	}
	s := started(t, 1)
	refused("Drive of an ordinary scheduler", func() { s.Drive(nil) })

	s, _ = driven(2, atRandom(1))
	s.Inject(&newJob(func(*Processor) { refused("Drive by a task", func() { s.Drive(nil) }) }).Task)
	s.Stop(nil)

	wrong := 2
	s, _ = driven(2, func([]int) int { return wrong })
	refused("a choice that is none", func() { s.Drive(nil) })
	wrong = 0
	s.Stop(nil)
}

// TestDrivenResize changes the number of processors of a deterministic scheduler.
func TestDrivenResize(t *testing.T) {
	s := New(Config{Processors: 1, Choose: atRandom(1)})
	s.Start()
	ran := map[int]int{}
	for _, n := range []int{3, 1, 2} {
		s.Resize(n)
		clear(ran)
		for range 200 {
			s.Inject(&newJob(func(p *Processor) { ran[p.Index()]++ }).Task)
		}
		if err := s.AwaitIdle(t.Context(), always); err != nil {
			t.Error(err)
		}
		if len(ran) != n || s.inService() != n {
			t.Errorf("%d processors ran tasks, %d are in service, want %d", len(ran), s.inService(), n)
		}
	}
	s.Stop(nil)
}
