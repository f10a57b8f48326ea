//go:build !explore

package gc

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

type (
	inner struct {
		n    uint8
		next Pointer[inner]
	}
	embedding struct {
		first uint64
		Pointer[inner]
		last Pointer[embedding]
	}
	nested struct {
		a     int32
		in    inner
		array [2]struct {
			flag bool
			p    [2]Pointer[nested]
		}
		f float64
	}
	named   Pointer[inner]
	renamed struct{ p named }
)

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		typ  reflect.Type
		refs []uintptr
		size uintptr
	}{
		{reflect.TypeFor[struct{}](), nil, 8},
		{reflect.TypeFor[[3]byte](), nil, 8},
		{reflect.TypeFor[tree](), []uintptr{0, 8}, 16},
		{reflect.TypeFor[Pointer[tree]](), []uintptr{0}, 8},
		{reflect.TypeFor[[3]Pointer[tree]](), []uintptr{0, 8, 16}, 24},
		{reflect.TypeFor[embedding](), []uintptr{8, 16}, 24},
		{reflect.TypeFor[nested](), []uintptr{16, 32, 40, 56, 64}, 80},
		{reflect.TypeFor[renamed](), []uintptr{0}, 8},
	} {
		l, err := layoutOf(c.typ)
		if err != nil || !slices.Equal(l.refs, c.refs) || l.size != c.size {
			t.Errorf("%v: references at %v, size %d, %v; want %v and %d", c.typ, l.refs, l.size, err, c.refs, c.size)
		}
		covered := uintptr(len(l.refs)) * refSize
		for _, p := range l.plain {
			covered += p.size
		}
		if covered != l.size {
			t.Errorf("%v: references and what lies between them have %d bytes of %d", c.typ, covered, l.size)
		}
	}
}

func TestLayoutRefuses(t *testing.T) {
	type deep struct {
		ok   Pointer[tree]
		list [3]struct{ bad *int }
	}
	for field, typ := range map[string]reflect.Type{
		"deep.list[i].bad": reflect.TypeFor[deep](),
		".s":               reflect.TypeFor[struct{ s []byte }](),
		".t":               reflect.TypeFor[struct{ t string }](),
		".m":               reflect.TypeFor[struct{ m map[int]int }](),
		".i":               reflect.TypeFor[struct{ i any }](),
		".c":               reflect.TypeFor[struct{ c chan int }](),
		".f":               reflect.TypeFor[struct{ f func() }](),
		".r":               reflect.TypeFor[struct{ r Root[tree] }](),
		"*gc.tree":         reflect.TypeFor[*tree](),
		"bytes":            reflect.TypeFor[[mostSize + 1]byte](),
	} {
		if _, err := layoutOf(typ); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%v: %v; want an error that names %q", typ, err, field)
		}
	}
	h := openHeap(t, 1<<20)
	if _, err := For[deep](h); err == nil {
		t.Error("For takes what it cannot follow")
	}
}
