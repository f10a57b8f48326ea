package freerun

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/simhost"
	"github.com/freerun-go/freerun/internal/vclock"
)

// A deterministic runtime runs the same code as any other, with three differences. Its processors
// are coroutines of the driver, the ordinary goroutine that waits for something. Its time is
// virtual (internal/vclock). A [simhost.Schedule] decides which processor goes on, at each message
// that is sent and at each operation that begins. The same program under the same schedule does
// the same each time.

// ErrStalled says that in a deterministic runtime nothing is left to run, and that the condition
// waited for does not hold: it never will. The errors that wrap it describe each waiter: where in
// the program the caller waits, and for the result of which operation; and which messages and
// activities wait besides, and for what.
var ErrStalled = errors.New("freerun: nothing is left to run, and what is waited for has not come to pass")

// deterministicProcessors is how many processors a deterministic runtime has by default. It does
// not depend on the machine, so that a seed means the same everywhere.
const deterministicProcessors = 4

// Deterministic makes the runtime deterministic, with an order drawn from the seed: for tests that
// find, and then repeat, failures that depend on the order of events. Package freeruntest tries
// many seeds.
//
// A deterministic runtime has no goroutines. Its operations run while an ordinary goroutine waits,
// in Wait of a future or a scope, Call, Quiesce, Shutdown or Close, and on that goroutine. These
// calls return an [ErrStalled] when nothing is left to run and the condition waited for does not
// hold. Time is virtual: before such a call comes to that, it has the clock jump to the next timer.
//
// So one goroutine must do all that sends and waits. An operation that blocks, in [Context.Block]
// too, blocks everything. The channel of Done is closed only while another goroutine waits. There
// are 4 processors if [Processors] does not say otherwise.
//
// The deadline of a [context.Context] is in real time. No seed decides which comes first, the
// deadline or an event in virtual time. So tests that must repeat cancel contexts by themselves:
// SendAfter of an operation that calls the cancel function of a context does so in virtual time.
func Deterministic(seed uint64) Option {
	return deterministicBy(&randomSchedule{rand.New(rand.NewPCG(seed, 0))})
}

func deterministicBy(s simhost.Schedule) Option {
	return Option{func(set *settings) { set.schedule = s }}
}

func init() { simhost.Provide(deterministicBy) }

type randomSchedule struct{ random *rand.Rand }

func (r *randomSchedule) Choose(ready []int) int { return r.random.IntN(len(ready)) }
func (r *randomSchedule) Began(int, string)      {}

// simulation holds the further state of a deterministic runtime. The driver, or the processor that
// it has go on, uses it.
type simulation struct {
	rt       *Runtime
	schedule simhost.Schedule
	timed    simhost.Timed   // schedule, if it simulates time; nil otherwise
	limited  simhost.Limited // schedule, if it may end the run; nil otherwise
	outside  bool            // that of goroutines outside, too
	clock    *vclock.Clock
	busy     bool // timers fire while operations run
	crashed  bool // the process has ended in the middle, as a simhost.World has decided
	// processors is how many processors the runtime began with. A timed schedule knows no more.
	processors int
	promises   noted[*promised] // those of scopes: keepPromise

	timers      sync.Map // *Timer → *simTimer: the timers that have not fired, or repeat
	begunTimers uint64   // the number of the latest timer

	pending noted[pending] // the messages that wait for futures: see noteWait

	waitedIn []*Scope // the scopes whose activities have waited
	waits    uint64   // how many activities have waited
	contexts []*watchedContext

	others othersPatience // env_sim_others.go
}

// newSimulation returns the simulation that the settings ask for, and completes the scheduler's
// settings.
func newSimulation(rt *Runtime, s *settings, config *sched.Config) *simulation {
	m := &simulation{rt: rt, schedule: s.schedule}
	config.Choose = s.schedule.Choose
	config.Processors = cmp.Or(s.processors, deterministicProcessors)
	m.processors = config.Processors
	if t, ok := s.schedule.(simhost.Timed); ok {
		m.timed, config.Timed = t, timedScheduler{t, m}
		m.outside = t.Outside(m.startOutside, func() { m.rt.scheduler.AbandonOutsiders() })
		config.Outside = m.outside
	}
	m.limited, _ = s.schedule.(simhost.Limited)
	m.clock = vclock.New(m.timed)
	if w, ok := s.schedule.(simhost.World); ok {
		w.Surround(func(d time.Duration, f func()) { m.clock.AfterFunc(d, f) }, m.crash)
	}
	return m
}

// drive runs operations until x is reached, ctx is done or nothing is left to run. It returns nil,
// ctx's error or an ErrStalled. The caller is the driver.
func (m *simulation) drive(ctx context.Context, x condition) error {
	if err := m.refusal(ctx); err != nil {
		return err
	}
	if o := m.outsider(); o != nil {
		return m.awaitOutside(ctx, o, x)
	}
	ctx = inWorld{ctx, m}
	for !m.rt.scheduler.Drive(func() bool { return x.reached() || ctx.Err() != nil }) {
		if !m.goOn() {
			return m.stalled(x)
		}
	}
	if x.reached() {
		return nil
	}
	return m.ended(ctx.Err(), x)
}

// ended returns the error of a wait for x that has ended with err: who waits besides, if the
// schedule has ended it.
func (m *simulation) ended(err error, x condition) error {
	if m.limited != nil && err != nil && err == m.limited.Over() {
		return m.waitersOf(err, x)
	}
	return err
}

func (m *simulation) awaitPlace(b *mailboxLimit, msg *message, from *sender) error {
	taken := false
	err := m.drive(from.context(), conditionFunc(func() bool {
		taken = taken || b.tryTake()
		return taken || from.over(msg) != nil
	}))
	if taken {
		return nil
	}
	return cmp.Or(from.over(msg), err)
}

// awaitIdle advances the virtual time if need be, as activities may sleep.
func (m *simulation) awaitIdle(ctx context.Context) error {
	if err := m.refusal(ctx); err != nil {
		return err
	}
	if o := m.outsider(); o != nil {
		return m.awaitIdleOutside(ctx, o)
	}
	ctx = inWorld{ctx, m}
	for {
		err := m.rt.scheduler.AwaitIdle(ctx, m.rt.settled)
		if !errors.Is(err, sched.ErrStalled) {
			return m.ended(err, nil)
		}
		if !m.goOn() {
			return m.stalled(nil)
		}
	}
}

// crash ends the process in the middle: what waits returns, and what is sent is refused.
func (m *simulation) crash() {
	m.crashed = true
	m.rt.advance(aborting)
}

// inWorld is a context that is done, too, when the process has ended, or the schedule ends the run.
// The driver asks it between any two steps.
type inWorld struct {
	context.Context
	sim *simulation
}

// Err implements [context.Context].
func (w inWorld) Err() error {
	if w.sim.crashed {
		return ErrClosed
	}
	if w.sim.limited != nil {
		if err := w.sim.limited.Over(); err != nil {
			return err
		}
	}
	return w.Context.Err()
}

// Done implements [context.Context]: it is not nil, so that the driver asks Err.
func (w inWorld) Done() <-chan struct{} {
	if done := w.Context.Done(); done != nil {
		return done
	}
	return w.sim.rt.finished
}

// goOn is called when nothing is left to run. It ends what was canceled, or else lets time pass. It
// reports whether there was anything to do.
func (m *simulation) goOn() bool {
	return m.endCanceled() || m.clock.Advance() || m.awaitDeadline() || m.others.await(m.rt.scheduler.InVain())
}

// endCanceled fails the timers of canceled scopes, wakes their waiting activities and those whose
// context is done, and reports whether there were any.
func (m *simulation) endCanceled() (some bool) {
	for _, t := range m.openTimers(nil) {
		if t.scope != nil && t.scope.canceled() {
			some = t.end(promise.NewFailure(t.scope.refusal())) || some
		}
	}
	for _, s := range m.waitedIn {
		if s.canceled() {
			some = s.interruptWaiting() || some
		}
	}
	for _, p := range slices.Clone(m.promises.all) {
		some = p.Open() && p.closedNow() || some
	}
	return m.endDone() || some
}

// keepPromise has endCanceled look at a promise of a scope.
func (m *simulation) keepPromise(p *promised) { m.promises.add(p, (*promised).Open) }

func (m *simulation) orderOfWait(s *Scope) uint64 {
	m.waits++
	if !slices.Contains(m.waitedIn, s) {
		m.waitedIn = append(m.waitedIn, s)
	}
	return m.waits
}

// recordClock returns a clock of nanoseconds. The runtime's time stands still while operations run.
// So each event takes a nanosecond, and the order of events is that of their times.
func (m *simulation) recordClock() record.Clock {
	origin := m.clock.Now()
	last := uint64(0)
	return record.Clock{Start: origin, Ticks: func() uint64 {
		last = max(last+1, uint64(m.clock.Now().Sub(origin)))
		return last
	}}
}
