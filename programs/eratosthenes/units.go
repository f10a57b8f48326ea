package eratosthenes

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// link is the state of a unit: a sieve and the next one, nil until there is a number for it.
type link struct {
	sieve
	next  *freerun.Unit[*link]
	after *link // the state of next
}

// give gives a number to a sieve. It sends itself.
var give = freerun.Op[*link, int, struct{}]("give", nil)

var _ = freerun.Define(give, func(c *freerun.Context, at **link, number int) (struct{}, error) {
	l := *at
	if l.prime == 0 {
		l.sieve = sieve{prime: number, given: 1}
		return struct{}{}, nil
	}
	if !l.passes(number) {
		return struct{}{}, nil
	}
	if l.next == nil {
		l.after = &link{}
		l.next = freerun.NewUnit(c.Runtime(), l.after)
	}
	return struct{}{}, give.Tell(c, l.next, number)
})

// runUnits gives the numbers to the first sieve in an operation, and waits until nothing is left to
// do. A lost message would be missing in the checksum.
func runUnits(cfg programs.Config) (programs.Result, error) {
	return programs.OnRuntime(cfg, func(rt *freerun.Runtime) (result programs.Result, err error) {
		size := cfg.Values.Get(programs.Size)
		first := &link{}
		meter := programs.StartMeter()
		chain := freerun.NewUnit(rt, first)
		_, err = freerun.Go(rt.Context(), func(c *freerun.Context) (struct{}, error) {
			for number := 2; number <= size; number++ {
				if err := give.Tell(c, chain, number); err != nil {
					return struct{}{}, err
				}
			}
			return struct{}{}, nil
		}).Wait(context.Background())
		if err == nil {
			err = rt.Quiesce(context.Background())
		}
		result = meter.Stop(0)
		var found tally
		for l := first; l != nil; l = l.after {
			found.add(l.sieve)
		}
		result.Operations, result.Checksum = found.given, found.String()
		return result, err
	})
}
