package main

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// measure has the times of calls: P50 and P99 are of one, where there was one at a time. Used is by
// process.
type measure struct {
	Calls    int64 // that were answered
	Took     time.Duration
	P50, P99 time.Duration   `json:",omitempty"`
	Used     map[string]used `json:",omitempty"`
}

// used has the resources that a process has used.
type used struct {
	CPU    time.Duration
	Allocs int64 // how many
}

// minus returns what was used since.
func (u used) minus(before used) used { return used{u.CPU - before.CPU, u.Allocs - before.Allocs} }

// rate is how many calls a second there were.
func (m measure) rate() float64 { return float64(m.Calls) / m.Took.Seconds() }

// cost is the microseconds of processors for a call.
func (m measure) cost() float64 {
	all := time.Duration(0)
	for _, u := range m.Used {
		all += u.CPU
	}
	return micros(all) / float64(m.Calls)
}

// allocs is how many allocations a call has.
func (m measure) allocs() float64 {
	all := int64(0)
	for _, u := range m.Used {
		all += u.Allocs
	}
	return float64(all) / float64(m.Calls)
}

// hows are the ways to call.
var hows = map[string]func(c *caller, d time.Duration) (measure, error){
	"one": one, "goroutines": goroutines, "futures": futures,
}

// warm has all units be there, and what is between them.
func warm(c *caller) error {
	for unit := range units {
		if _, err := c.call(unit); err != nil {
			return err
		}
	}
	return nil
}

// one makes one call at a time.
func one(c *caller, d time.Duration) (m measure, err error) {
	begin := time.Now()
	took := make([]time.Duration, 0, 1<<20)
	last := begin
	for unit := 0; last.Sub(begin) < d; unit = (unit + 1) % units {
		if _, err := c.call(unit); err != nil {
			return m, err
		}
		now := time.Now()
		took = append(took, now.Sub(last))
		last = now
	}
	slices.Sort(took)
	n := len(took)
	return measure{Calls: int64(n), Took: last.Sub(begin), P50: took[n/2], P99: took[n*99/100]}, nil
}

// goroutines makes calls in as many goroutines.
func goroutines(c *caller, d time.Duration) (m measure, err error) {
	var calls atomic.Int64
	var failed [inFlight]error
	var all sync.WaitGroup
	begin := time.Now()
	for g := range inFlight {
		all.Go(func() {
			n := int64(0)
			for unit := g; time.Since(begin) < d; unit = (unit + inFlight) % units {
				if _, err := c.call(unit); err != nil {
					failed[g] = err
					break
				}
				n++
			}
			calls.Add(n)
		})
	}
	all.Wait()
	return measure{Calls: calls.Load(), Took: time.Since(begin)}, errors.Join(failed[:]...)
}

// futures makes calls in one goroutine, so many ahead.
func futures(c *caller, d time.Duration) (m measure, err error) {
	var ring [inFlight]func() (int64, error)
	begin := time.Now()
	n := 0
	for ; time.Since(begin) < d; n++ {
		if wait := ring[n%inFlight]; wait != nil {
			if _, err := wait(); err != nil {
				return m, err
			}
		}
		ring[n%inFlight] = c.send(n % units)
	}
	for i := range min(n, inFlight) {
		if _, err := ring[(n+i)%inFlight](); err != nil {
			return m, err
		}
	}
	return measure{Calls: int64(n), Took: time.Since(begin)}, nil
}
