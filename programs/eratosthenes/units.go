package eratosthenes

import (
	"context"
	"errors"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// link is the state of a unit: a sieve, and its place in the chain. The source of the numbers is
// one too, before the first sieve.
type link struct {
	sieve
	self   *freerun.Unit[*link]
	before *freerun.Unit[*link] // nil at the source
	next   *freerun.Unit[*link] // nil until there is a number for it
	after  *link                // the state of next

	buffer int // numbers that may wait before each sieve
	credit int // numbers that next may be given before it asks for more
	taken  int // numbers taken since more were asked for
	// Numbers that came while there was no credit: those that wait, at most buffer.
	waiting      []int
	first, count int

	from, to int // the numbers that the source has left to give, without the last
}

// The operations send each other, so they get their functions below.
var (
	// give gives a number to a sieve.
	give = freerun.Op[*link, int, struct{}]("give", nil)
	// ask tells the link before that so many numbers more may be given.
	ask = freerun.Op[*link, int, struct{}]("ask", nil)
)

var _ = freerun.Define(give, freerun.NoResult(func(c *freerun.Context, at **link, number int) error {
	l := *at
	if l.stalled() {
		return l.keep(number)
	}
	return l.take(c, number)
}))

var _ = freerun.Define(ask, freerun.NoResult(func(c *freerun.Context, at **link, more int) error {
	l := *at
	l.credit += more
	for l.count > 0 && !l.stalled() {
		number := l.waiting[l.first]
		l.first, l.count = (l.first+1)%l.buffer, l.count-1
		if err := l.take(c, number); err != nil {
			return err
		}
	}
	for ; l.from < l.to && !l.stalled(); l.from++ {
		if err := l.pass(c, l.from); err != nil {
			return err
		}
	}
	return nil
}))

// stalled reports whether a number has to wait, as one that passes could not go on.
func (l *link) stalled() bool { return l.next != nil && l.credit == 0 }

// keep has a number wait.
func (l *link) keep(number int) error {
	if l.waiting == nil {
		l.waiting = make([]int, l.buffer)
	}
	if l.count == l.buffer {
		return errors.New("eratosthenes: more numbers wait before a sieve than may")
	}
	l.waiting[(l.first+l.count)%l.buffer] = number
	l.count++
	return nil
}

// take takes a number, and asks for more when half of the numbers that may wait have been taken.
func (l *link) take(c *freerun.Context, number int) error {
	if l.taken++; l.taken == (l.buffer+1)/2 {
		if err := ask.Tell(c, l.before, l.taken); err != nil {
			return err
		}
		l.taken = 0
	}
	if l.prime == 0 {
		l.sieve = sieve{prime: number, given: 1}
		return nil
	}
	if !l.passes(number) {
		return nil
	}
	return l.pass(c, number)
}

// pass gives a number to the next sieve, and makes that first if need be.
func (l *link) pass(c *freerun.Context, number int) error {
	if l.next == nil {
		l.after = &link{before: l.self, buffer: l.buffer}
		l.after.self = freerun.NewUnit(c.Runtime(), l.after)
		l.next, l.credit = l.after.self, l.buffer
	}
	l.credit--
	return give.Tell(c, l.next, number)
}

// sift has a chain of units take the numbers up to size, waits until nothing is left to do, and
// returns the first sieve.
func sift(rt *freerun.Runtime, size, buffer int) (*link, error) {
	source := &link{buffer: buffer, from: 2, to: size + 1}
	source.self = freerun.NewUnit(rt, source)
	if err := ask.Tell(rt.Context(), source.self, 0); err != nil {
		return nil, err
	}
	err := rt.Quiesce(context.Background())
	return source.after, err
}

// runUnits adds up what the sieves have. A lost message would be missing in the checksum.
func runUnits(cfg programs.Config) (programs.Result, error) {
	return programs.OnRuntime(cfg, func(rt *freerun.Runtime) (programs.Result, error) {
		meter := programs.StartMeter()
		first, err := sift(rt, cfg.Values.Get(programs.Size), cfg.Values.Get(paramBuffer))
		result := meter.Stop(0)
		var found tally
		for l := first; l != nil; l = l.after {
			found.add(l.sieve)
		}
		result.Operations, result.Checksum = found.given, found.String()
		return result, err
	})
}
