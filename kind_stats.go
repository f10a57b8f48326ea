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
	var most []heat[K, S] // the hottest so far, most first; of two alike first the older one
	for _, u := range k.in(rt).present() {
		e := heat[K, S]{u, u.unit.operations.Load()}
		if len(most) == n && (n == 0 || most[n-1].operations >= e.operations) {
			continue
		}
		at, _ := slices.BinarySearchFunc(most, e, func(x, e heat[K, S]) int {
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
	all := make([]KeyStats[K], len(most))
	for i, e := range most {
		all[i] = KeyStats[K]{e.unit.resident.Key, e.unit.Stats()}
	}
	return all
}

// heat is a unit, and how many operations it had run when Hottest came by.
type heat[K comparable, S any] struct {
	unit       *keyedUnit[K, S]
	operations uint64
}
