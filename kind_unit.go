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
	Unit[S] // must be first: a *Unit[S] of the kind is a *keyedUnit
	keyed   keyed
	// entry lies behind what the owner writes with each message: other processors read it.
	entry  entry[K]
	weakly *weakEntry[K, S] // nil until the unit is passive for the first time; the owner's
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
	timers  *[]*Timer // what ends with the activation; nil for most; the owner's
	title   atomics.Pointer[string]
	local   any // the store's; nil without one
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

// entry is what the table of a kind has for a key. The entry of an active unit is a part of the
// unit: the table holds the unit, and a look-up that has found the entry has found the unit. A
// passive unit has a weakEntry in the table. The collector takes the unit when nobody else holds
// it, and then the weakEntry goes, too.
//
// There is one unit of a key at any time: another one is made only when the weak pointer is dead.
type entry[K comparable] struct {
	keytable.Entry[K] // must be first
	// nth is the order in which the keys came; in a weakEntry its complement, which is negative.
	nth int64
}

type weakEntry[K comparable, S any] struct {
	entry[K] // must be first
	unit     weak.Pointer[keyedUnit[K, S]]
}

// present returns the unit of an entry, nil if it was collected.
func present[K comparable, S any](e *keytable.Entry[K]) *keyedUnit[K, S] {
	if (*entry[K])(unsafe.Pointer(e)).nth < 0 {
		return (*weakEntry[K, S])(unsafe.Pointer(e)).unit.Value()
	}
	return (*keyedUnit[K, S])(unsafe.Add(unsafe.Pointer(e), -int(unsafe.Offsetof(keyedUnit[K, S]{}.entry))))
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
func (k *Kind[K, S]) enter(h *homeOf[K, S], key K, dead *keytable.Entry[K]) *Unit[S] {
	if key != key {
		panic(fmt.Sprintf("freerun: %v is no key of kind %s: it does not equal itself", key, k.declared.name))
	}
	u := &keyedUnit[K, S]{}
	u.entry.Key, u.entry.nth = key, int64(h.entered.Add(1))
	u.unit.rt, u.unit.Kind = h.rt, unitVtable
	x := &u.keyed.unitExt
	x.equip(h.settings.units, reflect.TypeFor[S]())
	x.settings = h.units
	if h.settings.restarts != nil {
		x.restartByKind(*h.settings.restarts)
	}
	u.unit.ext.Store(x)
	mine := &u.entry.Entry
	if x.settings.route != nil && h.settings.store == nil {
		// Its messages may all go elsewhere: it may never be active.
		h.rt.env.release(func() { mine = &weakEntryOf(h, u).Entry })
	}
	for {
		if dead != nil {
			if h.table.Replace(dead, mine) {
				return &u.Unit
			}
			dead = nil
		}
		e, there := h.table.LoadOrStore(mine)
		if !there {
			return &u.Unit
		}
		if other := present[K, S](e); other != nil {
			return &other.Unit
		}
		dead = e
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
	u.rt.env.release(func() {
		h := homeOfKind[K, S](x.keyed.settings.home)
		h.table.Replace(&x.entry.Entry, &weakEntryOf(h, x).Entry) // false: it has that already
	})
}

// hold has the table hold the unit itself. The owner, who makes the unit active.
func (x *keyedUnit[K, S]) hold() {
	if w := x.weakly; w != nil {
		homeOfKind[K, S](x.keyed.settings.home).table.Replace(&w.Entry, &x.entry.Entry)
	}
}

// weakEntryOf returns the unit's weakEntry, and makes it if there is none. Owner only.
func weakEntryOf[K comparable, S any](h *homeOf[K, S], x *keyedUnit[K, S]) *weakEntry[K, S] {
	if x.weakly == nil {
		w := &weakEntry[K, S]{entry: entry[K]{x.entry.Entry, ^x.entry.nth}, unit: weak.Make(x)}
		x.weakly = w
		runtime.AddCleanup(x, leave[K, S], departed[K, S]{weak.Make(h), w})
	}
	return x.weakly
}

// departed is the entry of a unit that was collected. It must not keep the table, which leads to
// the units.
type departed[K comparable, S any] struct {
	home  weak.Pointer[homeOf[K, S]]
	entry *weakEntry[K, S]
}

// leave takes the entry of a collected unit out of the table.
func leave[K comparable, S any](d departed[K, S]) {
	if h := d.home.Value(); h != nil {
		h.table.Delete(&d.entry.Entry)
	}
}

// keyOf returns the key of a unit, for reports.
func (k *Kind[K, S]) keyOf(u *unit) any { return keyedUnitOf[K, S](u).entry.Key }
