package scan_test

import (
	"container/list"
	"context"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/scan"
)

// target stands for a promise: the futures of these tests point to it.
type target[R any] struct {
	_     scan.Target
	open  bool
	value R
}

type future[R any] struct {
	_      R
	target *target[R]
}

type renamed future[int]

// guarded stands for a type of a package that guards its values.
type guarded struct {
	_ scan.Opaque
	f future[int]
}

func isOpen(c unsafe.Pointer) bool { return (*target[int])(c).open }

func always(unsafe.Pointer) bool { return true }

func opened() future[int] { return future[int]{target: &target[int]{open: true}} }

func closed() future[int] { return future[int]{target: &target[int]{}} }

func planOf[T any](t *testing.T) *scan.Plan {
	t.Helper()
	pl := scan.For(reflect.TypeFor[T]())
	if again := scan.For(reflect.TypeFor[T]()); again != pl {
		t.Error("another plan for the same type")
	}
	return pl
}

// found returns the first open target in v, and checks All against Find.
func found[T any](t *testing.T, v T) *target[int] {
	t.Helper()
	pl := planOf[T](t)
	if pl == nil {
		t.Fatalf("%T holds no futures", v)
	}
	c := pl.Find(unsafe.Pointer(&v), isOpen)
	if all := pl.All(unsafe.Pointer(&v), isOpen); (c != nil) != slices.Contains(all, c) {
		t.Errorf("%T: found %v, all are %v", v, c, all)
	}
	return (*target[int])(c)
}

type (
	itself  *itself
	private struct {
		sync.Mutex
		f any
	}
	counted struct {
		_ atomic.Int32
		f any
	}
	withContext struct {
		context.Context
		f future[int]
	}
	only struct{ context.Context }
	wide [17]future[int]
	tree struct {
		f           future[int]
		left, right *tree
	}
)

// TestPlanOfNothing: types that cannot hold futures have no plan, nor have those that are left
// alone.
func TestPlanOfNothing(t *testing.T) {
	for _, v := range []any{
		0, "",
		[3]int{},
		[]string{},
		map[string]int{},
		struct{ a, b int }{},
		new(int),
		[0]any{},
		[0]future[int]{},
		itself(nil),
		make(chan future[int]), func() future[int] { return opened() },
		guarded{},
		&guarded{},
		[]guarded{},
		map[string]*guarded{},
		private{},
		&private{},
		counted{},
		&sync.Mutex{}, &sync.Map{},
		only{},
		&only{},
		struct{ c context.Context }{},
	} {
		if pl := scan.For(reflect.TypeOf(v)); pl != nil {
			t.Errorf("%T has a plan: %+v", v, pl)
		}
	}
	if planOf[context.Context](t) != nil {
		t.Error("a context has a plan")
	}
}

// TestPlanInSight: the futures of a value without references are in sight, up to 16.
func TestPlanInSight(t *testing.T) {
	type pair struct {
		_ int
		a future[int]
		b [2]future[string]
		c renamed
	}
	var v pair
	want := []uintptr{
		unsafe.Offsetof(v.a) + unsafe.Offsetof(v.a.target),
		unsafe.Offsetof(v.b) + unsafe.Offsetof(v.b[0].target),
		unsafe.Offsetof(v.b) + unsafe.Sizeof(v.b[0]) + unsafe.Offsetof(v.b[0].target),
		unsafe.Offsetof(v.c) + unsafe.Offsetof(v.c.target),
	}
	if pl := planOf[pair](t); !pl.InSight() || pl.Many || !slices.Equal(pl.Offsets, want) {
		t.Errorf("%+v, want the offsets %v", pl, want)
	}
	if pl := planOf[[16]future[int]](t); !pl.InSight() || len(pl.Offsets) != 16 {
		t.Errorf("16 futures: %+v", pl)
	}
	if pl := planOf[wide](t); pl.InSight() || !pl.Many {
		t.Errorf("17 futures: %+v", pl)
	}
}

// TestPlanMany: the number of futures is known of a struct behind a pointer, and depends on the
// value behind slices, maps, interfaces, and pointers that lead back.
func TestPlanMany(t *testing.T) {
	for many, types := range map[bool][]reflect.Type{
		false: {reflect.TypeFor[*future[int]](), reflect.TypeFor[struct{ a, b *struct{ f future[int] } }](), reflect.TypeFor[[3]*future[int]]()},
		true:  {reflect.TypeFor[[]future[int]](), reflect.TypeFor[map[int]future[int]](), reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[*tree]()},
	} {
		for _, of := range types {
			if pl := scan.For(of); pl == nil || pl.InSight() || pl.Many != many {
				t.Errorf("%v: %+v, want many %v", of, pl, many)
			}
		}
	}
}

// TestFind finds the one open future in values of many shapes, and none in the same value once that
// is closed.
func TestFind(t *testing.T) {
	open := opened()
	boxed := any(open)
	for name, look := range map[string]func() *target[int]{
		"future":     func() *target[int] { return found(t, open) },
		"other name": func() *target[int] { return found(t, renamed(open)) },
		"embedded":   func() *target[int] { return found(t, struct{ future[int] }{open}) },
		"beside guarded": func() *target[int] {
			return found(t, struct {
				*guarded
				f future[int]
			}{&guarded{f: opened()}, open})
		},
		"beside a context": func() *target[int] { return found(t, withContext{t.Context(), open}) },
		"the second":       func() *target[int] { return found(t, [2]future[int]{closed(), open}) },
		"zero first":       func() *target[int] { return found(t, [2]future[int]{{}, open}) },
		"the last of 17":   func() *target[int] { return found(t, wide{16: open}) },
		"pointer":          func() *target[int] { return found(t, &open) },
		"two pointers":     func() *target[int] { p := &open; return found(t, [2]**future[int]{nil, &p}) },
		"slice":            func() *target[int] { return found(t, []future[int]{closed(), {}, open}) },
		"no slice":         func() *target[int] { return found(t, [][]future[int]{nil, {}, {open}}) },
		"map's value":      func() *target[int] { return found(t, map[string]future[int]{"a": closed(), "b": open}) },
		"map's key":        func() *target[int] { return found(t, map[future[int]]string{open: "a"}) },
		"no map":           func() *target[int] { return found(t, []map[string]future[int]{nil, {}, {"b": open}}) },
		"interface":        func() *target[int] { return found(t, []any{nil, 3, "text", boxed}) },
		"two interfaces":   func() *target[int] { return found(t, any([]any{[1]any{&boxed}})) },
		"struct in an any": func() *target[int] { return found(t, any(struct{ a, b future[int] }{closed(), open})) },
		"pointer in any":   func() *target[int] { return found(t, any(&tree{right: &tree{f: open}})) },
		"tree":             func() *target[int] { return found(t, &tree{f: closed(), left: &tree{}, right: &tree{f: open}}) },
	} {
		if c := look(); c != open.target {
			t.Errorf("%s: found %v", name, c)
		}
		open.target.open = false
		if c := look(); c != nil {
			t.Errorf("%s: found %v, and all are closed", name, c)
		}
		open.target.open = true
	}
}

// TestFindLeavesAlone: futures that a program guards are not found.
func TestFindLeavesAlone(t *testing.T) {
	guards := &private{f: map[string]any{"f": opened()}}
	for _, v := range []any{
		guards,
		guarded{f: opened()},
		&counted{f: opened()},
		only{context.WithValue(t.Context(), guards, opened())},
		func() future[int] { return opened() }, make(chan future[int]), slog.Default(),
	} {
		if c := found(t, []any{v}); c != nil {
			t.Errorf("found %v in a %T", c, v)
		}
	}
}

// TestFindInRings walks through values that lead back to themselves, by pointers, slices, maps and
// interfaces.
func TestFindInRings(t *testing.T) {
	type node struct {
		value future[int]
		next  *node
		any   []any
	}
	a, b := &node{value: closed()}, &node{value: opened()}
	a.next, b.next = b, a
	a.any = []any{nil, 3, "text", a, a.any, map[string]any{"b": b}}
	a.any[4] = a.any // a slice that contains itself
	m := map[any]any{"x": a}
	m["m"] = m
	b.any = []any{m}
	for range 2 { // the second time with a walk that was used before
		if c := found(t, a); c != b.value.target {
			t.Errorf("found %v", c)
		}
		b.value.target.open = !b.value.target.open
		if c := found(t, m); c != nil {
			t.Errorf("found %v, and all are closed", c)
		}
		b.value.target.open = !b.value.target.open
	}
}

// TestFindInALongList follows links without a stack that grows with them.
func TestFindInALongList(t *testing.T) {
	l := list.New()
	for range 300_000 {
		l.PushBack(1)
	}
	open := opened()
	l.PushBack(open)
	if c := found(t, any(l)); c != open.target {
		t.Errorf("found %v", c)
	}
}

// TestAllFindsEach: All returns each wanted target, as often as a future points to it.
func TestAllFindsEach(t *testing.T) {
	one, two, three := opened(), closed(), opened()
	for _, v := range []any{[4]future[int]{one, two, {}, three}, []future[int]{one, two, {}, three}} {
		pl := scan.For(reflect.TypeOf(v))
		box := reflect.New(reflect.TypeOf(v))
		box.Elem().Set(reflect.ValueOf(v))
		if n := len(pl.All(box.UnsafePointer(), always)); n != 3 {
			t.Errorf("%T: %d targets", v, n)
		}
		if all := pl.All(box.UnsafePointer(), isOpen); !slices.Equal(all, []unsafe.Pointer{unsafe.Pointer(one.target), unsafe.Pointer(three.target)}) {
			t.Errorf("%T: %v are open", v, all)
		}
	}
	shared := []future[int]{one, one}
	if n := len(planOf[[]future[int]](t).All(unsafe.Pointer(&shared), isOpen)); n != 2 {
		t.Errorf("%d for two futures with one target", n)
	}
}

// TestFindInSightAllocatesNothing: to look at the futures in sight allocates nothing.
func TestFindInSightAllocatesNothing(t *testing.T) {
	pl, v := planOf[[3]future[int]](t), [3]future[int]{closed(), closed(), closed()}
	if n := testing.AllocsPerRun(100, func() { pl.Find(unsafe.Pointer(&v), isOpen) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestFindStopsAtTheFirst: no target is asked after the wanted one, wherever the futures are.
func TestFindStopsAtTheFirst(t *testing.T) {
	f := func() future[int] { return opened() }
	type two struct{ a, b future[int] }
	stops(t, two{f(), f()})
	stops(t, [2]future[int]{f(), f()})
	stops(t, []future[int]{f(), f()})
	stops(t, []*two{{f(), f()}, {f(), f()}})
	stops(t, map[future[int]]int{f(): 1, f(): 2})
	stops(t, map[int]future[int]{1: f(), 2: f()})
	stops(t, map[future[int]]future[int]{f(): f(), f(): f()})
	stops(t, struct {
		m map[future[int]]int
		f future[int]
	}{map[future[int]]int{f(): 1}, f()})
	stops(t, struct {
		m map[int]future[int]
		f future[int]
	}{map[int]future[int]{1: f()}, f()})
	stops(t, []any{f(), map[future[int]]bool{f(): true, f(): true}})
	stops(t, struct{ a, b any }{map[future[int]]bool{f(): true, f(): true}, []future[int]{f()}})
}

func stops[T any](t *testing.T, v T) {
	t.Helper()
	asked := 0
	if planOf[T](t).Find(unsafe.Pointer(&v), func(unsafe.Pointer) bool { asked++; return true }) == nil || asked != 1 {
		t.Errorf("%T: %d targets were asked", v, asked)
	}
}
