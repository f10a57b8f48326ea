package freerun

import (
	"context"
	"reflect"
	"strings"
	"sync"
)

// plan says where values of one type hold futures. It is made once per type, and leaves out what
// cannot hold any. So the scan of an argument without futures costs nothing, and an argument with
// a few futures of its own costs one look for each.
type plan struct {
	offsets []uintptr // of the futures' cells, if all lie in the value itself
	shape   shape     // of the value otherwise
	many    bool      // the number of futures depends on the value
	cyclic  bool      // a value may lead back to itself
}

// mostOffsets bounds the futures that a value may hold in itself before they count as many.
const mostOffsets = 16

var plans sync.Map // reflect.Type → *plan

// planFor returns the plan of a type, nil if its values cannot hold futures.
func planFor(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(t, newPlan(t))
	return p.(*plan)
}

func newPlan(t reflect.Type) *plan {
	if !mayHold(t, map[reflect.Type]bool{}) {
		return nil
	}
	p := &plan{}
	if offsets, ok := inSight(t, 0, nil); ok {
		p.offsets = offsets
		return p
	}
	b := &planner{shapes: map[reflect.Type]*reference{}, open: map[reflect.Type]bool{}}
	p.shape = b.shapeOf(t)
	p.many, p.cyclic = b.many, b.cyclic
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
	ownPackage  = reflect.TypeFor[Runtime]().PkgPath()
)

// isFuture recognizes futures by their fields, because a program may give the type another name.
func isFuture(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() != 2 || t.Field(1).Type.Kind() != reflect.Pointer {
		return false
	}
	cell := t.Field(1).Type.Elem()
	return cell.PkgPath() == ownPackage && strings.HasPrefix(cell.Name(), "result[")
}

// cellOf returns the offset of the cell in a future of type t.
func cellOf(t reflect.Type) uintptr { return t.Field(1).Offset }

// opaque reports whether the scan does not look into values of type t: units, runtimes, contexts,
// synchronization, and structs with synchronization of their own. To read the fields of a struct
// with a mutex without holding it would be a race, and a crash if one of them is a map.
func opaque(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && opaque(t.Elem()) || isContext(t) {
		return true
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	if t.PkgPath() == ownPackage {
		name, _, _ := strings.Cut(t.Name(), "[")
		switch name {
		case "Unit", "Runtime", "Operation", "Operation2", "Operation3", "OperationAll", "ReadOperation", "FreeOperation":
			return true
		}
		return false
	}
	if synchronises(t) {
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

// inSight returns the offsets of the cells of all futures in a value of type t. It returns false
// if the value itself does not hold them all, or if they are many.
func inSight(t reflect.Type, at uintptr, found []uintptr) ([]uintptr, bool) {
	switch {
	case isFuture(t):
		return append(found, at+cellOf(t)), len(found) < mostOffsets
	case !mayHold(t, map[reflect.Type]bool{}):
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
	if isFuture(t) {
		return aFuture{cellOf(t)}
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
