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
		N    uint8
		Next Pointer[inner]
	}
	embedding struct {
		First uint64
		Pointer[inner]
		Last Pointer[embedding]
	}
	nested struct {
		A     int32
		In    inner
		Array [2]struct {
			Flag bool
			P    [2]Pointer[nested]
		}
		F float64
	}
	named   Pointer[inner]
	renamed struct{ P named }
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
		OK   Pointer[tree]
		List [3]struct{ Bad *int }
	}
	for field, typ := range map[string]reflect.Type{
		"deep.List[i].Bad": reflect.TypeFor[deep](),
		".S":               reflect.TypeFor[struct{ S []byte }](),
		".T":               reflect.TypeFor[struct{ T string }](),
		".M":               reflect.TypeFor[struct{ M map[int]int }](),
		".I":               reflect.TypeFor[struct{ I any }](),
		".C":               reflect.TypeFor[struct{ C chan int }](),
		".F":               reflect.TypeFor[struct{ F func() }](),
		".R":               reflect.TypeFor[struct{ R Root[tree] }](),
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
