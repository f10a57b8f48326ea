package clustertest

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Faults are the rates of what goes wrong: each is the probability, from 0 to 1, that one of the
// things it names goes wrong. Where and for how long is drawn, too. All follows from the seed.
//
// A schedule has each rate below 1 as it is, or none of the fault, or eight times the rate: so in
// some schedules much of one sort goes wrong, and little else.
type Faults struct {
	// Crash is for lives: the process ends in the middle, at some step. Of the writes that were
	// begun, those up to some point are on the disk, and no later ones.
	Crash float64
	// Kill is for lives that come to the end of their function: the process ends there, as at a
	// crash. Other lives end with Shutdown and Close.
	Kill float64
	// CrashAtWrite is for writes of the disk: the process ends before the outcome is known. What
	// was to be written may be there.
	CrashAtWrite float64
	// LateWrite is for writes: it takes up to 3 seconds, and others not longer than 2 ms.
	LateWrite float64
	// NoSpace is for writes: the disk is full for up to 2 seconds (cluster.ErrNoSpace).
	NoSpace float64
	// DiskError is for writes: the store stops (cluster.ErrStopped) until the next life. What was
	// to be written may be there.
	DiskError float64
	// LateRead is for reads of a record: it takes up to 2 seconds.
	LateRead float64
	// FailedRead is for reads of a record: the unit cannot be made active.
	FailedRead float64
	// ClockJump is for lives, and for the time between two: the clock jumps ahead by up to 30 days.
	ClockJump float64
}

// DefaultFaults returns the faults of a Run that says nothing else.
func DefaultFaults() Faults {
	return Faults{
		Crash: 0.5, Kill: 0.5, CrashAtWrite: 0.01, LateWrite: 0.05, NoSpace: 0.02, DiskError: 0.003,
		LateRead: 0.1, FailedRead: 0.02, ClockJump: 0.1,
	}
}

// A kind is a kind of decision. Those behind clockJump are no faults.
type kind int

const (
	crash kind = iota
	kill
	crashAtWrite
	lateWrite
	noSpace
	diskError
	lateRead
	failedRead
	clockJump
	writeTime
	readTime
	crashPoint
	kinds
)

var kindNames = [...]string{
	"crash", "kill", "crash at a write", "late write", "full disk", "disk error", "late read", "failed read", "clock jump",
}

// rates returns the rates by kind, and panics if one is no probability.
func (f Faults) rates() (r [kinds]float64) {
	copy(r[:], []float64{f.Crash, f.Kill, f.CrashAtWrite, f.LateWrite, f.NoSpace, f.DiskError, f.LateRead, f.FailedRead, f.ClockJump})
	for k, rate := range r {
		if !(rate >= 0 && rate <= 1) {
			panic(fmt.Sprintf("clustertest: the rate of a fault (%s) is %v; it is a probability, from 0 to 1", kindNames[k], rate))
		}
	}
	return r
}

// swarm returns the rates of one schedule. Source: A. Groce, C. Zhang, E. Eide, Y. Chen and
// J. Regehr, Swarm testing, ISSTA 2012: runs that leave features out find more than runs that have
// a little of each.
func swarm(seed uint64, rates [kinds]float64) [kinds]float64 {
	random := rand.New(rand.NewPCG(seed, 0x57a4))
	for k, rate := range rates {
		if factor := [...]float64{0, 1, 1, 8}[random.IntN(4)]; rate < 1 {
			rates[k] = min(1, rate*factor)
		}
	}
	return rates
}

// decision names the nth decision of a kind in a run.
type decision struct {
	kind kind
	nth  int
}

// fault is a decision that something goes wrong.
type fault struct {
	decision
	life int
	at   time.Time // virtual time
	what string
}

func (f fault) String() string {
	return fmt.Sprintf("life %d, at %s: %s", f.life, f.at.Format("2006-01-02 15:04:05.000000"), f.what)
}

// decisions decides what goes wrong in a run. What it draws for a decision follows from the seed,
// the kind and the number of the decision, and from no other one: without one fault the others of
// its run are as they were, as far as they are reached.
type decisions struct {
	seed  uint64
	rates [kinds]float64
	plan  *plan
	made  [kinds]int
	quiet bool // nothing goes wrong any more
}

// decide makes the next decision of a kind: whether it goes wrong. random draws what else there is
// to be decided.
func (d *decisions) decide(k kind) (of decision, random *rand.Rand, wrong bool) {
	of = decision{k, d.made[k]}
	d.made[k]++
	random = rand.New(rand.NewPCG(d.seed^0x9e3779b97f4a7c15, uint64(k)<<32|uint64(of.nth)))
	wrong = random.Float64() < d.rates[k]
	return of, random, wrong && !d.quiet && !d.plan.isOff(of)
}

// upTo draws a duration that is not longer than most: all orders of magnitude are alike.
func upTo(random *rand.Rand, most time.Duration) time.Duration {
	for random.IntN(3) > 0 && most > 10*time.Microsecond {
		most /= 10
	}
	return time.Duration(random.Int64N(int64(most))) + 1
}
