package partition

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/logsim"
	"github.com/freerun-go/freerun/internal/vclock"
)

// sim is one run of the protocol in virtual time: machines that share a simulated engine, and what
// goes wrong. All of it follows from the seed.
type sim struct {
	random                *rand.Rand
	rates                 rates
	flaw                  flaw
	now                   time.Duration
	clock                 *vclock.Clock
	began                 time.Time
	store                 *logsim.Store
	truth                 *truth
	nodes                 []*node // those that live
	names                 int
	clients               []*client
	mostUnder, mostQueued int
	removed               int  // records of units that were forgotten
	calm                  bool // nothing goes wrong any more
	said                  []string
	log                   func(format string, args ...any) // nil in most runs
}

// rates are the probabilities of faults.
type rates struct {
	logsim.Faults
	unheard                  float64 // of a message between machines
	crash, pause, cut, leave float64 // of a machine, each second
	long                     float64 // of a pause: it is longer than closeAfter
	panics                   float64 // of an operation
}

// drawRates draws the rates of a run. Source: A. Groce and others, Swarm testing, 2012.
func drawRates(random *rand.Rand) rates {
	draw := func(rate float64) float64 { return rate * [...]float64{0, 1, 1, 4}[random.IntN(4)] }
	return rates{
		Faults: logsim.Faults{Lost: draw(0.02), Dropped: draw(0.02), Late: draw(0.02), Twice: draw(0.01), Slow: draw(0.01)}, unheard: draw(0.05),
		crash: draw(0.1), pause: draw(0.1), cut: draw(0.1), leave: draw(0.05), long: draw(0.05), panics: draw(0.1),
	}
}

// after has f happen after a while.
func (s *sim) after(d time.Duration, f func()) {
	s.clock.AfterFunc(d, func() {
		s.now = s.clock.Now().Sub(s.began)
		f()
	})
}

// After implements [logsim.World].
func (s *sim) After(d time.Duration, f func()) { s.after(d, f) }

// Now implements [logsim.World].
func (s *sim) Now() time.Duration { return s.now }

// Random implements [logsim.World].
func (s *sim) Random() *rand.Rand { return s.random }

// Happens implements [logsim.World].
func (s *sim) Happens(rate float64) bool { return s.happens(rate) }

// until runs the events up to an instant.
func (s *sim) until(end time.Duration) {
	over := false
	s.after(end-s.now, func() { over = true })
	for !over {
		s.clock.Advance()
	}
}

// happens draws whether something of a rate happens.
func (s *sim) happens(rate float64) bool { return s.random.Float64() < rate && !s.calm }

// delay draws a time up to most.
func (s *sim) delay(most time.Duration) time.Duration {
	return time.Duration(s.random.Int64N(int64(most))) + 1
}

func (s *sim) errorf(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf("at %v: ", s.now)+fmt.Sprintf(format, args...))
	s.logf("WRONG: "+format, args...)
}

func (s *sim) logf(format string, args ...any) {
	if s.log != nil {
		s.log("%12v "+format, append([]any{s.now}, args...)...)
	}
}
