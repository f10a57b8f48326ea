package sched

import (
	"context"
	"errors"
	"runtime"
	_ "sync/atomic" // see internal/atomics: what inlines its operations
	"time"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/queue"
)

// Config says how a scheduler is made. The zero value is usable.
type Config struct {
	// Processors is how many tasks run at the same time; 0 means GOMAXPROCS.
	Processors int
	// Crashed is called on the processor p when a task panicked (value is what it panicked with) or ended its goroutine
	// with runtime.Goexit (value is nil). The processor goes on; what becomes of the task is up to Crashed. If it is nil,
	// a panic is not recovered.
	Crashed func(p *Processor, t *Task, value any, stack []byte)
	// Resting is called on the processor p, if it is not nil, when p has run out of tasks and goes to look for some elsewhere, or
	// to sleep. It must not queue any.
	Resting func(p *Processor)
}

// Scheduler runs tasks on its processors. Make it with [New], give its processors their Local values, then Start it.
type Scheduler struct {
	config     Config
	processors []*Processor
	inbox      queue.Inbox
	board      board
	census     census
	parked     *flags
	watch      *watch
	idle       idleNotice
	quit       chan struct{}
	exited     chan struct{}
	alive      atomics.Int32
	stopped    atomics.Bool
}

// ErrStopped says that the scheduler was stopped.
var ErrStopped = errors.New("sched: stopped")

// New makes a scheduler that does not run yet. It panics if the number of processors is negative or above 32767.
func New(config Config) *Scheduler {
	if config.Processors == 0 {
		config.Processors = runtime.GOMAXPROCS(0)
	}
	if config.Processors < 0 || config.Processors > 1<<15-1 {
		panic("sched: the number of processors must be between 1 and 32767")
	}
	s := &Scheduler{
		config: config,
		parked: newFlags(config.Processors),
		quit:   make(chan struct{}),
		exited: make(chan struct{}),
	}
	for i := range config.Processors {
		s.processors = append(s.processors, newProcessor(s, i))
	}
	s.census.word.Store(uint32(len(s.processors)) * oneAwake) // they look for work first when they start, so none needs to be woken
	return s
}

// Start starts the processors, which first run what was injected before. Once.
func (s *Scheduler) Start() {
	s.watch = newWatch(s)
	s.alive.Store(int32(len(s.processors)))
	for _, p := range s.processors {
		go p.live()
	}
}

// Processors returns the processors, which the caller must not change.
func (s *Scheduler) Processors() []*Processor { return s.processors }

// Inject queues a task from outside: from any goroutine that is not one of the processors. It does not wait. After the
// scheduler has stopped, the task is discarded.
func (s *Scheduler) Inject(t *Task) {
	s.inbox.Add(&t.Node)
	s.wakeOne()
	if s.stopped.Load() {
		s.sweepInbox(Normal)
	}
}

// InjectAt is Inject with a priority.
func (s *Scheduler) InjectAt(pr Priority, t *Task) {
	if !pr.valid() {
		panic("sched: there is no such priority")
	}
	s.add(pr, t, t)
	s.wakeOne()
	if s.stopped.Load() {
		s.sweepInbox(pr)
	}
}

// wakeOne wakes a processor to search, unless one searches or all are awake (S2).
func (s *Scheduler) wakeOne() {
	if w := s.census.word.Load(); w&(oneAwake-1) != 0 || int(w>>16) >= len(s.processors) {
		return
	}
	if s.census.summon(len(s.processors)) {
		s.sendToken()
	}
}

// sendToken wakes some parked processor; the caller has summoned it.
func (s *Scheduler) sendToken() { s.processors[s.parked.lowerAny()].bed.wake() }

// hasWork reports whether there is a task that some processor could find.
func (s *Scheduler) hasWork() bool {
	if !s.inbox.Empty() || s.board.hasWork() {
		return true
	}
	for _, p := range s.processors {
		if p.hasWork() {
			return true
		}
	}
	return false
}

func (s *Scheduler) quitting() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}

// Stop ends the processors: each goes on until it finds no task anywhere, and then ends. It returns those that have not
// ended by the time that expired fires, because a task does not return; they end when it does. Tasks that nobody ran
// are discarded. Stop must be called once, and not by a task.
func (s *Scheduler) Stop(expired <-chan time.Time) (stuck []*Processor) {
	close(s.quit)
	s.watch.timer.Stop()
	select {
	case <-s.exited:
	case <-expired:
		for _, p := range s.processors {
			if !p.ended.Load() {
				stuck = append(stuck, p)
			}
		}
	}
	s.stopped.Store(true)
	s.sweep()
	return stuck
}

// sweep discards what is left in all queues, with a thief's rights only: a stuck processor may come back at any time.
func (s *Scheduler) sweep() {
	for _, pr := range byRank {
		s.sweepInbox(pr)
	}
	collector := newProcessor(s, len(s.processors))
	for _, victim := range s.processors {
		victim.slotOpen.Store(true)
		for _, pr := range byRank {
			for t := collector.stealFrom(victim, pr); t != nil; t = collector.stealFrom(victim, pr) {
				for ; t != nil; t = collector.next() {
					t.Kind.Discard(t)
				}
			}
		}
	}
}

func (s *Scheduler) sweepInbox(pr Priority) {
	var n *queue.Node
	if pr == Normal {
		n = s.inbox.TakeAll()
	} else {
		n = s.board.collect(pr)
	}
	for n != nil {
		var t *Task
		t, n = cut(n)
		t.Kind.Discard(t)
	}
}

// Stats are the figures of one processor since the scheduler started.
type Stats struct {
	Steps   uint64 // tasks run
	Steals  uint64 // times that it stole
	Stolen  uint64 // tasks that it stole
	Parks   uint64 // times that it parked
	Breaths uint64 // times that it let other goroutines run

	High, Low, Idle uint64 // of the tasks run, those of these priorities
}

// Stats returns the figures of the processor. Any goroutine; while the processor runs, the figures may lag behind.
func (p *Processor) Stats() Stats {
	c := &p.counters
	return Stats{
		Steps: c.steps.Load(), Steals: c.steals.Load(), Stolen: c.stolen.Load(), Parks: c.parks.Load(),
		Breaths: c.breaths.Load(), High: c.taken[High].Load(), Low: c.taken[Low].Load(), Idle: c.taken[Idle].Load(),
	}
}

// AwaitIdle returns when, at some instant of the call, no task was queued or running and settled, which is asked then,
// returned true. It returns ctx's error when ctx is done before, and ErrStopped when the scheduler is stopped before. Any
// goroutine but a processor's.
func (s *Scheduler) AwaitIdle(ctx context.Context, settled func() bool) error {
	const firstDoubt, longestDoubt = 50 * time.Microsecond, 10 * time.Millisecond
	notice := s.idle.await()
	for pause := firstDoubt; ; {
		var again <-chan time.Time
		// In this order: a task that hasWork missed because it was taken has a processor awake, until it was run.
		if !s.hasWork() && s.census.awake() == 0 {
			if settled() {
				return nil
			}
			// Somebody is between counting a task and queueing it, or a task waits for another scheduler: no event of
			// ours will tell when that is over.
			again = time.After(pause)
			pause = min(2*pause, longestDoubt)
		}
		select {
		case <-notice:
			notice = s.idle.await()
		case <-again:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.quit:
			return ErrStopped
		}
	}
}
