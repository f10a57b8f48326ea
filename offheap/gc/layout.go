package gc

import (
	"fmt"
	"reflect"
	"slices"
)

// layout describes a type for the collector: its size, and the offsets of its references.
type layout struct {
	typ   reflect.Type
	size  uintptr
	refs  []uintptr // offsets of reference fields, ascending
	plain []span    // the pieces between them
}

// span is a piece of an object without references.
type span struct{ offset, size uintptr }

// mostSize is the size of the largest object, in bytes.
const mostSize = 1 << 30

// layoutOf finds the reference fields of a type. The error names a field that the collector could
// not follow.
func layoutOf(t reflect.Type) (layout, error) {
	l := layout{typ: t, size: max(roundUp(t.Size(), 8), 8)}
	if t.Size() > mostSize {
		return l, fmt.Errorf("gc: %v has %d bytes; an object has at most %d", t, t.Size(), mostSize)
	}
	if err := l.visit(t, 0, t.String()); err != nil {
		return l, err
	}
	slices.Sort(l.refs)
	from := uintptr(0)
	for _, r := range append(slices.Clone(l.refs), l.size) {
		if r > from {
			l.plain = append(l.plain, span{from, r - from})
		}
		from = r + refSize
	}
	return l, nil
}

// mark is the type of the first field of a Pointer, and of nothing else.
var mark = reflect.TypeFor[noCopy]()

func roundUp(n, to uintptr) uintptr { return (n + to - 1) &^ (to - 1) }

// visit adds the references of t, which lies at offset. path names t in errors.
func (l *layout) visit(t reflect.Type, offset uintptr, path string) error {
	// A Pointer, or a type that was defined as one.
	if t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type == mark {
		l.refs = append(l.refs, offset)
		return nil
	}
	switch t.Kind() {
	case reflect.Bool,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return nil
	case reflect.Struct:
		for f := range t.Fields() {
			if err := l.visit(f.Type, offset+f.Offset, path+"."+f.Name); err != nil {
				return err
			}
		}
		return nil
	case reflect.Array:
		var elem layout
		if err := elem.visit(t.Elem(), 0, path+"[i]"); err != nil || len(elem.refs) == 0 {
			return err
		}
		for i := range t.Len() {
			for _, r := range elem.refs {
				l.refs = append(l.refs, offset+uintptr(i)*t.Elem().Size()+r)
			}
		}
		return nil
	}
	return fmt.Errorf("gc: %s is a %v, which Go's collector would not find there: use gc.Pointer for references, arrays for what has a fixed length, and "+
		"an offheap.Block or a number for the rest", path, t)
}
