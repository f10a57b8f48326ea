package freerun

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/keytable"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// kindHome is a kind in one runtime: the part that does not depend on the types.
type kindHome struct {
	rt       *Runtime
	kind     *kind
	settings kindSettings
	stopAll  func(h *kindHome) bool // stopActive
	actives  func() []*unit         // activeUnits
	keeper   *Unit[keeper]          // nil: no unit is made passive by itself
	units    *unitSettings          // of all units
	dynamic  bool                   // whether a key can be compared depends on its value
	active   atomics.Int64          // units that are active or activating
	asking   atomics.Int64          // units that wait for room, to become active
	entered  atomics.Uint64         // keys that a unit was made for
	stats    kindCounts
	// now is the number of the present tick. Units that run a message take note of it.
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

// activeUnits returns the active units, in the order in which their keys came.
func (h *homeOf[K, S]) activeUnits() []*unit {
	var all []arrival
	for e := range h.table.All {
		if u := present[K, S](e); u != nil && u.keyed.is(active) {
			all = append(all, arrival{&u.unit, u.entry.nth})
		}
	}
	return inOrderOfArrival(all)
}

// arrival is a unit, and the number that its key got when it came.
type arrival struct {
	unit *unit
	nth  int64
}

func inOrderOfArrival(all []arrival) []*unit {
	slices.SortFunc(all, func(a, b arrival) int { return cmp.Compare(a.nth, b.nth) })
	units := make([]*unit, len(all))
	for i, a := range all {
		units[i] = a.unit
	}
	return units
}

func (k *Kind[K, S]) makeHome(rt *Runtime, s kindSettings) *kindHome {
	h := &homeOf[K, S]{}
	h.rt, h.kind, h.settings = rt, &k.kind, s
	h.stopAll, h.actives = k.stopActive, h.activeUnits
	x := &unitExt{}
	x.equip(s.units, s.state)
	x.interceptedBy(rt)
	h.units = x.set()
	h.units.home = &h.kindHome
	h.dynamic = holdsInterface(reflect.TypeFor[K]())
	if s.idle > 0 || s.most > 0 {
		h.keeper = newKeeper(&h.kindHome)
	}
	return &h.kindHome
}

// activeOf returns how many units of a kind are active, or about to be.
func (rt *Runtime) activeOf(k *kind) int {
	all := rt.homes.Load()
	if all == nil || k.number >= len(*all) || (*all)[k.number] == nil {
		return 0 // it was not used
	}
	return int((*all)[k.number].active.Load())
}

// activeUnits returns the active units of a kind.
func (rt *Runtime) activeUnits(k *kind) []*unit {
	all := rt.homes.Load()
	if all == nil || k.number >= len(*all) || (*all)[k.number] == nil {
		return nil // it was not used
	}
	return (*all)[k.number].actives()
}

// stopKinds stops the active units of kinds with OnStop, and reports whether there were any. For a
// Shutdown that has found all messages done.
func (rt *Runtime) stopKinds() (some bool) {
	all := rt.homes.Load()
	if all == nil {
		return false
	}
	for _, h := range *all {
		if h != nil && h.settings.stop != nil && h.active.Load() > 0 {
			some = h.stopAll(h) || some
		}
	}
	return some
}

// stopActive sends all active units of a home the message that makes them passive. It reports
// whether it did: not if the runtime is being closed meanwhile.
func (k *Kind[K, S]) stopActive(home *kindHome) (some bool) {
	for _, u := range homeOfKind[K, S](home).activeUnits() {
		if !home.rt.countSent(drains) {
			return false
		}
		m := &sendMessage[stopReason, bool]{arg: stopAsked}
		k.stopping.core.sendOwn(home.rt, u, &m.result.promised, ownSender)
		some = true
	}
	return some
}
