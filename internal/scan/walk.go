package scan

import (
	"reflect"
	"sync"
	"unsafe"
)

// Find looks for a wanted target in the value at p, and returns the first that it meets, nil if
// there is none. No goroutine may change the value meanwhile; the targets may change.
func (pl *Plan) Find(p unsafe.Pointer, wanted func(target unsafe.Pointer) bool) unsafe.Pointer {
	if pl.InSight() {
		for _, at := range pl.Offsets {
			if target := *(*unsafe.Pointer)(unsafe.Add(p, at)); target != nil && wanted(target) {
				return target
			}
		}
		return nil
	}
	w := newWalk(pl, wanted)
	defer w.release()
	w.run(p, pl.shape)
	return w.found
}

// All is Find for all wanted targets in the value at p. A target to which two futures point occurs
// twice.
func (pl *Plan) All(p unsafe.Pointer, wanted func(target unsafe.Pointer) bool) []unsafe.Pointer {
	if pl.InSight() {
		var all []unsafe.Pointer
		for _, at := range pl.Offsets {
			if target := *(*unsafe.Pointer)(unsafe.Add(p, at)); target != nil && wanted(target) {
				all = append(all, target)
			}
		}
		return all
	}
	w := newWalk(pl, wanted)
	defer w.release()
	w.collect = true
	w.run(p, pl.shape)
	return w.all
}

// walk is one walk through a value. References are put aside and followed later: so a list of
// millions of links needs no stack.
type walk struct {
	wanted  func(target unsafe.Pointer) bool
	collect bool             // go on after a wanted target
	found   unsafe.Pointer   // the wanted target that has ended the walk
	all     []unsafe.Pointer // the wanted targets, with collect
	cyclic  bool
	visited map[place]struct{}
	aside   []row
}

// row is n values of one shape and size, side by side from p on.
type row struct {
	place
	size uintptr
}

// place identifies a value that the walk has come to. The shape belongs to it, because a struct and
// its first field have one address; n is the number of values in a row.
type place struct {
	p unsafe.Pointer
	s shape
	n int
}

var walks = sync.Pool{New: func() any { return &walk{visited: map[place]struct{}{}} }}

func newWalk(pl *Plan, wanted func(target unsafe.Pointer) bool) *walk {
	w := walks.Get().(*walk)
	w.cyclic, w.wanted = pl.cyclic, wanted
	return w
}

// release puts the walk back into the pool, unless a large value has made it large.
func (w *walk) release() {
	const most = 1024
	if len(w.visited) > most || cap(w.aside) > most {
		return
	}
	clear(w.visited)
	clear(w.aside[:cap(w.aside)])
	*w = walk{visited: w.visited, aside: w.aside[:0]}
	walks.Put(w)
}

// run walks through the value at p and all that it leads to.
func (w *walk) run(p unsafe.Pointer, first shape) {
	for r := (row{place: place{p, first, 1}}); walkRow(r.p, r.n, r.size, r.s, w); {
		last := len(w.aside) - 1
		if last < 0 {
			return
		}
		r, w.aside[last] = w.aside[last], row{}
		w.aside = w.aside[:last]
	}
}

// meet looks at the target of a future, nil for a zero future. It reports whether to go on.
func (w *walk) meet(target unsafe.Pointer) bool {
	switch {
	case target == nil || !w.wanted(target):
		return true
	case w.collect:
		w.all = append(w.all, target)
		return true
	}
	w.found = target
	return false
}

// refer puts the n values at p aside, to be walked through later. If the plan is cyclic, it does so
// once for each place.
func (w *walk) refer(p unsafe.Pointer, inner shape, n int, size uintptr) {
	at := place{p, inner, n}
	if p == nil || n == 0 || w.been(at) {
		return
	}
	w.aside = append(w.aside, row{at, size})
}

// been reports whether the walk has come to the place before, and remembers it. If the plan is not
// cyclic, it remembers nothing, and returns false.
func (w *walk) been(at place) bool {
	if !w.cyclic {
		return false
	}
	if _, been := w.visited[at]; been {
		return true
	}
	w.visited[at] = struct{}{}
	return false
}

// shape is the form of a value. walk goes through the value at p and meets its futures; it returns
// false if it was told to stop. A place has a shape, and is a key of a map: so the shape behind a
// pointer, a slice or a map is always a *reference or a future, which are comparable; fields are
// not.
type shape interface {
	walk(p unsafe.Pointer, w *walk) bool
}

type (
	future    struct{ target uintptr } // the offset of the target
	reference struct{ to shape }       // to another shape, perhaps one that contains this
	field     struct {
		at    uintptr
		shape shape
	}
	fields []field
	array  struct {
		n     int
		size  uintptr
		shape shape
	}
	pointer struct{ shape shape }
	slice   struct {
		size  uintptr
		shape shape
	}
	mapping struct {
		t          reflect.Type
		key, value shape
	}
	dynamic struct{ t reflect.Type }
)

func (f future) walk(p unsafe.Pointer, w *walk) bool {
	return w.meet(*(*unsafe.Pointer)(unsafe.Add(p, f.target)))
}

func (r *reference) walk(p unsafe.Pointer, w *walk) bool { return r.to.walk(p, w) }

func (f fields) walk(p unsafe.Pointer, w *walk) bool {
	for _, one := range f {
		if !one.shape.walk(unsafe.Add(p, one.at), w) {
			return false
		}
	}
	return true
}

func (a array) walk(p unsafe.Pointer, w *walk) bool { return walkRow(p, a.n, a.size, a.shape, w) }

func walkRow(p unsafe.Pointer, n int, size uintptr, inner shape, w *walk) bool {
	for i := range n {
		if !inner.walk(unsafe.Add(p, uintptr(i)*size), w) {
			return false
		}
	}
	return true
}

func (r pointer) walk(p unsafe.Pointer, w *walk) bool {
	w.refer(*(*unsafe.Pointer)(p), r.shape, 1, 0)
	return true
}

func (r slice) walk(p unsafe.Pointer, w *walk) bool {
	head := *(*[]struct{})(p) // every slice has this head
	w.refer(unsafe.Pointer(unsafe.SliceData(head)), r.shape, len(head), r.size)
	return true
}

func (m mapping) walk(p unsafe.Pointer, w *walk) bool {
	v := reflect.NewAt(m.t, p).Elem()
	if v.Len() == 0 || w.been(place{v.UnsafePointer(), m.value, v.Len()}) {
		return true
	}
	key, value := reflect.New(m.t.Key()), reflect.New(m.t.Elem())
	for it := v.MapRange(); it.Next(); {
		if m.key != nil {
			key.Elem().SetIterKey(it)
			if !m.key.walk(key.UnsafePointer(), w) {
				return false
			}
		}
		if m.value != nil {
			value.Elem().SetIterValue(it)
			if !m.value.walk(value.UnsafePointer(), w) {
				return false
			}
		}
	}
	return true
}

func (d dynamic) walk(p unsafe.Pointer, w *walk) bool {
	v := reflect.NewAt(d.t, p).Elem().Elem()
	if !v.IsValid() {
		return true
	}
	pl := For(v.Type())
	if pl == nil {
		return true
	}
	box := reflect.New(v.Type())
	box.Elem().Set(v)
	if !pl.InSight() {
		w.refer(box.UnsafePointer(), pl.shape, 1, 0)
		return true
	}
	for _, at := range pl.Offsets {
		if !w.meet(*(*unsafe.Pointer)(unsafe.Add(box.UnsafePointer(), at))) {
			return false
		}
	}
	return true
}
