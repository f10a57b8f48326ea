package clustertest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/freeruntest"
)

// Simulations is the environment variable with the number of schedules that each [Run] tries, in
// place of what its options say. [freeruntest.Seed] has [Run] try the schedule of one seed alone,
// and log what happens in it.
const Simulations = "FREERUN_SIMULATIONS"

// Options are the settings of [Run]. The zero value has the defaults.
type Options struct {
	// Seeds is the number of schedules: 500 by default, and 50 with -short.
	Seeds int
	// Lives is the most lives that [Sim.Lives] has: 3 by default.
	Lives int
	// Faults are the rates of what goes wrong: nil for those of [DefaultFaults].
	Faults *Faults
	// Runtime has further options of the runtimes.
	Runtime []freerun.Option

	conduct func() conduct // of each disk; nil for sound ones
}

const (
	usualSeeds = 500
	shortSeeds = 50
	usualLives = 3
)

// search is one call of Run.
type search struct {
	t       testing.TB
	options Options
	rates   [kinds]float64
	body    func(s *Sim)
	failed  bool // before
}

// failedOutside reports whether the program has failed the test itself.
func (x *search) failedOutside() bool { return x.t.Failed() && !x.failed }

// Run runs a program with durable units under many schedules: the program lives and dies, and lives
// again, on a simulated disk and in virtual time, and things go wrong. body runs it once: it goes
// through its lives ([Sim.Lives]), and looks in the last one ([Sim.Last]) whether all is as it must
// be.
//
// When body has failed under a schedule, Run makes the run smaller, as long as it fails: it leaves
// out faults, lives, and what [Sim.Count] counts. Then it fails t, with what the smallest run has
// said, its faults, and the command that repeats it. A panic of body is a failure. If a seed does
// not repeat its run, t fails, too: Run looks once, and says what has differed first.
//
// Run panics if options are negative, or a rate is no probability. It waits, and takes some
// milliseconds for a schedule of some 30 messages.
func Run(t testing.TB, options Options, body func(s *Sim)) {
	t.Helper()
	if body == nil {
		panic("clustertest: Run with a nil function")
	}
	x := newSearch(t, options, body)
	if text, given := os.LookupEnv(freeruntest.Seed); given {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("clustertest: %s is no seed: %v", freeruntest.Seed, err)
		}
		x.try(seed, true)
		return
	}
	if text, given := os.LookupEnv(Simulations); given {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("clustertest: %s is %q; it needs a number of schedules, at least 1", Simulations, text)
		}
		x.options.Seeds = n
	}
	for seed := range uint64(x.options.Seeds) {
		if !x.try(seed, false) {
			return
		}
		if seed == 0 && !x.repeats(seed) {
			return
		}
	}
}

func newSearch(t testing.TB, o Options, body func(s *Sim)) *search {
	if o.Seeds < 0 || o.Lives < 0 {
		panic(fmt.Sprintf("clustertest: Options with %d seeds and %d lives; they must not be below 0", o.Seeds, o.Lives))
	}
	if o.Seeds == 0 {
		o.Seeds = usualSeeds
		if testing.Short() {
			o.Seeds = shortSeeds
		}
	}
	if o.Lives == 0 {
		o.Lives = usualLives
	}
	f := DefaultFaults()
	if o.Faults != nil {
		f = *o.Faults
	}
	return &search{t: t, options: o, rates: f.rates(), body: body, failed: t.Failed()}
}

// try runs the schedule of a seed. If it fails, it makes it smaller, reports it, and returns false.
func (x *search) try(seed uint64, verbose bool) (well bool) {
	x.t.Helper()
	s := x.run(seed, &plan{}, false)
	if x.failedOutside() && !s.recorder.failed { // the program has told the test itself
		x.report(s)
		return false
	}
	if !s.recorder.failed {
		if verbose {
			x.log(x.run(seed, &plan{}, true))
		}
		return true
	}
	s = x.shrink(s)
	if verbose {
		x.log(x.run(seed, s.plan, true))
	}
	x.report(s)
	return false
}

// run runs the program once, on a goroutine of its own, which body may end.
func (x *search) run(seed uint64, p *plan, keeps bool) *Sim {
	r := &recorder{TB: x.t}
	s := &Sim{
		TB: r, recorder: r, runtime: x.options.Runtime, disk: &disk{conduct: sound{}, entries: map[string][]byte{}}, trace: trace{keeps: keeps}, most: x.options.Lives,
		decisions: decisions{seed: seed, rates: swarm(seed, x.rates), plan: p}, random: rand.New(rand.NewPCG(seed, 0x1274)),
	}
	s.disk.sim = s
	if x.options.conduct != nil {
		s.disk.conduct = x.options.conduct()
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		returned := false
		defer func() {
			switch value := recover(); {
			case value != nil:
				r.said = append(r.said, fmt.Sprintf("panic: %v\n%s", value, debug.Stack()))
			case returned || r.failed || r.skipped || x.failedOutside():
				return
			default:
				r.said = append(r.said, "the program has called runtime.Goexit")
			}
			r.failed = true
		}()
		defer r.clean()
		s.run(x.body)
		returned = true
	}()
	<-ended
	return s
}

// repeats reports whether a seed repeats its run.
func (x *search) repeats(seed uint64) bool {
	x.t.Helper()
	one, two := x.run(seed, &plan{}, true), x.run(seed, &plan{}, true)
	if one.trace.sum == two.trace.sum {
		return true
	}
	x.t.Errorf("clustertest: the schedule of seed %d does not repeat its run, so what is found cannot be found again: %s\n"+
		"The program must draw from Sim.Random alone, read the time of the runtime alone, start no goroutines that send, depend on no order of a map, and keep nothing between two runs.",
		seed, one.trace.difference(&two.trace))
	return false
}

// log logs what has happened in a run.
func (x *search) log(s *Sim) {
	x.t.Helper()
	x.t.Logf("clustertest: what happens under the schedule of seed %d:\n\t%s", s.seed, strings.Join(s.trace.lines, "\n\t"))
}

// report fails the test with a run.
func (x *search) report(s *Sim) {
	x.t.Helper()
	for _, text := range s.recorder.said {
		x.t.Log(text)
	}
	var faults strings.Builder
	for _, f := range s.faults {
		fmt.Fprintf(&faults, "\n\t%v", f)
	}
	x.t.Errorf("clustertest: failed under the schedule of seed %d, in life %d, with %d faults; to run it again: %s=%d go test -run '^%s$'%s",
		s.seed, s.number, len(s.faults), freeruntest.Seed, s.seed, x.t.Name(), faults.String())
}
