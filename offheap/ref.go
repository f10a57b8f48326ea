package offheap

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Ref refers to a T, or several in a row, in a block of an arena. It holds no pointer, so a value
// in a block may have a Ref as a field. The zero Ref refers to nothing. A Ref is the block that the
// value is in: Block(r) is that block, and Ref[T](b) refers to the value in a block that holds a T.
type Ref[T any] Block

// IsZero reports whether r is the zero Ref.
func (r Ref[T]) IsZero() bool { return r == 0 }

// View is an arena as a store of values of type T, which has no pointers. [ViewOf] makes one. A
// View may be copied, and any goroutine may use it. The methods of the zero View panic, as those of
// a nil Arena do.
type View[T any] struct {
	arena *Arena
	tag   Tag
}

// ViewOf returns the view of an arena for values of type T. T must not contain anything that Go's
// collector has to see: pointers, slices, strings, maps, channels, functions or interfaces, also in
// fields and elements. The error names such a field.
func ViewOf[T any](a *Arena) (View[T], error) {
	if a == nil || a.space == nil {
		return View[T]{}, errors.New("offheap: ViewOf a nil or zero Arena; make arenas with New")
	}
	t := reflect.TypeFor[T]()
	if path, found := pointerIn(t, t.String()); found != nil {
		return View[T]{}, fmt.Errorf("offheap: %s is a %v, which Go's collector must see; a value in an arena has no pointers: keep a Ref, a Block or an array instead", path, found)
	}
	if t.Align() > smallest {
		return View[T]{}, fmt.Errorf("offheap: %v must be aligned to %d bytes; blocks of an arena are to %d", t, t.Align(), smallest)
	}
	return View[T]{arena: a}, nil
}

// pointerIn returns the first pointer in a type, and the path to it.
func pointerIn(t reflect.Type, path string) (string, reflect.Type) {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return "", nil
	case reflect.Array:
		if t.Len() == 0 {
			return "", nil
		}
		return pointerIn(t.Elem(), path+"[0]")
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if at, found := pointerIn(f.Type, path+"."+f.Name); found != nil {
				return at, found
			}
		}
		return "", nil
	default:
		return path, t
	}
}

// Tagged returns the same view with a tag for its new values: see [Arena.AllocTagged].
func (v View[T]) Tagged(tag Tag) View[T] { return View[T]{v.arena, tag} }

// New returns a Ref to a new T, all of it zero. The error is [ErrNoMemory].
func (v View[T]) New() (Ref[T], error) { return v.NewSlice(1) }

// NewSlice returns a Ref to n new values in a row, all of them zero. The error is [ErrNoMemory].
// It panics if n is negative, or if an int cannot count the bytes, as make does.
func (v View[T]) NewSlice(n int) (Ref[T], error) {
	var zero T
	size := unsafe.Sizeof(zero)
	if n < 0 || size > 0 && uintptr(n) > uintptr(maxInt)/size {
		panic(fmt.Sprintf("offheap: NewSlice of %d values of %d bytes: the number must not be negative, and an int must count the bytes", n, size))
	}
	b, err := v.arena.alloc(n*int(size), v.tag, true)
	return Ref[T](b), err
}

// At returns a pointer to the value, to the first one if there are several. The pointer is valid
// until the value is freed.
func (v View[T]) At(r Ref[T]) *T {
	return (*T)(unsafe.Pointer(unsafe.SliceData(v.arena.Bytes(Block(r)))))
}

// Slice returns the values of a block, as many as fit into it: at least as many as were asked for.
// The slice is valid until the values are freed.
func (v View[T]) Slice(r Ref[T]) []T {
	var zero T
	bytes := v.arena.Bytes(Block(r))
	n := len(bytes)
	if size := int(unsafe.Sizeof(zero)); size > 0 {
		n /= size
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), n)
}

// Free gives the values that r refers to back. It panics as [Arena.Free] does.
func (v View[T]) Free(r Ref[T]) { v.arena.Free(Block(r)) }
