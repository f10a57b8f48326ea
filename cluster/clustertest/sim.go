package clustertest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// Sim is one run of a program, life after life, under a schedule. It is the [testing.TB] of the
// run: what it is told counts for this run, and the test's own says it once the run has become as
// small as it gets. Only the goroutine that calls the function of [Run] may use it.
type Sim struct {
	testing.TB
	decisions
	runtime  []freerun.Option
	disk     *disk
	trace    trace
	faults   []fault
	random   *rand.Rand
	most     int // lives
	number   int // of the life
	steps    int // of all lives that have ended
	life     *life
	last     *life
	now      time.Duration // since the first life began
	recorder *recorder
}

// note notes that something goes wrong.
func (s *Sim) note(of decision, format string, args ...any) {
	f := fault{decision: of, life: s.number, at: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(s.now), what: fmt.Sprintf(format, args...)}
	if s.life != nil {
		f.at = f.at.Add(s.life.world.now - s.now)
	}
	s.faults = append(s.faults, f)
	s.trace.event(f.what)
}

// Random returns the source of what the program chooses at random. It follows from the seed.
func (s *Sim) Random() *rand.Rand { return s.random }

// Count draws a number from 1 to most, as for the messages that a life sends. When a run that has
// failed is made smaller, small numbers are tried. It panics if most is less than 1.
func (s *Sim) Count(most int) int {
	if most < 1 {
		panic(fmt.Sprintf("clustertest: Count of at most %d; it needs at least 1", most))
	}
	n := 1 + s.random.IntN(most)
	if s.plan.count > 0 {
		n = min(n, s.plan.count)
	}
	return n
}

// Lives goes through lives of the program, drawn how many: each has a new runtime, which has joined
// the same store. The function sends, and waits for what it likes to wait for; when it returns, the
// life ends, with Shutdown and Close or with a kill.
//
// A life may crash before. Then each wait of the function fails with [freerun.ErrClosed], and so
// does what it sends; it is to return. A message of the life whose outcome is known has had its
// effect, and one that has failed with another error than [freerun.ErrClosed] and
// [cluster.ErrStopped] has had none. Of the others the next life shows it.
func (s *Sim) Lives() iter.Seq2[*freerun.Runtime, *cluster.Node] {
	return func(yield func(*freerun.Runtime, *cluster.Node) bool) {
		n := 1 + s.random.IntN(s.most)
		if s.plan.lives > 0 {
			n = min(n, s.plan.lives)
		}
		for range n {
			if !s.live(yield) {
				return
			}
		}
	}
}

func (s *Sim) live(yield func(*freerun.Runtime, *cluster.Node) bool) (goesOn bool) {
	l, over := s.begin(), false
	defer func() {
		if !over {
			l.drop()
		}
	}()
	goesOn = yield(l.rt, l.node)
	over = true
	l.finish()
	return goesOn
}

// mayBegin fails the run if a life must not begin.
func (s *Sim) mayBegin() {
	s.Helper()
	switch {
	case s.last != nil:
		s.Fatal("clustertest: a life begins after Last")
	case s.life != nil:
		s.Fatal("clustertest: a life begins in another one")
	}
}

// Last begins the last life, in which nothing goes wrong, and returns its runtime and its node once
// all that was told to durable units has had its effect, or is a recorded failure
// ([cluster.Node.Failures]). If an operation ends the process ([Crash]), Last begins another life.
// The run fails if something told does not come. The program looks there at what is left of the
// lives before. Timers go on meanwhile: those that were due before may tell while it looks, unless
// it waits for a while ([freerun.After]). The life ends when the function of [Run] returns.
func (s *Sim) Last() (*freerun.Runtime, *cluster.Node) {
	s.Helper()
	s.quiet = true
	for range mostLast {
		l := s.begin()
		err := s.settle(l)
		switch {
		case err == nil:
			s.last = l
			return l.rt, l.node
		case !l.crashed:
			l.drop()
			s.Fatalf("clustertest: %v", err)
		}
		l.drop()
		if s.Failed() {
			s.FailNow()
		}
	}
	s.Fatalf("clustertest: operations have ended the last life %d times, and these messages are left: %q", mostLast, s.disk.left())
	return nil, nil
}

const (
	// mostLast is how often the last life may be ended by operations. One that is told, and ends
	// its process, ends two or three.
	mostLast = 1000
	// mostRests is how often Last lets a second pass. What cannot be delivered is tried each 10
	// seconds.
	mostRests = 100
)

// settle waits until nothing is left that was told.
func (s *Sim) settle(l *life) error {
	for range mostRests {
		if err := l.rt.Quiesce(context.Background()); err != nil {
			return fmt.Errorf("the last life does not come to rest: %w", err)
		}
		if len(s.disk.left()) == 0 {
			return nil
		}
		if _, err := freerun.After(l.rt.Context(), time.Second).Wait(context.Background()); err != nil {
			return fmt.Errorf("the last life does not come to rest: %w", err)
		}
	}
	return fmt.Errorf("in the last life these messages to durable units do not come: %q", s.disk.left())
}

// run runs the function of the program.
func (s *Sim) run(body func(s *Sim)) {
	over := false
	defer func() {
		if s.last != nil && !over {
			s.last.drop()
		}
	}()
	body(s)
	over = true
	if s.last != nil && s.life == s.last {
		s.last.finish()
	}
}
