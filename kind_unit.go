package freerun

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"
	"weak"

	"github.com/freerun-go/freerun/internal/keytable"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// keyedUnit is a unit of a kind, in one piece with all that it has beside other units.
type keyedUnit[K comparable, S any] struct {
	Unit[S]  // must be first: a *Unit[S] of the kind is a *keyedUnit
	keyed    keyed
	resident *resident[K, S]
}

func keyedUnitOf[K comparable, S any](u *unit) *keyedUnit[K, S] {
	return (*keyedUnit[K, S])(unsafe.Pointer(u))
}

// keyed is the unitExt of a unit of a kind, with what such a unit has beside others.
type keyed struct {
	unitExt // must be first
	phase   atomics.Uint32
	// marked says that a message was run since the keeper's hand came by. The owner sets it, and
	// the keeper clears it.
	marked atomics.Bool
	used   atomics.Uint32 // the tick in which a message was run last; the owner's
	weak   bool           // the table has a weak pointer to the unit; the owner's

	// The unit's place in the list of the keeper, and whether it is in one of the keeper's buckets.
	// The keeper's.
	listed, waits bool
	newer, older  *unit

	rare atomics.Pointer[keyedRare] // nil for most
}

// keyedRare is what few units of kinds have.
type keyedRare struct {
	failed *activationFailure // the last attempt, if that has failed; the owner's
	// faulted is the panic that has ended the last activation, if one did; the owner's.
	faulted *PanicError
	timers  []*Timer // what ends with the activation; the owner's
	title   atomics.Pointer[string]
}

// withRare returns the unit's keyedRare, and makes it if there is none. Any goroutine.
func (x *keyed) withRare() *keyedRare {
	for {
		if r := x.rare.Load(); r != nil {
			return r
		}
		x.rare.CompareAndSwap(nil, new(keyedRare))
	}
}

// endedBy returns why a passive unit is passive: the error of the last activation, or that of the
// operation that has ended it by a panic; nil if neither was. Owner only.
func (x *keyed) endedBy() error {
	switch r := x.rare.Load(); {
	case r == nil:
	case r.failed != nil:
		return r.failed.err
	case r.faulted != nil:
		return r.faulted
	}
	return nil
}

// failed returns the last attempt to make the state, if that has failed; otherwise nil. Owner only.
func (x *keyed) failed() *activationFailure {
	if r := x.rare.Load(); r != nil {
		return r.failed
	}
	return nil
}

// resident is the entry of a key in the table of a kind. The table holds an active unit. It holds a
// passive one by a weak pointer, so that the collector takes the unit when nobody else holds it.
// Then the entry goes too.
//
// There is one unit of a key at any time: another one is made only when the weak pointer is dead.
type resident[K comparable, S any] struct {
	keytable.Entry[K]
	nth  uint64 // the order in which the keys came
	held atomics.Pointer[keyedUnit[K, S]]
	// weak is written before held is nil for the first time, and read after held was nil.
	weak weak.Pointer[keyedUnit[K, S]]
}

func residentOf[K comparable, S any](e *keytable.Entry[K]) *resident[K, S] {
	return (*resident[K, S])(unsafe.Pointer(e))
}

// present returns the unit, nil if it was collected.
func (r *resident[K, S]) present() *keyedUnit[K, S] {
	if u := r.held.Load(); u != nil {
		return u
	}
	return r.weak.Value()
}

// mustCompare panics if a key cannot be compared.
func (k *Kind[K, S]) mustCompare(key K) {
	if !reflect.ValueOf(&key).Elem().Comparable() {
		panic(fmt.Sprintf("freerun: %v is no key of kind %s: a %T cannot be compared", key, k.declared.name, key))
	}
}

// holdsInterface reports whether values of a type are interfaces, or contain some.
func holdsInterface(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return holdsInterface(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsInterface(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// enter returns the unit of a key. It makes one if there is none, in place of dead, whose unit was
// collected, if that is not nil.
func (k *Kind[K, S]) enter(h *homeOf[K, S], key K, dead *resident[K, S]) *Unit[S] {
	if key != key {
		panic(fmt.Sprintf("freerun: %v is no key of kind %s: it does not equal itself", key, k.declared.name))
	}
	u := &keyedUnit[K, S]{resident: &resident[K, S]{nth: h.entered.Add(1)}}
	u.resident.Key = key
	u.resident.held.Store(u)
	u.unit.rt, u.unit.Kind = h.rt, unitVtable
	x := &u.keyed.unitExt
	x.equip(h.settings.units, reflect.TypeFor[S]())
	x.settings = h.units
	if h.settings.restarts != nil {
		x.restartByKind(*h.settings.restarts)
	}
	u.unit.ext.Store(x)
	if x.settings.route != nil {
		h.rt.env.release(u.weaken) // its messages may all go elsewhere: it may never be active
	}
	for {
		if dead != nil {
			if h.table.Replace(&dead.Entry, &u.resident.Entry) {
				return &u.Unit
			}
			dead = nil
		}
		e, there := h.table.LoadOrStore(&u.resident.Entry)
		if !there {
			return &u.Unit
		}
		r := residentOf[K, S](e)
		if other := r.present(); other != nil {
			return &other.Unit
		}
		dead = r
	}
}

// letGo has the table hold the unit by a weak pointer. The owner, who makes the unit passive. A
// unit that a panic has stopped is held, or its key would begin anew when the collector happens to
// run.
func (k *Kind[K, S]) letGo(u *unit) {
	x := keyedUnitOf[K, S](u)
	if x.keyed.isStopped() {
		return
	}
	u.rt.env.release(x.weaken)
}

func (x *keyedUnit[K, S]) weaken() {
	if !x.keyed.weak {
		x.keyed.weak = true
		x.resident.weak = weak.Make(x)
		h := homeOfKind[K, S](x.keyed.settings.home)
		runtime.AddCleanup(x, leave[K, S], departed[K, S]{weak.Make(h), weak.Make(x.resident)})
	}
	x.resident.held.Store(nil)
}

// departed is the entry of a unit that was collected. It must not keep the table, which leads to
// the units.
type departed[K comparable, S any] struct {
	home     weak.Pointer[homeOf[K, S]]
	resident weak.Pointer[resident[K, S]]
}

// leave takes the entry of a collected unit out of the table.
func leave[K comparable, S any](d departed[K, S]) {
	if h, r := d.home.Value(), d.resident.Value(); h != nil && r != nil {
		h.table.Delete(&r.Entry)
	}
}

// keyOf returns the key of a unit, for reports.
func (k *Kind[K, S]) keyOf(u *unit) any { return keyedUnitOf[K, S](u).resident.Key }
