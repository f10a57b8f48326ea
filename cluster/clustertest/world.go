package clustertest

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/freerun-go/freerun/internal/simhost"
)

// world is the schedule of a life, its clock, and what may end it in the middle. A step of the
// program takes some microseconds, so that writes end and timers fire while operations run.
type world struct {
	*simhost.Drawn
	simhost.Unmoved
	life    *life
	random  *rand.Rand
	now     time.Duration // since the first life began
	steps   int
	crashes planned
	jumps   planned
	jump    time.Duration
	refused error
	after   func(d time.Duration, f func())
	crash   func()
}

var _ simhost.World = (*world)(nil)

const (
	mostStep  = 20 * time.Microsecond // takes a step
	mostSteps = 1 << 21               // of a life, which takes some seconds with so many
)

// newWorld returns the world of a life, which begins at an instant.
func newWorld(l *life, random *rand.Rand, processors int, now time.Duration) *world {
	w := &world{life: l, random: random, now: now}
	w.Drawn = simhost.Draw(random, random.IntN(2) == 0, processors)
	w.Log = l.sim.trace.begins
	if of, random, does := l.sim.decide(crash); does {
		w.crashes = planned{of, drawStep(random)}
	}
	if of, random, does := l.sim.decide(clockJump); does {
		w.jumps, w.jump = planned{of, drawStep(random)}, upTo(random, mostJump)
	}
	return w
}

// planned is a fault that is to come at a step of a life; step 0 is none.
type planned struct {
	of   decision
	step int
}

const mostJump = 30 * 24 * time.Hour

// drawStep draws a step of a life, whose number of steps is not known before.
func drawStep(random *rand.Rand) int { return 1 + random.IntN(32<<(2*random.IntN(6))) }

// Choose implements [simhost.Schedule].
func (w *world) Choose(ready []int) int {
	w.steps++
	w.now += time.Duration(1 + w.random.Int64N(int64(mostStep)))
	switch w.steps {
	case mostSteps:
		w.life.sim.Errorf("life %d has taken %d steps, at %v: it does not come to its end, or sends too much for a simulation", w.life.number, w.steps, w.life.rt.Now())
		w.life.crash()
	case w.crashes.step:
		w.life.sim.note(w.crashes.of, "the process crashes at step %d", w.steps)
		w.life.crash()
	case w.jumps.step:
		w.now += w.jump
		w.life.sim.note(w.jumps.of, "the clock jumps ahead by %v at step %d", w.jump, w.steps)
	}
	return w.Drawn.Choose(ready)
}

// Now implements [simhost.Timed].
func (w *world) Now() time.Duration { return w.now }

// Idle implements [simhost.Timed].
func (w *world) Idle(until time.Duration) { w.now = max(w.now, until) }

// Refuse implements [simhost.Timed].
func (w *world) Refuse(why error) { w.refused = cmp.Or(w.refused, why) }

// Surround implements [simhost.World].
func (w *world) Surround(after func(d time.Duration, f func()), crash func()) {
	w.after, w.crash = after, crash
}
