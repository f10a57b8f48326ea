package sched

import (
	"errors"
	"runtime"
	_ "sync/atomic" // see internal/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/queue"
)

// Config says how a scheduler is made. The zero value is usable.
type Config struct {
	// Processors is how many tasks run at the same time; 0 means GOMAXPROCS.
	Processors int
	// Crashed is called on the goroutine of the host h when a task panicked (value is what it panicked with) or ended its
	// goroutine with runtime.Goexit (value is nil). The host's processor, nil if the task had left it, goes on; what becomes of the
	// task is up to Crashed. If it is nil, a panic is not recovered.
	Crashed func(h *Host, t *Task, value any, stack []byte)
	// Hosted, if set, is called with each new host before its goroutine runs, to give it its Local. By any goroutine, several at a time.
	Hosted func(h *Host)
	// Choose, if set, makes the scheduler deterministic: nothing runs but in [Scheduler.Drive], on the goroutine that calls it, and Choose decides
	// which of the processors that can go on does so next. It returns an index into ready, which is never empty, is ordered by
	// the processors' numbers, and must not be kept.
	Choose func(ready []*Processor) int
}

// Scheduler runs tasks on its processors. Make it with [New], give its processors their Local values, then Start it.
type Scheduler struct {
	config     Config
	processors []*Processor
	inbox      queue.Inbox
	census     census
	parked     *flags
	watch      *watch
	idle       idleNotice
	spares     spares
	hosted     atomics.Uint64             // hosts there ever were
	spawn      func(h *Host, live func()) // starts the goroutine of a host
	driver     *driver                    // of a deterministic scheduler, nil otherwise

	stopping atomics.Bool  // Stop was called
	halt     chan struct{} // closed when Stop is called
	finished atomics.Bool  // quit has rung, or is about to
	quit     bell          // rings when the processors shall end
	serving  atomics.Int32 // processors that have not ended
	stopped  atomics.Bool  // nobody comes any more for what is queued
	alive    atomics.Int32 // hosts
	exited   chan struct{} // closed when the last host ends
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
		spares: newSpares(config.Processors),
		spawn:  func(_ *Host, live func()) { go live() },
		halt:   make(chan struct{}),
		quit:   newBell(),
		exited: make(chan struct{}),
	}
	if config.Choose != nil {
		s.driver = newDriver(config)
		s.spawn = s.driver.spawn
	}
	for i := range config.Processors {
		s.processors = append(s.processors, newProcessor(s, i))
	}
	s.census.word.Store(uint64(len(s.processors)) * oneAwake) // they look for work first when they start, so none needs to be woken
	return s
}

// Start starts the processors, which first run what was injected before. Once.
func (s *Scheduler) Start() {
	s.watch = newWatch(s)
	if s.driver != nil {
		s.watch.wound.Store(true) // nobody winds it: no time passes
	}
	s.serving.Store(int32(len(s.processors)))
	for _, p := range s.processors {
		s.launch(p)
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
		s.sweepInbox()
	}
}

// wakeOne wakes a processor to search, unless one searches or all are awake (S2).
func (s *Scheduler) wakeOne() {
	if n := len(s.processors); !s.census.complete(n) && s.census.summon(n) {
		s.sendToken()
	}
}

// sendToken wakes some parked processor; the caller has summoned it.
func (s *Scheduler) sendToken() { s.processors[s.parked.lowerAny()].bed.wake() }

// hasWork reports whether there is a task that some processor could find.
func (s *Scheduler) hasWork() bool {
	if !s.inbox.Empty() {
		return true
	}
	for _, p := range s.processors {
		if p.hasWork() {
			return true
		}
	}
	return false
}

// Stats are the figures of one processor since the scheduler started.
type Stats struct {
	Steps   uint64 // tasks run
	Steals  uint64 // times that it stole
	Stolen  uint64 // tasks that it stole
	Parks   uint64 // times that it parked
	Breaths uint64 // times that it let other goroutines run
}

// Stats returns the figures of the processor. Any goroutine; while the processor runs, the figures may lag behind.
func (p *Processor) Stats() Stats {
	c := &p.counters
	return Stats{
		Steps: c.steps.Load(), Steals: c.steals.Load(), Stolen: c.stolen.Load(), Parks: c.parks.Load(),
		Breaths: c.breaths.Load(),
	}
}
