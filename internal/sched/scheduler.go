package sched

import (
	"errors"
	"runtime"
	"sync"
	_ "sync/atomic" // for the inliner, see internal/sync/atomics

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Config says how a scheduler is made. The zero value is usable.
type Config struct {
	// Processors is how many tasks run at the same time. 0 means GOMAXPROCS, and to follow it when
	// it changes.
	Processors int
	// Crashed, if set, is called on the goroutine of the host h when a task has panicked (value is
	// the panic's value) or has ended its goroutine with runtime.Goexit (value is nil). The host's
	// processor, nil if the task had left it, goes on; the task belongs to Crashed. If Crashed is
	// nil, a panic is not recovered.
	Crashed func(h *Host, t *Task, value any, stack []byte)
	// Locked, if set, is called when a task has ended and has left its goroutine locked to its
	// thread, by runtime.LockOSThread without UnlockOSThread. It is called on that goroutine: of
	// the host h, or of a coroutine in its place. The host's processor is nil if the task had left
	// it. Locked must not queue tasks.
	Locked func(h *Host)
	// Hosted, if set, is called with each new host before its goroutine runs, to set Local. Any
	// goroutine calls it, several at a time.
	Hosted func(h *Host)
	// Added, if set, is called with each processor that [Scheduler.Resize] makes, before it is in
	// use, to set Local. It must not resize.
	Added func(p *Processor)
	// Watchdog says what to do about tasks that do not return.
	Watchdog Watchdog
	// Choose, if set, makes the scheduler deterministic. Tasks run only in [Scheduler.Drive], on
	// the goroutine that calls it, and Choose decides which of the ready processors goes on next.
	// It returns an index into ready, the numbers of these processors, which is never empty, rises,
	// and must not be kept.
	Choose func(ready []int) int
	// Timed, if set together with Choose, keeps the time that Choose simulates.
	Timed Timed
	// Outside, together with Timed, has Choose choose among goroutines outside, too
	// (driver_outside.go).
	Outside bool
	// Resting, if set, is called on the processor p when p has run out of tasks and is about to
	// search or sleep, and when it goes out of service. It must not queue tasks.
	Resting func(p *Processor)
}

// Scheduler runs tasks on its processors. Make it with [New], set the Local of its processors,
// then call Start. It must not be copied. Any goroutine may call its methods, unless a method says
// otherwise.
type Scheduler struct {
	config         Config
	follow         bool                          // GOMAXPROCS, when that changes
	monitorsAlways bool                          // the monitor looks while a processor is awake
	processors     atomics.Pointer[[]*Processor] // all that were ever made
	limit          atomics.Int32                 // how many of them must be in service
	resizing       sync.Mutex                    // held to change limit, extra or stopping
	wanted         int                           // set by Resize
	extra          int                           // more of them while tasks are late; the monitor's
	followed       int                           // the GOMAXPROCS followed last; the monitor's
	inbox          mailbox.Inbox
	board          board
	census         census
	parked         *flags
	monitor        *monitor
	idle           idleNotice
	spares         spares
	hosted         atomics.Uint64             // how many hosts were ever made
	spawn          func(h *Host, live func()) // starts the goroutine of a host
	driver         *driver                    // of a deterministic scheduler, nil otherwise
	pollers        pollers

	stopping atomics.Bool  // Stop was called
	halt     chan struct{} // closed when Stop is called
	finished atomics.Bool  // quit is closed, or is about to be
	quit     closeSignal   // closed when the processors must end
	serving  atomics.Int32 // processors that have not ended
	stopped  atomics.Bool  // no processor comes any more for queued tasks
	alive    atomics.Int32 // number of hosts
	exited   chan struct{} // closed when the last host ends
}

// ErrStopped says that the scheduler was stopped.
var ErrStopped = errors.New("sched: stopped")

// New makes a scheduler that does not run yet. It panics if the number of processors is negative
// or above 32767.
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
	// All begin awake: a processor looks for work first, so none needs to be woken.
	s.census.word.Store(uint64(config.Processors) * (oneServing + oneAwake))
	return s
}

// Start starts the processors, which run the tasks injected before. Call it once.
func (s *Scheduler) Start() {
	s.monitor = newMonitor(s)
	if s.driver != nil {
		s.monitorsAlways = false
		s.monitor.pace.Store(paceFast) // so that nothing arms it: no time passes
	}
	s.serving.Store(int32(len(s.all())))
	for _, p := range s.all() {
		s.launch(p)
	}
	s.armMonitor()
}

// all returns the processors that were ever made, in service or not.
func (s *Scheduler) all() []*Processor { return *s.processors.Load() }

// Processors returns all processors, including those out of service. The caller must not change
// the list. Any goroutine.
func (s *Scheduler) Processors() []*Processor { return s.all() }

// Limit returns how many processors must be in service now. Any goroutine.
func (s *Scheduler) Limit() int { return int(s.limit.Load()) }

// Inject queues a task from outside, that is, from any goroutine that is not a processor's. It
// does not wait. After the scheduler has stopped, the task is discarded.
func (s *Scheduler) Inject(t *Task) {
	s.inbox.Add(&t.Node)
	s.wakeOne()
	if s.stopped.Load() {
		s.sweepInbox()
	}
}

// InjectAt is Inject with a priority. It panics if the priority does not exist.
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

// add puts a list of tasks, linked from newest to oldest, into the inbox of a priority. Any
// goroutine.
func (s *Scheduler) add(pr Priority, newest, oldest *Task) {
	if pr == Normal {
		s.inbox.AddChain(&newest.Node, &oldest.Node)
		return
	}
	s.board.add(pr, newest, oldest)
}

// hasWork reports whether a task is queued that some processor could find.
func (s *Scheduler) hasWork() bool {
	if !s.inbox.Empty() || s.board.hasWork() {
		return true
	}
	for _, p := range s.all() {
		if !s.parked.isUp(p.index) && p.hasWork() {
			return true
		}
	}
	return false
}

// Stats holds the figures of one processor since the scheduler started.
type Stats struct {
	Steps    uint64 // tasks run
	Steals   uint64 // successful steals
	Stolen   uint64 // tasks stolen
	Searches uint64 // searches for work everywhere
	Parks    uint64 // times parked
	Wakes    uint64 // times woken to look for work
	Yields   uint64 // times that it let other goroutines run
	Polls    uint64 // of the yields, those in which Go looked at the network

	High, Low, Idle uint64 // of the steps, those of these priorities
}

// Stats returns the figures of the processor. While the processor runs, they may lag behind. Any
// goroutine.
func (p *Processor) Stats() Stats {
	c := &p.counters
	return Stats{
		Steps: c.steps.Load(), Steals: c.steals.Load(), Stolen: c.stolen.Load(), Parks: c.parks.Load(),
		Searches: c.searches.Load(), Wakes: c.wakes.Load(),
		Yields: p.yields(), Polls: c.polls.Load(),
		High: c.taken[High].Load(), Low: c.taken[Low].Load(), Idle: c.taken[Idle].Load(),
	}
}
