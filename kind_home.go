package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/keytable"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// kindHome is a kind in one runtime: the part that does not depend on the types.
type kindHome struct {
	rt       *Runtime
	kind     *kind
	settings kindSettings
	keeper   *Unit[keeper]  // nil: no unit is made passive by itself
	active   atomics.Int64  // units that are active or activating
	asking   atomics.Int64  // units that wait for room, to become active
	entered  atomics.Uint64 // keys that a unit was made for
	stats    kindCounts
	// now is the number of the present tick, and usedBit. Units that run a message take note of it.
	now atomics.RelaxedUint64
}

// kindCounts are figures of rare events.
type kindCounts struct {
	activations, failures, passivations, evictions atomics.Uint64
}

// homeOf is a kind in one runtime.
type homeOf[K comparable, S any] struct {
	kindHome // must be first
	table    keytable.Table[K]
}

func homeOfKind[K comparable, S any](h *kindHome) *homeOf[K, S] {
	return (*homeOf[K, S])(unsafe.Pointer(h))
}

func (k *Kind[K, S]) makeHome(rt *Runtime, s kindSettings) *kindHome {
	h := &homeOf[K, S]{}
	h.rt, h.kind, h.settings = rt, &k.kind, s
	h.now.Store(usedBit)
	if s.idle > 0 || s.most > 0 {
		h.keeper = newKeeper(&h.kindHome)
	}
	return &h.kindHome
}

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
