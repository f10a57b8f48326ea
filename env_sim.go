package freerun

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/freerun-go/freerun/internal/sched"
)

// A deterministic runtime runs the same code as any other, but its processors are coroutines of the goroutine that waits for something, its time
// is virtual (internal/vclock), and a [Schedule] decides which of them goes on, at each message that is sent and at each operation that begins. The same program under
// the same schedule does the same each time.

// Schedule decides what happens next in a deterministic runtime, see [DeterministicBy]. Its methods are called by one goroutine at a time, and
// must not use the runtime.
type Schedule interface {
	// Choose returns the index of one of the processors that can go on, which are given by their numbers in rising order.
	Choose(ready []int) int
	// Began tells that a processor begins to run an operation, by its name or that of its function.
	Began(processor int, operation string)
}

// ErrStalled says that in a deterministic runtime nothing is left to run, and what is waited for has not come to pass: it never will. The errors that wrap it tell
// who waits: where in the program, for the result of which operation, and which messages and activities wait besides, for what.
var ErrStalled = errors.New("freerun: nothing is left to run, and what is waited for has not come to pass")

// deterministicProcessors is how many processors a deterministic runtime has by default: not as many as the machine, so that a
// seed means the same everywhere.
const deterministicProcessors = 4

// Deterministic makes the runtime deterministic, with an order that is drawn from the seed: for tests that find, and then repeat, what depends
// on the order in which things happen. Package freeruntest tries many.
//
// The runtime has no goroutines then. Its operations run while somebody waits, in Wait of a future, Quiesce, Shutdown or Close, on the goroutine that does, and
// these return an [ErrStalled] when nothing is left to run. Its time is virtual: when nothing is left to run before, who waits for a future or a scope
// has the clock jump to the next timer. So there must be one goroutine that sends and waits. An operation that blocks,
// in [Context.Block] too, blocks everything, and the channel of Done is closed only while somebody else waits. There are 4 processors if [Processors]
// does not say otherwise.
//
// The deadline of a [context.Context] is in real time: which comes first, it or what happens in virtual time, no seed decides, so tests that are to repeat cancel
// contexts by themselves.
func Deterministic(seed uint64) Option {
	return DeterministicBy(&randomSchedule{rand.New(rand.NewPCG(seed, 0))})
}

// DeterministicBy is [Deterministic] with a schedule of one's own. It panics if s is nil.
func DeterministicBy(s Schedule) Option {
	if s == nil {
		panic("freerun: DeterministicBy with a nil Schedule")
	}
	return func(set *settings) { set.schedule = s }
}

type randomSchedule struct{ random *rand.Rand }

func (r *randomSchedule) Choose(ready []int) int { return r.random.IntN(len(ready)) }
func (r *randomSchedule) Began(int, string)      {}

// chooseBy turns a schedule into what the scheduler asks.
func chooseBy(s Schedule) func([]*sched.Processor) int {
	numbers := []int{}
	return func(ready []*sched.Processor) int {
		numbers = numbers[:0]
		for _, p := range ready {
			numbers = append(numbers, p.Index())
		}
		i := s.Choose(numbers)
		if i < 0 || i >= len(ready) {
			panic(fmt.Sprintf("freerun: a Schedule chose index %d of %d", i, len(ready)))
		}
		return i
	}
}

// deterministic reports whether the runtime is driven by those who wait.
func (rt *Runtime) deterministic() bool { return rt.schedule != nil }

// driveUntil runs operations until the condition holds, ctx is done or nothing is left to run, and returns nil, ctx's error or ErrStalled.
func (rt *Runtime) driveUntil(ctx context.Context, reached func() bool) error {
	return rt.driveFor(ctx, nil, reached)
}

// driveFor is driveUntil for a future m.
func (rt *Runtime) driveFor(ctx context.Context, m *promise, reached func() bool) error {
	for !rt.scheduler.Drive(func() bool { return reached() || ctx.Err() != nil }) {
		if !rt.goOn() {
			return rt.stalled(m)
		}
	}
	if reached() {
		return nil
	}
	return ctx.Err()
}

// goOn does what there is to do when nothing is left to run: what was canceled ends, and otherwise time passes. It reports whether there was anything.
func (rt *Runtime) goOn() bool {
	return rt.endCanceled() || rt.virtual.Advance() || rt.awaitDeadline()
}

// endCanceled fails the timers of scopes that were canceled, wakes their activities, and reports whether there were any.
func (rt *Runtime) endCanceled() (some bool) {
	for _, t := range rt.openTimers(nil) {
		if t.scope != nil && t.scope.canceled() {
			some = t.end(newFailure(t.scope.refusal())) || some
		}
	}
	for _, s := range rt.waitedIn {
		if s.canceled() {
			some = s.interruptWaiting() || some
		}
	}
	return rt.endDone() || some
}

// pause lets the schedule decide who goes on, in the middle of an operation.
func (s *worker) pause() {
	if s.driven {
		s.processor.Pause()
	}
}
