package explore

import "github.com/freerun-go/freerun/internal/verify/memory"

// stopping is a strategy that stops one thread for good after a number of its steps. It leaves the
// other choices to the strategy that it wraps.
type stopping struct {
	strategy
	machine *machine
	thread  int
	after   int // number of steps after which the thread is stopped
	made    int
}

func (f *stopping) choose(s *situation) int {
	if f.made >= f.after && f.machine.threads[f.thread].running && !f.machine.stopped.has(f.thread) {
		f.machine.stop(f.thread)
		if s.enabled = s.enabled.without(f.thread).without(f.thread + memory.MaxThreads); s.enabled == 0 {
			return -1
		}
	}
	return f.strategy.choose(s)
}

func (f *stopping) did(s *situation, p int) {
	if p == f.thread {
		f.made++
	}
	f.strategy.did(s, p)
}

// first is a strategy that runs one thread as long as it can go on, and then the others.
type first struct{ thread int }

func (f first) choose(s *situation) int {
	if s.enabled.has(f.thread) {
		return f.thread
	}
	return s.usual()
}

func (first) did(*situation, int) {}

func (first) buffered(int, int) {}
