package explore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/memory"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// Unbounded is the number of preemptions that explores all interleavings.
const Unbounded = -1

// enough is the number of executions at which an exhaustive search fails as too large for a test.
const enough = 20_000_000

// Failure describes an execution that went wrong.
type Failure struct {
	Err         error  // the error
	Schedule    string // the value of FREERUN_SCHEDULE that repeats it
	Trace       string // its steps, a line each
	Executions  int    // number of executions until it was found
	Preemptions int    // the bound under which it was found
}

// Error returns what was wrong, and the steps that led there.
func (f *Failure) Error() string { return f.Err.Error() + "\n" + f.Trace }

// outcome is the result of an exploration.
type outcome struct {
	failure    *Failure
	executions int
	attempts   int // executions, and those abandoned because they would have repeated others
	steps      int
	complete   bool // no bound left anything out
}

// search runs all executions with at most the given number of preemptions: first those with none,
// then those with one, and so on up to the given number; without a bound, those with none, those
// with one, and then all. So a failure is found with few preemptions.
func search(preemptions int, body func(*Run)) (outcome, error) {
	bounds := []int{0, 1, Unbounded}
	if preemptions >= 0 {
		bounds = bounds[:0]
		for b := range preemptions + 1 {
			bounds = append(bounds, b)
		}
	}
	m := &machine{body: body}
	defer m.end()
	var o outcome
	for _, bound := range bounds {
		t := &tree{bound: bound}
		m.buffers = bound < 0
		for again := true; again; again = t.advance() {
			t.begin()
			err := m.execute(t)
			o.attempts++
			switch {
			case t.differs:
				return o, errors.New("explore: the body does not do the same each time: something in it depends on chance, time or what came before")
			case errors.Is(err, errAbandoned):
			case err != nil:
				o.executions, o.steps = o.executions+1, m.steps
				o.failure = m.explain(err)
				o.failure.Executions, o.failure.Preemptions = o.executions, bound
				return o, nil
			default:
				o.executions++
			}
			if o.attempts > enough {
				return o, fmt.Errorf("explore: more than %d executions: the body is too large, or the bound", enough)
			}
		}
		if o.complete = !t.cut; o.complete && preemptions >= 0 {
			break
		}
	}
	o.steps = m.steps
	return o, nil
}

// explain repeats the execution that failed, with a trace.
func (m *machine) explain(err error) *Failure {
	path := slices.Clone(m.path)
	m.trace = &trace{}
	memory.Tracing = true
	defer func() { memory.Tracing, m.trace = false, nil }()
	if second := m.execute(&given{machine: m, path: path}); second != nil && !errors.Is(second, errAbandoned) {
		err = second // the same, and it says where
	}
	schedule := encode(path)
	if m.buffers {
		schedule += buffers
	}
	return &Failure{Err: err, Schedule: schedule, Trace: m.trace.String()}
}

// buffers is the suffix of a schedule whose stores went through store buffers.
const buffers = "b"

// end ends the coroutines.
func (m *machine) end() {
	for _, w := range m.workers {
		w.job = nil
		w.stop()
	}
}

// Exhaustive explores all interleavings with at most the given number of preemptions ([Unbounded]
// for all) and fails the test at the first that is wrong. A preemption takes the processor from a
// thread that could go on and does not wait.
func Exhaustive(t testing.TB, preemptions int, body func(r *Run)) {
	t.Helper()
	if replayed(t, body) {
		return
	}
	if long() && preemptions >= 0 {
		preemptions++
	}
	o, err := search(preemptions, body)
	if err != nil {
		t.Fatal(err)
	}
	report(t, o, "exhaustive", extent(o, preemptions))
}

// Random runs a number of random executions and fails the test at the first that is wrong.
func Random(t testing.TB, executions int, body func(r *Run)) {
	t.Helper()
	if replayed(t, body) {
		return
	}
	if long() {
		executions *= 100
	}
	seed := seed(t)
	m := &machine{body: body, buffers: true}
	defer m.end()
	o := outcome{}
	for longest := 50; o.executions < executions && o.failure == nil; o.executions++ {
		random := rand.New(rand.NewPCG(seed, uint64(o.executions)))
		if err := m.execute(newLottery(random, longest)); err != nil {
			o.failure = m.explain(err)
			o.failure.Executions, o.failure.Preemptions = o.executions+1, Unbounded
		}
		longest = max(longest, len(m.path))
	}
	o.steps = m.steps
	report(t, o, "random", fmt.Sprintf("%d schedules", executions))
}

// Freeze stops each thread for good before each of its steps in turn, and fails the test if the
// other threads cannot end without it: they are not lock-free. Each stop is tried once with the
// thread running first, and then under random schedules.
func Freeze(t testing.TB, body func(r *Run)) {
	t.Helper()
	if replayed(t, body) {
		return
	}
	o := freeze(seed(t), body)
	report(t, o, "frozen", fmt.Sprintf("%d stops", o.executions))
}

// schedules is the number of random schedules that Freeze tries for each thread and step.
const schedules = 40

func freeze(seed uint64, body func(*Run)) (o outcome) {
	m := &machine{body: body, buffers: true}
	defer m.end()
	for thread := 0; thread == 0 || thread < len(m.threads); thread++ {
		for after := 0; ; after++ {
			stoppedOnce := false
			for try := range schedules + 1 {
				var base strategy = first{thread}
				if try > 0 {
					base = newLottery(rand.New(rand.NewPCG(seed, uint64(thread)<<32|uint64(after)<<16|uint64(try))), 50)
				}
				err := m.execute(&stopping{strategy: base, machine: m, thread: thread, after: after})
				stoppedOnce = stoppedOnce || m.stopped != 0
				o.executions++
				if err != nil {
					o.failure = m.explain(err)
					o.failure.Executions, o.steps = o.executions, m.steps
					return o
				}
			}
			if !stoppedOnce {
				break
			}
		}
	}
	o.steps = m.steps
	return o
}

// MustFail is for controls. It explores like [Exhaustive] and fails the test unless an execution
// goes wrong; it returns that failure.
func MustFail(t testing.TB, preemptions int, body func(r *Run)) *Failure {
	t.Helper()
	o, err := search(preemptions, body)
	if err != nil {
		t.Fatal(err)
	}
	return found(t, o)
}

// MustBlock is for controls. It explores like [Freeze] and fails the test unless a stopped thread
// holds up another.
func MustBlock(t testing.TB, body func(r *Run)) *Failure {
	t.Helper()
	return found(t, freeze(seed(t), body))
}

func found(t testing.TB, o outcome) *Failure {
	t.Helper()
	if o.failure == nil {
		t.Fatalf("nothing found in %d executions, though there is something to find", o.executions)
	}
	t.Logf("found after %d executions, as it should be: %v", o.executions, o.failure)
	record(t, o, "control", "found: "+firstLine(o.failure.Err))
	return o.failure
}

// report fails the test if there is a failure, and otherwise logs how much was explored.
func report(t testing.TB, o outcome, way, what string) {
	t.Helper()
	if f := o.failure; f != nil {
		t.Fatalf("execution %d is wrong: %v\nrepeat it: FREERUN_SCHEDULE=%s go test -tags explore -run '^%s$' .",
			f.Executions, f, f.Schedule, strings.ReplaceAll(t.Name(), "/", "$/^"))
	}
	t.Logf("%s: %d executions of %d steps in all, %s", way, o.executions, o.steps, what)
	record(t, o, way, what)
}

func extent(o outcome, preemptions int) string {
	switch {
	case o.complete && preemptions < 0:
		return "all interleavings"
	case o.complete:
		return "all interleavings, relaxed stores visible at once"
	}
	return fmt.Sprintf("all with at most %d preemptions", preemptions)
}

// replayed repeats the schedule in FREERUN_SCHEDULE, if there is one, and reports whether there
// was.
func replayed(t testing.TB, body func(*Run)) bool {
	t.Helper()
	schedule := os.Getenv("FREERUN_SCHEDULE")
	if schedule == "" {
		return false
	}
	path, err := decode(strings.TrimSuffix(schedule, buffers))
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{body: body, buffers: strings.HasSuffix(schedule, buffers)}
	defer m.end()
	m.trace = &trace{}
	memory.Tracing = true
	defer func() { memory.Tracing = false }()
	err = m.execute(&given{machine: m, path: path})
	switch {
	case errors.Is(err, errAbandoned):
		t.Logf("this body cannot follow the schedule:\n%v", m.trace)
	case err != nil:
		t.Errorf("%v\n%v", err, m.trace)
	default:
		t.Logf("nothing is wrong:\n%v", m.trace)
	}
	return true
}

// seed returns the seed of random schedules. It is 1, so that two runs differ by the change under
// test alone, unless FREERUN_EXPLORE or FREERUN_SEED asks for another.
func seed(t testing.TB) uint64 {
	if long() || os.Getenv("FREERUN_SEED") != "" {
		return replay.Seed(t)
	}
	return 1
}

// long reports whether FREERUN_EXPLORE asks for the long exploration.
func long() bool { return os.Getenv("FREERUN_EXPLORE") == "long" }

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
