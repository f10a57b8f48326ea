package offheap_test

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/offheap"
)

type node struct {
	key         uint64
	left, right offheap.Ref[node]
	name        [10]byte
	weights     [2]struct{ f float32 }
}

// TestView holds that values of a type without pointers are kept.
func TestView(t *testing.T) {
	a := open(t, 1<<20, offheap.TagNames("nodes"))
	v, err := offheap.ViewOf[node](a)
	if err != nil {
		t.Fatal(err)
	}
	v = v.Tagged(1)
	var root offheap.Ref[node]
	if !root.IsZero() {
		t.Error("the zero Ref is none")
	}
	for key := range uint64(100) {
		r, err := v.New()
		if err != nil {
			t.Fatal(err)
		}
		if *v.At(r) != (node{}) {
			t.Fatalf("a new value is %+v", *v.At(r))
		}
		*v.At(r) = node{key: key, left: root, right: root, name: [10]byte{1}, weights: [2]struct{ f float32 }{{1}}}
		root = r
	}
	if tags := a.Stats().Tags; len(tags) != 1 || tags[0].Name != "nodes" || tags[0].Blocks != 100 {
		t.Errorf("%+v", tags)
	}
	for key := uint64(99); !root.IsZero(); key-- {
		n := *v.At(root)
		if n.key != key || n.left != n.right || n.name != [10]byte{1} || n.weights[0].f != 1 {
			t.Fatalf("%+v instead of %d", n, key)
		}
		v.Free(root)
		root = n.left
	}
	rows, err := v.NewSlice(1000)
	if err != nil {
		t.Fatal(err)
	}
	all := v.Slice(rows)
	if len(all) < 1000 || uintptr(len(all))*unsafe.Sizeof(node{}) > uintptr(a.Size(offheap.Block(rows))) {
		t.Errorf("%d values in %d bytes", len(all), a.Size(offheap.Block(rows)))
	}
	for i := range all {
		all[i].key = uint64(i)
	}
	if *v.At(rows) != all[0] || v.Slice(offheap.Ref[node](offheap.Block(rows)))[999].key != 999 {
		t.Error("views of one block differ")
	}
	v.Free(rows)
	if !panicked(func() { v.Free(rows) }) {
		t.Error("a second Free")
	}
	if !panicked(func() { v.NewSlice(-1) }) || !panicked(func() { v.NewSlice(int(^uint(0) >> 1)) }) {
		t.Error("slices of no length")
	}
}

// TestPointers holds that types with pointers are refused, and that the message names the field.
func TestPointers(t *testing.T) {
	a := open(t, 1<<16)
	type inner struct {
		_    int
		Name string
	}
	for want, err := range map[string]error{
		"[3]struct { In offheap_test.inner }[0].In.Name is a string": refused[[3]struct{ In inner }](a),
		"*int is a *int":                                    refused[*int](a),
		"struct { s []uint8 }.s is a []uint8":               refused[struct{ s []byte }](a),
		"struct { m map[int]int }.m is a map[int]int":       refused[struct{ m map[int]int }](a),
		"struct { f func() }.f is a func()":                 refused[struct{ f func() }](a),
		"struct { c chan int }.c is a chan int":             refused[struct{ c chan int }](a),
		"struct { e interface {} }.e is a interface {}":     refused[struct{ e any }](a),
		"struct { p unsafe.Pointer }.p is a unsafe.Pointer": refused[struct{ p unsafe.Pointer }](a),
	} {
		if err == nil {
			t.Errorf("%s: no error", want)
			continue
		}
		says(t, "a pointer", err.Error(), want, "keep a Ref, a Block or an array instead")
	}
	if err := refused[struct {
		none [0]*int
		u    uintptr
		c    complex128
	}](a); err != nil {
		t.Error(err)
	}
}

func refused[T any](a *offheap.Arena) error {
	_, err := offheap.ViewOf[T](a)
	return err
}
