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
	"github.com/freerun-go/freerun/internal/simhost"
)

// Seed is the environment variable with a schedule's seed. If it is set, [Explore] runs that
// schedule only and logs the order of operations.
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

// Runs sets the number of schedules. The default is 500, and 50 with -short. It panics if n is less
// than 1.
func Runs(n int) Option {
	if n < 1 {
		panic("freeruntest: Runs needs at least 1")
	}
	return Option{func(s *settings) { s.runs = n }}
}

// Processors sets the number of processors of each runtime. By default it is drawn anew for each
// run, from 1 to 4. It panics if n is less than 1.
func Processors(n int) Option {
	if n < 1 {
		panic("freeruntest: Processors needs at least 1")
	}
	return Option{func(s *settings) { s.processors = n }}
}

// Explore runs body under many schedules, each in a new runtime, until the test fails under one.
// Then it prints the seed of that schedule and how many schedules it has tried.
//
// When the body returns, Explore shuts the runtime down, which runs what is left to run. What
// cannot run is an error of the test. A deadlock is [freerun.ErrStalled], returned by the call that
// waits in the body or by the shutdown; its text names all that wait, where, and for what. A run
// that has not come to its end shortly before the deadline of the test ends with such an error, too
// ([testing.T.Deadline]).
//
// The body runs on the caller's goroutine, so it may call t.Fatal. With the environment variable
// FREERUN_SEED Explore runs only the schedule of that seed and logs the order of operations.
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

// inputs holds the source of random numbers of each runtime that is being explored, for Random.
var inputs sync.Map // *freerun.Runtime → *rand.Rand

// Random returns a source of random numbers that follow from the seed of the schedule. A body draws
// from it what it chooses at random: inputs, sizes, the order of its calls. With a source of its
// own the body would not repeat itself when a schedule is repeated. Random panics for a runtime
// that no Explore has made, and after the body has returned.
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
	// tried counts the schedules up to now, with the current one; it is 0 if FREERUN_SEED names the
	// only one.
	tried int
	settings
}

// run runs the body under the schedule of one seed. Everything follows from the seed and nothing
// from earlier runs, so that a run can be repeated alone.
func (x *exploration) run(seed uint64) {
	x.t.Helper()
	random := rand.New(rand.NewPCG(seed, 0x5eed))
	n := x.processors
	if n == 0 {
		n = 1 + random.IntN(mostVirtual)
	}
	schedule := simhost.Draw(random, seed%2 == 1, n)
	if x.verbose {
		schedule.Log = func(processor int, operation string) { x.t.Logf("processor %d: %s", processor, operation) }
	}
	bounded := &limited{Drawn: schedule}
	said := describe(schedule, seed, n) + x.tries() + "; to run it again: "
	rt := freerun.New(freerun.Processors(n), simhost.Option[freerun.Option](bounded), freerun.Logger(slog.New(slog.DiscardHandler)))
	inputs.Store(rt, rand.New(rand.NewPCG(seed, 0x1274)))
	defer inputs.Delete(rt)
	defer x.watch(bounded, func() string { return "runs " + said + again(x.t, seed) })()
	finished := false
	defer func() {
		// Without finished, the body has panicked, and the panic goes on; or it has called FailNow
		// of t.
		if !finished {
			rt.Close()
		}
		if !finished || x.t.Failed() {
			x.t.Logf("freeruntest: failed %s%s", said, again(x.t, seed))
		}
	}()
	x.body(rt)
	if err := rt.Shutdown(x.t.Context()); err != nil {
		x.t.Errorf("freeruntest: after the body: %v", err)
	}
	finished = true
}

// tries says how many schedules were tried.
func (x *exploration) tries() string {
	if x.tried == 0 {
		return ""
	}
	return fmt.Sprintf(", number %d of the %d to be tried", x.tried, x.runs)
}

func describe(s *simhost.Drawn, seed uint64, processors int) string {
	kind := "random"
	if s.ByPriority() {
		kind = "by priorities"
	}
	return fmt.Sprintf("under the schedule of seed %d, %s, %d processors", seed, kind, processors)
}
