package freerun

import (
	"fmt"
	"slices"
)

// KindStats are figures of one kind in one runtime.
type KindStats struct {
	Active       int    // units that are active, or about to be
	Activations  uint64 // states that were made
	Failures     uint64 // states that could not be made
	Passivations uint64 // states that were dropped: idle, evicted or stopped
	Evictions    uint64 // of these, the ones for which MaxActive was the reason
}

// Stats returns the figures of the kind in rt. Any goroutine; they may lag.
func (k *Kind[K, S]) Stats(rt *Runtime) KindStats {
	rt.mustBeMade()
	h := k.in(rt)
	return KindStats{
		Active: int(h.active.Load()), Activations: h.stats.activations.Load(), Failures: h.stats.failures.Load(),
		Passivations: h.stats.passivations.Load(), Evictions: h.stats.evictions.Load(),
	}
}

// KeyStats are the figures of the active unit of a key.
type KeyStats[K comparable] struct {
	Key K
	UnitStats
}

// Hottest returns the n keys whose active units have run most operations, most first; fewer if
// fewer are active. It panics if n is negative. A unit counts from the time when it came into
// memory, so the keys that are hot now are those whose figures differ most between two calls. Any
// goroutine; the figures may lag.
//
// Cost: a walk over all active units, which get nothing to do by it.
func (k *Kind[K, S]) Hottest(rt *Runtime, n int) []KeyStats[K] {
	rt.mustBeMade()
	if n < 0 {
		panic(fmt.Sprintf("freerun: Hottest of %d keys; ask for some", n))
	}
	most := hottest(k.in(rt).activeUnits(), n)
	all := make([]KeyStats[K], len(most))
	for i, u := range most {
		x := keyedUnitOf[K, S](u)
		all[i] = KeyStats[K]{x.entry.Key, x.Stats()}
	}
	return all
}

// hottest returns the n units that have run most operations, most first; of two alike first the
// one that comes first in units.
func hottest(units []*unit, n int) []*unit {
	var most []heat // so far, in that order
	for _, u := range units {
		e := heat{u, u.operations.Load()}
		if len(most) == n && (n == 0 || most[n-1].operations >= e.operations) {
			continue
		}
		at, _ := slices.BinarySearchFunc(most, e, func(x, e heat) int {
			if x.operations >= e.operations {
				return -1
			}
			return 1
		})
		if len(most) == n {
			most = most[:n-1]
		}
		most = slices.Insert(most, at, e)
	}
	all := make([]*unit, len(most))
	for i, e := range most {
		all[i] = e.unit
	}
	return all
}

// heat is a unit, and how many operations it had run when Hottest came by.
type heat struct {
	unit       *unit
	operations uint64
}
