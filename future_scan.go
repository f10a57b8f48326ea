package freerun

import (
	"reflect"
	"sync"
	"unsafe"
)

// firstOpen looks at the futures in the value at p. At the first that has no outcome it returns
// that future; at the first that has failed it returns the error. It returns neither if all have
// results. Zero futures have nothing to wait for.
func (pl *plan) firstOpen(p unsafe.Pointer) (*promise, error) {
	if pl.shape == nil {
		for _, at := range pl.offsets {
			m := *(**promise)(unsafe.Add(p, at))
			if m == nil || m.state.Load() == &filled && m.edge.Load() == nil {
				continue
			}
			if closed, err := m.outcome(); err != nil || !closed {
				return m.unlessFailed(err)
			}
		}
		return nil, nil
	}
	s := newScan(pl)
	defer s.release()
	s.run(p, pl.shape)
	return s.open, s.err
}

func (m *promise) unlessFailed(err error) (*promise, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// allOpen returns all futures in the value at p that have no outcome.
func (pl *plan) allOpen(p unsafe.Pointer) []*promise {
	s := newScan(pl)
	defer s.release()
	s.collect = true
	s.run(p, pl.shape)
	return s.all
}

// each calls f with all futures in the value at p that have a cell, open or not.
func (pl *plan) each(p unsafe.Pointer, f func(*promise)) {
	if pl.shape == nil {
		for _, at := range pl.offsets {
			if m := *(**promise)(unsafe.Add(p, at)); m != nil {
				f(m)
			}
		}
		return
	}
	s := newScan(pl)
	defer s.release()
	s.collect, s.every = true, true
	s.run(p, pl.shape)
	for _, m := range s.all {
		f(m)
	}
}

// scan is one walk through a value. References are put aside and followed later: so a list of
// millions of links needs no stack.
type scan struct {
	collect bool
	every   bool // collect futures that are not open, too
	open    *promise
	err     error
	all     []*promise
	cyclic  bool
	visited map[place]struct{}
	aside   []row
}

// row is n values of one shape, at p and after it.
type row struct {
	place
	size uintptr
}

// place identifies a value that was walked through. The shape belongs to it, because a struct and
// its first field have one address; n is the number of values in a row.
type place struct {
	p unsafe.Pointer
	s shape
	n int
}

var scans = sync.Pool{New: func() any { return &scan{visited: map[place]struct{}{}} }}

func newScan(pl *plan) *scan {
	s := scans.Get().(*scan)
	s.cyclic = pl.cyclic
	return s
}

// release puts the scan back into the pool, unless a large value has made it large.
func (s *scan) release() {
	const most = 1024
	if len(s.visited) > most || cap(s.aside) > most {
		return
	}
	clear(s.visited)
	clear(s.aside[:cap(s.aside)])
	*s = scan{visited: s.visited, aside: s.aside[:0]}
	scans.Put(s)
}

// run walks through the value at p and all that it leads to.
func (s *scan) run(p unsafe.Pointer, first shape) {
	for r := (row{place: place{p, first, 1}}); walkRow(r.p, r.n, r.size, r.s, s); {
		last := len(s.aside) - 1
		if last < 0 {
			return
		}
		r, s.aside[last] = s.aside[last], row{}
		s.aside = s.aside[:last]
	}
}

// meet looks at a future, and reports whether to go on.
func (s *scan) meet(m *promise) bool {
	if m == nil {
		return true
	}
	closed, err := m.outcome()
	switch {
	case s.collect:
		if !closed || s.every {
			s.all = append(s.all, m)
		}
		return true
	case err != nil:
		s.err = err
		return false
	case !closed:
		s.open = m
		return false
	}
	return true
}

// refer puts the n values at p aside, to be walked through later; only once, if values may lead
// back.
func (s *scan) refer(p unsafe.Pointer, inner shape, n int, size uintptr) {
	at := place{p, inner, n}
	if p == nil || n == 0 || s.been(at) {
		return
	}
	s.aside = append(s.aside, row{at, size})
}

// been reports whether a place was walked through before, and remembers it. It does so only if
// values may lead back.
func (s *scan) been(at place) bool {
	if !s.cyclic {
		return false
	}
	if _, been := s.visited[at]; been {
		return true
	}
	s.visited[at] = struct{}{}
	return false
}

// shape is the form of a value. walk goes through the value at p and meets its futures; it
// returns false if it was told to stop. Behind a reference there is always a *reference or an
// aFuture. Those can be compared, as places are.
type shape interface {
	walk(p unsafe.Pointer, s *scan) bool
}

type (
	aFuture   struct{ cell uintptr } // the offset of the cell
	reference struct{ to shape }     // to another shape, perhaps one that contains this
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

func (f aFuture) walk(p unsafe.Pointer, s *scan) bool {
	return s.meet(*(**promise)(unsafe.Add(p, f.cell)))
}

func (r *reference) walk(p unsafe.Pointer, s *scan) bool { return r.to.walk(p, s) }

func (f fields) walk(p unsafe.Pointer, s *scan) bool {
	for _, one := range f {
		if !one.shape.walk(unsafe.Add(p, one.at), s) {
			return false
		}
	}
	return true
}

func (a array) walk(p unsafe.Pointer, s *scan) bool { return walkRow(p, a.n, a.size, a.shape, s) }

func walkRow(p unsafe.Pointer, n int, size uintptr, inner shape, s *scan) bool {
	for i := range n {
		if !inner.walk(unsafe.Add(p, uintptr(i)*size), s) {
			return false
		}
	}
	return true
}

func (r pointer) walk(p unsafe.Pointer, s *scan) bool {
	s.refer(*(*unsafe.Pointer)(p), r.shape, 1, 0)
	return true
}

func (r slice) walk(p unsafe.Pointer, s *scan) bool {
	head := *(*[]struct{})(p) // every slice has this head
	s.refer(unsafe.Pointer(unsafe.SliceData(head)), r.shape, len(head), r.size)
	return true
}

func (m mapping) walk(p unsafe.Pointer, s *scan) bool {
	v := reflect.NewAt(m.t, p).Elem()
	if v.Len() == 0 || s.been(place{v.UnsafePointer(), m.value, v.Len()}) {
		return true
	}
	key, value := reflect.New(m.t.Key()), reflect.New(m.t.Elem())
	for it := v.MapRange(); it.Next(); {
		if m.key != nil {
			key.Elem().SetIterKey(it)
			if !m.key.walk(key.UnsafePointer(), s) {
				return false
			}
		}
		if m.value != nil {
			value.Elem().SetIterValue(it)
			if !m.value.walk(value.UnsafePointer(), s) {
				return false
			}
		}
	}
	return true
}

func (d dynamic) walk(p unsafe.Pointer, s *scan) bool {
	v := reflect.NewAt(d.t, p).Elem().Elem()
	if !v.IsValid() {
		return true
	}
	pl := planFor(v.Type())
	if pl == nil {
		return true
	}
	box := reflect.New(v.Type())
	box.Elem().Set(v)
	if pl.shape != nil {
		s.refer(box.UnsafePointer(), pl.shape, 1, 0)
		return true
	}
	for _, at := range pl.offsets {
		if !s.meet(*(**promise)(unsafe.Add(box.UnsafePointer(), at))) {
			return false
		}
	}
	return true
}
