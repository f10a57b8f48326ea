package freeruntest

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
)

// Seed is the environment variable that makes [Explore] run one schedule only, and log what ran where.
const Seed = "FREERUN_SEED"

const (
	usualRuns   = 500
	shortRuns   = 50
	mostVirtual = 4 // processors
)

// Option is a setting for [Explore].
type Option struct{ apply func(*settings) }

type settings struct {
	runs       int
	processors int
}

// Runs sets how many schedules are tried: 500 if it is not given, 50 in a short test. It panics if n is less than 1.
func Runs(n int) Option {
	if n < 1 {
		panic("freeruntest: Runs needs at least 1")
	}
	return Option{func(s *settings) { s.runs = n }}
}

// Processors sets how many processors the runtimes have: 1 to 4, different from run to run, if it is not given. It panics if n is less than 1.
func Processors(n int) Option {
	if n < 1 {
		panic("freeruntest: Processors needs at least 1")
	}
	return Option{func(s *settings) { s.processors = n }}
}

// Explore runs body under many schedules, each in a new runtime, until one fails the test, and prints how many it has tried, and that one's seed, then. When the body
// returns, the runtime is shut down: what it has left to run is run, and what could not be run is an error. A program that has come to a deadlock is told by an error that is
// [freerun.ErrStalled], of the call that waits in the body or of that shutdown, and names who waits, where, and for what.
//
// The body runs on the caller's goroutine, so it may use t.Fatal. With the environment variable FREERUN_SEED only the schedule with that seed is run,
// and the order of operations is logged.
func Explore(t testing.TB, body func(rt *freerun.Runtime), options ...Option) {
	t.Helper()
	s := settings{runs: usualRuns}
	if testing.Short() {
		s.runs = shortRuns
	}
	if body == nil {
		panic("freeruntest: Explore with a nil body")
	}
	for i, o := range options {
		if o.apply == nil {
			panic(fmt.Sprintf("freeruntest: Explore with a zero Option, the one with index %d", i))
		}
		o.apply(&s)
	}
	x := &exploration{t: t, body: body, settings: s}
	if text, given := os.LookupEnv(Seed); given {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("freeruntest: %s is no seed: %v", Seed, err)
		}
		x.verbose = true
		x.run(seed)
		return
	}
	for seed := range uint64(s.runs) {
		x.tried++
		if x.run(seed); t.Failed() {
			return
		}
	}
}

// inputs has what Random returns for each runtime that is being explored.
var inputs sync.Map // *freerun.Runtime → *rand.Rand

// Random returns a source of random numbers that follow from the seed of the schedule, for what a body draws: inputs, sizes, the order of its calls. A body with a
// source of its own would not do the same again when one schedule is repeated. Only for the runtime that the body was given, or it panics.
func Random(rt *freerun.Runtime) *rand.Rand {
	random, ok := inputs.Load(rt)
	if !ok {
		panic("freeruntest: Random of a runtime that is not Explore's")
	}
	return random.(*rand.Rand)
}

// exploration is one call of Explore.
type exploration struct {
	t       testing.TB
	body    func(rt *freerun.Runtime)
	verbose bool
	tried   int // schedules, this one included; 0 if only one is to be run
	settings
}

// run runs the body under the schedule of one seed. All that happens follows from the seed: nothing is handed on from run to run, so that it
// can be repeated alone.
func (x *exploration) run(seed uint64) {
	x.t.Helper()
	random := rand.New(rand.NewPCG(seed, 0x5eed))
	n := x.processors
	if n == 0 {
		n = 1 + random.IntN(mostVirtual)
	}
	schedule := newSchedule(random, seed%2 == 1, n)
	if x.verbose {
		schedule.log = func(processor int, operation string) { x.t.Logf("processor %d: %s", processor, operation) }
	}
	rt := freerun.New(freerun.Processors(n), freerun.DeterministicBy(schedule), freerun.Logger(slog.New(slog.DiscardHandler)))
	inputs.Store(rt, rand.New(rand.NewPCG(seed, 0x1274)))
	defer inputs.Delete(rt)
	finished := false
	defer func() {
		if !finished { // by a panic, which goes on, or by t.FailNow
			rt.Close()
		}
		if !finished || x.t.Failed() {
			x.t.Logf("freeruntest: %s%s; to run it again: %s=%d go test -run '^%s$'", schedule.describe(seed, n), x.tries(), Seed, seed, x.t.Name())
		}
	}()
	x.body(rt)
	if err := rt.Shutdown(x.t.Context()); err != nil {
		x.t.Errorf("freeruntest: after the body: %v", err)
	}
	finished = true
}

// tries tells how many schedules were tried.
func (x *exploration) tries() string {
	if x.tried == 0 {
		return ""
	}
	return fmt.Sprintf(", number %d of the %d to be tried", x.tried, x.runs)
}

func (s *schedule) describe(seed uint64, processors int) string {
	kind := "random"
	if s.priorities != nil {
		kind = "by priorities"
	}
	return fmt.Sprintf("failed under the schedule of seed %d, %s, %d processors", seed, kind, processors)
}
