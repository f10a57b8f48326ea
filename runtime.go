package freerun

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations
	"time"

	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pin"
	"github.com/freerun-go/freerun/internal/vclock"
)

// Runtime runs operations on its processors. Make it with [New]; end it with [Runtime.Close] or [Runtime.Shutdown]. A program may have
// several; units belong to one. Any goroutine may call its methods. The zero Runtime is of no use, and a Runtime must not be copied.
type Runtime struct {
	//lint:ignore U1000 its method makes this type a place
	activityPlace
	scheduler *sched.Scheduler
	outside   worker          // of ordinary goroutines
	context   Context         // the one that leads there
	tenant    activityHost    // of activities without scope
	free      unit            // the addressee of free operations, never queued itself
	ctx       context.Context // done when what has not ended is given up
	cancel    context.CancelCauseFunc
	ingress   ingress
	realms    [priorities]atomics.Pointer[contextKey] // without scope, made when they are needed
	depots    sync.Map                                // int → *depot: letters to use again, by the operation's number
	callers   sync.Pool                               // *caller; the runtime's own, as channels must not leave a testing/synctest bubble
	waiters   quiesce.Pool
	audiences audiences // of futures that ordinary goroutines wait for, or several activities
	clock     clock
	onLate    func(Late)
	labels    bool
	watched   bool
	wheels    []atomics.Pointer[timerWheel] // each made when it is needed
	calls     lineage                       // of what Call has sent without scope and priority
	firing    atomics.Int64
	logger    *slog.Logger
	lostAt    atomics.Int64 // when a lost failure was logged last

	recording atomics.Pointer[session] // what it is recorded with now, nil if it is not
	recorded  sync.Mutex               // held while that changes
	tracing   bool                     // it is being recorded for somebody
	flight    *session                 // the flight recorder, nil if there is none
	dumps     dumps                    // of that

	// of a deterministic runtime
	schedule    Schedule // nil otherwise
	timed       timed    // the same, if it simulates time; nil otherwise
	virtual     *vclock.Clock
	timers      sync.Map // *Timer → which of the begunTimers it is: those that have not fired, or repeat
	begunTimers uint64
	pending     []pending // and pendingLeft, see notePending
	pendingLeft int
	waitedIn    []*Scope // whose activities have waited
	waits       uint64   // how many activities have
	contexts    []*watchedContext

	phase    atomics.Uint32
	draining chan struct{} // closed when the phase is not running any more
	// noneFires has room for one: the last timer that fires tells the end.
	noneFires chan struct{}
	grace     time.Duration
	ending    sync.Once
	endErr    error
	finished  chan struct{} // closed when it has ended

	incidents incidents
}

// The phases of a runtime, which only grow.
const (
	running  uint32 = iota
	drains          // refuses messages from outside
	aborting        // refuses all messages, and fails those that are queued
	ended           // no processor runs, but for operations that do not return
)

// Option is a setting for [New].
type Option func(*settings)

type settings struct {
	processors int
	logger     *slog.Logger
	schedule   Schedule
	watchdog   sched.Watchdog
	grace      time.Duration
	onLate     func(Late)
	labels     bool
	flight     int    // bytes of each tape of the flight recorder; 0 for none
	dumps      string // folder
}

// Processors sets how many operations run at the same time; GOMAXPROCS if it is not given. It panics if n is less than 1.
func Processors(n int) Option {
	if n < 1 {
		panic("freerun: Processors needs at least 1")
	}
	return func(s *settings) { s.processors = n }
}

// Logger sets where panics and lost failures are reported; slog.Default() if it is not given. It panics if l is nil.
func Logger(l *slog.Logger) Option {
	if l == nil {
		panic("freerun: Logger needs a logger")
	}
	return func(s *settings) { s.logger = l }
}

// New starts a runtime. It panics if an option is nil.
func New(options ...Option) *Runtime {
	s := settings{grace: usualGrace}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("freerun: New with a nil option, the one with index %d", i))
		}
		o(&s)
	}
	rt := &Runtime{logger: s.logger, labels: s.labels, watched: s.watchdog.After > 0, schedule: s.schedule, clock: systemClock{}}
	config := sched.Config{Processors: s.processors, Crashed: crashed, Locked: leftLocked, Hosted: newHostState, Resting: rest, Watchdog: s.watchdog}
	config.Added = func(p *sched.Processor) { p.Local = newWorker(rt, p) }
	config.Watchdog.Report, rt.onLate = rt.reportLate, s.onLate
	if s.schedule != nil {
		config.Choose = chooseBy(s.schedule)
		config.Processors = cmp.Or(s.processors, deterministicProcessors)
		if t, ok := s.schedule.(timed); ok {
			rt.timed, config.Timed = t, timedScheduler{t}
		}
		rt.virtual = vclock.New(rt.timed)
		rt.clock = virtualClock{rt.virtual}
	}
	rt.ctx, rt.cancel = context.WithCancelCause(context.Background())
	rt.finished, rt.draining, rt.grace = make(chan struct{}), make(chan struct{}), s.grace
	rt.noneFires = make(chan struct{}, 1)
	rt.outside.rt, rt.context.rt = rt, rt
	rt.context.worker.Store(&rt.outside)
	rt.free.rt, rt.tenant.rt = rt, rt
	rt.calls.revocable = true
	rt.ingress.init()
	rt.wheels = make([]atomics.Pointer[timerWheel], len(rt.ingress.stripes))
	if rt.schedule == nil { // which has no goroutines
		pin.Prepare()
	}
	rt.scheduler = sched.New(config)
	for _, p := range rt.scheduler.Processors() {
		p.Local = newWorker(rt, p)
	}
	rt.startFlight(&s)
	rt.scheduler.Start()
	return rt
}

// mustBeMade panics for what New has not made. Sends do not ask: to them a zero runtime is a
// context of none.
func (rt *Runtime) mustBeMade() {
	if rt == nil || rt.scheduler == nil {
		panic("freerun: a nil or zero Runtime; make runtimes with New")
	}
}

// Context returns the context for sends by ordinary goroutines. Any number of them may use it at the same time. An operation sends
// through the one that it was given: through this one it is taken for an ordinary goroutine, which a shutdown refuses and
// a flood holds back.
func (rt *Runtime) Context() *Context { return &rt.context }
