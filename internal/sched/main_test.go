package sched

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// job is the task of the tests: a function, and counts of what happened to it.
type job struct {
	Task
	do        func(p *Processor)
	ran       atomic.Int32
	stolen    atomic.Int32
	discarded atomic.Int32
}

var jobKind = &Kind{
	Run: func(p *Processor, t *Task) {
		j := jobOf(t)
		j.ran.Add(1)
		j.do(p)
	},
	Stolen:  func(t *Task) { jobOf(t).stolen.Add(1) },
	Discard: func(t *Task) { jobOf(t).discarded.Add(1) },
}

func jobOf(t *Task) *job { return (*job)(unsafe.Pointer(t)) }

func newJob(do func(p *Processor)) *job { return &job{Task: Task{Kind: jobKind}, do: do} }

func nop(*Processor) {}

// patience is how long a test waits for an event before it reports a hang. No test asserts on
// time.
const patience = time.Minute

// started returns a running scheduler. It is stopped when the test ends, and all its processors
// must end then.
func started(t *testing.T, processors int) *Scheduler {
	t.Helper()
	s := New(Config{Processors: processors})
	s.Start()
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Scheduler) {
	t.Helper()
	if t.Failed() {
		s.Stop(time.After(time.Second)) // it may hang for the reason that the test failed for
		return
	}
	if stuck := s.Stop(time.After(patience)); len(stuck) > 0 {
		hang(t, "the end of the processors")
	}
}

// await waits until c is closed or sent to.
func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c:
	case <-timer.C:
		hang(t, what)
	}
}

// until polls until cond holds.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !cond(); {
		if time.Now().After(deadline) {
			hang(t, what)
		}
		time.Sleep(20 * time.Microsecond)
	}
}

func hang(t *testing.T, what string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	t.Fatalf("waited too long for %s\n%s", what, stacks[:runtime.Stack(stacks, true)])
}

// parkedAll reports whether all processors sleep: none is awake in the census, and each has its
// flag up.
func (s *Scheduler) parkedAll() bool {
	up := 0
	for i := range s.all() {
		up += int(s.parked.word(i).Load() >> (i % 64) & 1)
	}
	return s.census.awake() == 0 && up == servingIn(s.census.word.Load()) && !s.hasWork()
}

func awaitParked(t *testing.T, s *Scheduler) {
	t.Helper()
	until(t, "all processors to park", s.parkedAll)
}
