package scan

import (
	"context"
	"reflect"
	"sync"
)

// Source:     L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008, section 5:
//             the scan of arguments for futures. The paper calls it expensive; the plan is ours.
// Sketch:     newPlan   Can a value of the type hold futures at all? If it can: the offsets of
//                       those that lie in the value itself, if these are all; otherwise the shape.
//             Find, All walk along the shape. They put references aside, and follow them later.
// Invariants: I1 A plan does not change once it is in the table.
//             I2 Each part of a value that may lead back to itself is walked through once.
//             NOT invariant: that a walk sees one state of the value. The caller keeps the value
//             from being changed meanwhile.
// Progress:   A walk waits for nothing, and its stack does not grow with the value.
// Cost:       nothing for a type without futures, which has no plan; a look for each future that
//             lies in the value itself. Otherwise a look for each part of the value, and an
//             allocation for each value behind an interface, and for each map.
// Checked by: TestPlan…, TestFind…, TestAll…; of package freerun TestScan…

// Plan says where values of one type hold futures. It leaves out what cannot hold any. So the scan
// of an argument without futures costs nothing, and an argument with a few futures of its own costs
// one look for each. Any goroutine may use a plan. A plan must not be copied.
type Plan struct {
	// Offsets has the places of the pointers to targets, if all of them lie in the value itself:
	// see [Plan.InSight].
	Offsets []uintptr
	// Many says that the number of futures depends on the value, or is large.
	Many   bool
	shape  shape // of the value, unless all futures are in sight
	cyclic bool  // a value may lead back to itself
}

// InSight reports whether all futures lie in the value itself, at Offsets.
func (pl *Plan) InSight() bool { return pl.shape == nil }

// mostOffsets bounds the futures that a value may hold in itself before they count as many.
const mostOffsets = 16

var plans sync.Map // reflect.Type → *Plan

// For returns the plan of a type, nil if its values cannot hold futures. Any goroutine may call it.
func For(t reflect.Type) *Plan {
	if p, ok := plans.Load(t); ok {
		return p.(*Plan)
	}
	p, _ := plans.LoadOrStore(t, newPlan(t))
	return p.(*Plan)
}

func newPlan(t reflect.Type) *Plan {
	if !mayHold(t, map[reflect.Type]bool{}) {
		return nil
	}
	p := &Plan{}
	if offsets, ok := inSight(t, 0, nil); ok {
		p.Offsets = offsets
		return p
	}
	b := &planner{shapes: map[reflect.Type]*reference{}, open: map[reflect.Type]bool{}}
	p.shape = b.shapeOf(t)
	p.Many, p.cyclic = b.many, b.cyclic
	return p
}

// mayHold reports whether a value of type t can hold a future. path has the types that were asked
// already.
func mayHold(t reflect.Type, path map[reflect.Type]bool) bool {
	if isFuture(t) {
		return true
	}
	if path[t] || opaque(t) {
		return false
	}
	path[t] = true // never taken back: a type that can hold one ends the question
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice:
		return mayHold(t.Elem(), path)
	case reflect.Array:
		return t.Len() > 0 && mayHold(t.Elem(), path)
	case reflect.Map:
		return mayHold(t.Key(), path) || mayHold(t.Elem(), path)
	case reflect.Struct:
		for i := range t.NumField() {
			if mayHold(t.Field(i).Type, path) {
				return true
			}
		}
	}
	return false
}

var (
	contextType = reflect.TypeFor[context.Context]()
	targetMark  = reflect.TypeFor[Target]()
	opaqueMark  = reflect.TypeFor[Opaque]()
)

// targetIn returns the offset of the pointer to a target in a future of type t. It returns false
// for other types.
func targetIn(t reflect.Type) (at uintptr, ok bool) {
	if t.Kind() != reflect.Struct {
		return 0, false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() == reflect.Pointer && hasField(f.Type.Elem(), targetMark) {
			return f.Offset, true
		}
	}
	return 0, false
}

func isFuture(t reflect.Type) bool {
	_, ok := targetIn(t)
	return ok
}

// hasField reports whether t is a struct with a field of type mark.
func hasField(t, mark reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Type == mark {
			return true
		}
	}
	return false
}

// opaque reports whether a walk does not look into values of type t: marked structs, contexts,
// synchronization, and structs with synchronization of their own. To read the fields of a struct
// with a mutex without holding it would be a race, and a crash if one of them is a map.
func opaque(t reflect.Type) bool {
	if isContext(t) {
		return true
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	if synchronises(t) || hasField(t, opaqueMark) {
		return true
	}
	for i := range t.NumField() {
		if synchronises(t.Field(i).Type) {
			return true
		}
	}
	return false
}

// isContext reports whether t is a context. A struct that embeds a context among other fields is
// not.
func isContext(t reflect.Type) bool {
	if !t.Implements(contextType) {
		return false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && t.PkgPath() != contextType.PkgPath() {
		for i := range t.NumField() {
			if f := t.Field(i); f.Anonymous && f.Type.Implements(contextType) {
				return false
			}
		}
	}
	return true
}

func synchronises(t reflect.Type) bool { return t.PkgPath() == "sync" || t.PkgPath() == "sync/atomic" }

// inSight returns the offsets of the targets of all futures in a value of type t. It returns false
// if the value itself does not hold them all, or if they are many.
func inSight(t reflect.Type, at uintptr, found []uintptr) ([]uintptr, bool) {
	if target, ok := targetIn(t); ok {
		return append(found, at+target), len(found) < mostOffsets
	}
	if !mayHold(t, map[reflect.Type]bool{}) {
		return found, true
	}
	ok := true
	switch t.Kind() {
	case reflect.Struct:
		for i := 0; i < t.NumField() && ok; i++ {
			f := t.Field(i)
			found, ok = inSight(f.Type, at+f.Offset, found)
		}
		return found, ok
	case reflect.Array:
		for i := 0; i < t.Len() && ok; i++ {
			found, ok = inSight(t.Elem(), at+uintptr(i)*t.Elem().Size(), found)
		}
		return found, ok
	}
	return nil, false
}

// planner builds the shape of one type, which may refer to itself.
type planner struct {
	shapes       map[reflect.Type]*reference
	open         map[reflect.Type]bool // the shapes that are being built
	many, cyclic bool
}

// shapeOf returns the shape of t, nil if its values cannot hold futures.
func (b *planner) shapeOf(t reflect.Type) shape {
	if target, ok := targetIn(t); ok {
		return future{target}
	}
	if !mayHold(t, map[reflect.Type]bool{}) {
		return nil
	}
	if r, ok := b.shapes[t]; ok {
		if b.open[t] {
			b.many, b.cyclic = true, true
		}
		return r
	}
	r := &reference{}
	b.shapes[t], b.open[t] = r, true
	r.to = b.build(t)
	delete(b.open, t)
	return r
}

func (b *planner) build(t reflect.Type) shape {
	switch t.Kind() {
	case reflect.Struct:
		s := fields{}
		for i := range t.NumField() {
			f := t.Field(i)
			if inner := b.shapeOf(f.Type); inner != nil {
				s = append(s, field{f.Offset, inner})
			}
		}
		return s
	case reflect.Array:
		b.many = b.many || t.Len() > mostOffsets
		return array{t.Len(), t.Elem().Size(), b.shapeOf(t.Elem())}
	case reflect.Pointer:
		return pointer{b.shapeOf(t.Elem())}
	case reflect.Slice:
		b.many = true
		return slice{t.Elem().Size(), b.shapeOf(t.Elem())}
	case reflect.Map:
		b.many = true
		return mapping{t, b.shapeOf(t.Key()), b.shapeOf(t.Elem())}
	default:
		b.many, b.cyclic = true, true // an interface: anything may be behind it
		return dynamic{t}
	}
}
