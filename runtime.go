package freerun

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"time"

	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/simhost"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Runtime runs operations on its processors. Make it with [New]; end it with [Runtime.Close] or
// [Runtime.Shutdown]. A program may have several runtimes; each unit belongs to one of them. Any
// goroutine may call its methods. The zero Runtime is of no use, and a Runtime must not be copied.
type Runtime struct {
	_ scan.Opaque
	//lint:ignore U1000 its method makes this type a place
	activityPlace
	scheduler    *sched.Scheduler
	around       []*interceptor  // of [InterceptAll], the outermost first; read with scheduler
	env          env             // live, or simulated
	outside      worker          // the worker of ordinary goroutines
	context      Context         // what Runtime.Context returns; bound to outside
	activityHost activityHost    // the host of activities without scope
	free         unit            // the addressee of free operations; never queued itself
	ctx          context.Context // done when the runtime gives up work that has not ended
	cancel       context.CancelCauseFunc
	ingress      ingress
	// keys has the context keys without scope, by priority. Each is made on demand.
	keys [priorities]atomics.Pointer[contextKey]
	// keeps is the context key of operations whose outcomes are kept back: route_keep.go.
	keeps  atomics.Pointer[contextKey]
	depots sync.Map // int → *magazine.Depot: messages to use again, by the operation's id
	// callers has *caller. Each runtime has its own pool, as channels must not leave a
	// testing/synctest bubble.
	callers  sync.Pool
	borrowed spares // *worker: those of borrowWorker
	waiters  quiesce.Pool
	// audiences has the audiences of futures for which ordinary goroutines wait, or several
	// activities.
	audiences audiences
	onLate    func(LateReport)
	onLost    func(LostMessage)
	carried   []any // the keys of [CarryValues]
	labels    bool
	watched   bool                          // there is a watchdog
	wheels    []atomics.Pointer[timerWheel] // each is made on demand
	calls     lineage                       // the lineage of Calls without scope and priority
	firing    atomics.Int64                 // how many timers fire now
	logger    *slog.Logger
	lostAt    atomics.Int64 // when a lost failure was logged last

	recording atomics.Pointer[record.Session] // the session that records now, nil if there is none
	recorded  sync.Mutex                      // held while recording changes
	tracing   bool                            // a recording runs that a caller has begun
	flight    *record.Session                 // the flight recorder, nil if there is none
	dumps     dumps                           // the dumps of the flight recorder

	phase    atomics.Uint32
	draining chan struct{} // closed when the phase is not running any more
	// noneFires has room for one notice: the last timer that fires sends it to end.
	noneFires chan struct{}
	grace     time.Duration // see Grace
	ending    sync.Once     // runs the end
	endErr    error         // its error
	finished  chan struct{} // closed when the runtime has ended

	lateReports  lateReports
	lostMessages lostMessages
	reports      reports

	deliveries sync.Map // *promised → *delivery: what stores have sent and has no outcome
	// homes are those of the kinds that were used, by their numbers.
	homes atomics.Pointer[[]*kindHome]

	endings sync.Map // *unit → *unitEnding: the units with OnEnd that have not ended
	watches sync.Map // *Timer → nil: the watches that have not ended; none in a simulated runtime
	// suspended has the units that are suspended, and keeps them from being collected.
	suspended sync.Map // *unit → time.Time: since when
}

// The phases of a runtime. A phase only grows.
const (
	running  uint32 = iota
	drains          // the runtime refuses messages of ordinary goroutines
	aborting        // it refuses all messages, and fails the queued ones
	ended           // no processor runs, except for operations that do not return
)

// Option is a setting for [New].
type Option struct{ apply func(*settings) }

type settings struct {
	processors int
	logger     *slog.Logger
	schedule   simhost.Schedule
	watchdog   sched.Watchdog
	grace      time.Duration
	onLate     func(LateReport)
	onLost     func(LostMessage)
	labels     bool
	flight     int    // bytes of each tape of the flight recorder; 0 for none
	dumps      string // folder
	around     []*interceptor
	carried    []any
}

// Processors sets how many operations run at the same time. The default is GOMAXPROCS. It panics if
// n is less than 1 or above 32767.
func Processors(n int) Option {
	if n < 1 || n > sched.MostProcessors {
		panic("freerun: Processors needs between 1 and 32767")
	}
	return Option{func(s *settings) { s.processors = n }}
}

// Logger sets the logger for panics and lost failures. The default is slog.Default(). The logger is
// called on a goroutine of its own, for one report after another, in their order. A processor that
// reports waits for that for 10 ms at most, and another goroutine for a second: so a report is
// there before a future fails, for one, unless the logger takes long. While it does, nobody waits
// for further reports, and up to 256 of them are kept; those beyond are dropped, which
// [Stats].Untold counts, and the logger is told when it comes to them. [Runtime.Shutdown] and
// [Runtime.Close] wait for the rest.
//
// What an operation panicked with is formatted by the logger. Where that takes long, the owner of
// the future has the same value meanwhile, and must not change it. Logger panics if l is nil.
func Logger(l *slog.Logger) Option {
	if l == nil {
		panic("freerun: Logger needs a logger")
	}
	return Option{func(s *settings) { s.logger = l }}
}

// New starts a runtime. It panics if an option is the zero Option.
func New(options ...Option) *Runtime {
	s := settings{grace: usualGrace}
	for i, o := range options {
		if o.apply == nil {
			panic(fmt.Sprintf("freerun: New with a zero Option, the one with index %d", i))
		}
		o.apply(&s)
	}
	rt := &Runtime{logger: s.logger, onLost: s.onLost, labels: s.labels, around: s.around, carried: s.carried, watched: s.watchdog.After > 0}
	config := sched.Config{Processors: s.processors, Crashed: crashed, Locked: leftLocked, Hosted: newHostState, Resting: onRest, Watchdog: s.watchdog}
	config.Added = func(p *sched.Processor) { p.Local = newWorker(rt, p) }
	config.Watchdog.Report, rt.onLate = rt.reportLate, s.onLate
	rt.env = newEnv(rt, &s, &config)
	rt.ctx, rt.cancel = context.WithCancelCause(context.Background())
	rt.finished, rt.draining, rt.grace = make(chan struct{}), make(chan struct{}), s.grace
	rt.noneFires = make(chan struct{}, 1)
	rt.startReports()
	rt.outside.rt, rt.outside.env, rt.context.rt = rt, rt.env, rt
	rt.context.worker.Store(&rt.outside)
	rt.free.rt, rt.activityHost.rt = rt, rt
	rt.calls.revocable = true
	rt.waiters.Woken = sched.NoteWoken
	rt.ingress.stripes.Make()
	rt.wheels = rt.env.newWheels(rt)
	rt.scheduler = sched.New(config)
	for _, p := range rt.scheduler.Processors() {
		p.Local = newWorker(rt, p)
	}
	rt.attach(&rt.outside)
	rt.startFlight(&s)
	rt.scheduler.Start()
	return rt
}

// mustBeMade panics for a nil or zero Runtime. Sends do not call it: they find that their context
// has no runtime.
func (rt *Runtime) mustBeMade() {
	if rt == nil || rt.scheduler == nil {
		panic("freerun: a nil or zero Runtime; make runtimes with New")
	}
}

// Context returns the context for sends by ordinary goroutines. Any number of them may use it at
// the same time. An operation should send through the context that it was given: a message that it
// sends through this one takes the slower path of ordinary goroutines, has no scope, and has
// priority Normal.
func (rt *Runtime) Context() *Context { return &rt.context }

// Resize sets how many operations run at the same time, from now on. It does not wait for running
// operations: a surplus processor ends when its operation has ended, and the other processors run
// the tasks that were queued there. A runtime made without [Processors] follows GOMAXPROCS: while
// it is busy, it notices a change of GOMAXPROCS within a second, and the number that Resize has set
// holds until then. Resize does nothing once the runtime is shut down. Any goroutine may call it,
// operations too. It panics if n is less than 1 or above 32767, and in a run of package simulate if
// n is above the number of simulated processors.
func (rt *Runtime) Resize(n int) {
	rt.mustBeMade()
	if n < 1 || n > sched.MostProcessors {
		panic("freerun: Resize needs between 1 and 32767 processors")
	}
	if most := rt.env.mostProcessors(); n > most {
		panic(fmt.Sprintf("freerun: Resize to %d processors, where %d are simulated", n, most))
	}
	rt.scheduler.Resize(n)
}

// Processors returns how many operations run at the same time: the number that [Processors] or
// [Runtime.Resize] has set, or GOMAXPROCS, and in addition the processors that the watchdog has
// added ([Watchdog]).
func (rt *Runtime) Processors() int {
	rt.mustBeMade()
	return rt.scheduler.Limit()
}

// workers iterates over the workers of all processors that there ever were, by the processor's
// index.
func (rt *Runtime) workers() func(yield func(int, *worker) bool) {
	return func(yield func(int, *worker) bool) {
		for i, p := range rt.scheduler.Processors() {
			if !yield(i, workerOf(p)) {
				return
			}
		}
	}
}

// settled reports whether all messages that were sent have run or failed. It is exact while nothing
// runs: a message is counted as sent before it is queued, and sent is read after done.
func (rt *Runtime) settled() bool {
	done := rt.done()
	return done == rt.sent()
}

// abandoned returns how many messages were not run because the runtime was closed.
func (rt *Runtime) abandoned() uint64 {
	n := rt.ingress.abandoned.Load()
	for _, w := range rt.workers() {
		n += w.counters.abandoned.Load()
	}
	return n
}

// activitiesEnded returns how many activities that had begun were ended because the runtime was
// closed.
func (rt *Runtime) activitiesEnded() uint64 {
	n := rt.ingress.ended.Load()
	for _, w := range rt.workers() {
		n += w.counters.ended.Load()
	}
	return n
}

// gaveUp reports whether the end of the runtime has given messages or activities up.
func (rt *Runtime) gaveUp() bool { return rt.abandoned() > 0 || rt.activitiesEnded() > 0 }

// sent returns how many messages were sent.
func (rt *Runtime) sent() uint64 {
	n := rt.ingress.stripes.Total()
	for _, w := range rt.workers() {
		n += w.counters.sent.Load()
	}
	return n
}

// done returns how many messages have run or failed.
func (rt *Runtime) done() uint64 {
	n := rt.ingress.failed.Load() + rt.ingress.ran.Load()
	for _, w := range rt.workers() {
		n += w.counters.ran.Load() + w.counters.failed.Load()
	}
	return n
}
