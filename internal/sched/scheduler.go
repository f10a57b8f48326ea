package sched

import (
	"errors"
	"runtime"
	"sync"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/queue"
)

// Config says how a scheduler is made. The zero value is usable.
type Config struct {
	// Processors is how many tasks run at the same time; 0 means GOMAXPROCS, and to follow it when it changes.
	Processors int
	// Crashed is called on the goroutine of the host h when a task panicked (value is what it panicked with) or ended its
	// goroutine with runtime.Goexit (value is nil). The host's processor, nil if the task had left it, goes on; what becomes of the
	// task is up to Crashed. If it is nil, a panic is not recovered.
	Crashed func(h *Host, t *Task, value any, stack []byte)
	// Locked, if set, is called on the goroutine of the host h, or of a coroutine in its place, when a task has ended and has left that goroutine locked to its
	// thread: what it ran last has called runtime.LockOSThread, and not UnlockOSThread. The host's processor is nil if the task had left it. It must not queue any.
	Locked func(h *Host)
	// Hosted, if set, is called with each new host before its goroutine runs, to give it its Local. By any goroutine, several at a time.
	Hosted func(h *Host)
	// Added, if set, is called with each processor that [Scheduler.Resize] makes, before it is in use, to give it its Local. It must not resize.
	Added func(p *Processor)
	// Watchdog says what to do about tasks that do not return.
	Watchdog Watchdog
	// Choose, if set, makes the scheduler deterministic: nothing runs but in [Scheduler.Drive], on the goroutine that calls it, and Choose decides
	// which of the processors that can go on does so next. It returns an index into ready, which is never empty, is ordered by
	// the processors' numbers, and must not be kept.
	Choose func(ready []*Processor) int
	// Timed, if set besides, keeps the time that Choose simulates.
	Timed Timed
	// Resting is called on the processor p, if it is not nil, when p has run out of tasks and goes to look for some elsewhere, or
	// to sleep, and when it goes out of service. It must not queue any.
	Resting func(p *Processor)
}

// Scheduler runs tasks on its processors. Make it with [New], give its processors their Local values, then Start it.
type Scheduler struct {
	config         Config
	follow         bool                          // changes of GOMAXPROCS
	monitorsAlways bool                          // the watch looks whenever a processor is awake
	processors     atomics.Pointer[[]*Processor] // all that there ever were
	limit          atomics.Int32                 // how many of them shall be in service
	resizing       sync.Mutex                    // held while any of these changes, and while stopping is set
	wanted         int                           // how many Resize has said
	extra          int                           // how many more for tasks that are late; changed by the watch only
	followed       int                           // the last number that was followed; of the watch only
	inbox          queue.Inbox
	board          board
	census         census
	parked         *flags
	monitor        *monitor
	idle           idleNotice
	spares         spares
	hosted         atomics.Uint64             // hosts there ever were
	spawn          func(h *Host, live func()) // starts the goroutine of a host
	driver         *driver                    // of a deterministic scheduler, nil otherwise
	pollers        pollers

	stopping atomics.Bool  // Stop was called
	halt     chan struct{} // closed when Stop is called
	finished atomics.Bool  // quit has rung, or is about to
	quit     closeSignal   // rings when the processors shall end
	serving  atomics.Int32 // processors that have not ended
	stopped  atomics.Bool  // nobody comes any more for what is queued
	alive    atomics.Int32 // hosts
	exited   chan struct{} // closed when the last host ends
}

// ErrStopped says that the scheduler was stopped.
var ErrStopped = errors.New("sched: stopped")

// New makes a scheduler that does not run yet. It panics if the number of processors is negative or above 32767.
func New(config Config) *Scheduler {
	follow := config.Processors == 0
	if follow {
		config.Processors = runtime.GOMAXPROCS(0)
	}
	checkSize(config.Processors)
	s := &Scheduler{
		config: config,
		follow: follow,
		parked: newFlags(config.Processors),
		spares: newSpares(config.Processors),
		spawn:  func(_ *Host, live func()) { go live() },
		halt:   make(chan struct{}),
		quit:   newCloseSignal(),
		exited: make(chan struct{}),
	}
	s.monitorsAlways = follow || config.Watchdog.After > 0
	if config.Choose != nil {
		s.driver = newDriver(config)
		s.spawn = s.driver.spawn
	} else {
		s.pollers.init()
	}
	s.processors.Store(new([]*Processor))
	s.grow(config.Processors, func(*Processor) {})
	s.limit.Store(int32(config.Processors))
	s.wanted, s.followed = config.Processors, config.Processors
	s.census.word.Store(uint64(config.Processors) * (oneServing + oneAwake)) // they look for work first when they start, so none needs to be woken
	return s
}

// Start starts the processors, which first run what was injected before. Once.
func (s *Scheduler) Start() {
	s.monitor = newMonitor(s)
	if s.driver != nil {
		s.monitorsAlways = false
		s.monitor.pace.Store(paceFast) // nobody winds it: no time passes
	}
	s.serving.Store(int32(len(s.all())))
	for _, p := range s.all() {
		s.launch(p)
	}
	s.armMonitor()
}

// Processors returns all processors, those that are not in service now too. The caller must not change the list. Any goroutine.
func (s *Scheduler) Processors() []*Processor { return s.all() }

// Limit returns how many processors shall be in service now.
func (s *Scheduler) Limit() int { return int(s.limit.Load()) }

// Inject queues a task from outside: from any goroutine that is not one of the processors. It does not wait. After the
// scheduler has stopped, the task is discarded.
func (s *Scheduler) Inject(t *Task) {
	s.inbox.Add(&t.Node)
	s.wakeOne()
	if s.stopped.Load() {
		s.sweepInbox()
	}
}

// InjectAt is Inject with a priority.
func (s *Scheduler) InjectAt(pr Priority, t *Task) {
	if pr == Normal {
		s.Inject(t)
		return
	}
	if !pr.valid() {
		panic("sched: there is no such priority")
	}
	s.add(pr, t, t)
	s.wakeOne()
	if s.stopped.Load() {
		s.sweepInbox()
	}
}

// hasWork reports whether there is a task that some processor could find.
func (s *Scheduler) hasWork() bool {
	if !s.inbox.Empty() || s.board.hasWork() {
		return true
	}
	for _, p := range s.all() {
		if p.hasWork() {
			return true
		}
	}
	return false
}

// Stats are the figures of one processor since the scheduler started.
type Stats struct {
	Steps    uint64 // tasks run
	Steals   uint64 // times that it stole
	Stolen   uint64 // tasks that it stole
	Searches uint64 // times that it looked for work everywhere
	Parks    uint64 // times that it parked
	Wakes    uint64 // times that it was woken to look for work
	Yields   uint64 // times that it let other goroutines run
	Polls    uint64 // times of these that it had Go look at the network

	High, Low, Idle uint64 // of the tasks run, those of these priorities
}

// Stats returns the figures of the processor. Any goroutine; while the processor runs, the figures may lag behind.
func (p *Processor) Stats() Stats {
	c := &p.counters
	return Stats{
		Steps: c.steps.Load(), Steals: c.steals.Load(), Stolen: c.stolen.Load(), Parks: c.parks.Load(),
		Searches: c.searches.Load(), Wakes: c.wakes.Load(),
		Yields: p.yields(), Polls: c.polls.Load(),
		High: c.taken[High].Load(), Low: c.taken[Low].Load(), Idle: c.taken[Idle].Load(),
	}
}
