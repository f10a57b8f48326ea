package offheap_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

func open(t testing.TB, size int64, options ...offheap.Option) *offheap.Arena {
	t.Helper()
	a, err := offheap.New(size, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return a
}

func TestFirst(t *testing.T) {
	a := open(t, 1<<20)
	var held []offheap.Block
	for size := 0; size <= 5000; size += 37 {
		b, err := a.Alloc(size)
		if err != nil {
			t.Fatal(err)
		}
		bytes := a.Bytes(b)
		if len(bytes) < size || len(bytes) != a.Size(b) {
			t.Fatalf("%d bytes for %d", len(bytes), size)
		}
		for i := range bytes {
			bytes[i] = byte(len(held))
		}
		held = append(held, b)
	}
	for i, b := range held {
		for _, v := range a.Bytes(b) {
			if v != byte(i) {
				t.Fatalf("%d was overwritten", i)
			}
		}
		a.Free(b)
	}
	b, err := a.Alloc(1 << 20)
	if err != nil {
		t.Fatalf("not all is merged: %v", err)
	}
	if _, err := a.Alloc(1); !errors.Is(err, offheap.ErrNoMemory) {
		t.Fatalf("a full arena gave %v", err)
	}
	a.Free(b)
	func() {
		defer func() {
			if p, _ := recover().(string); !strings.Contains(p, "freed or resized before") {
				t.Errorf("a second Free: %q", p)
			}
		}()
		a.Free(b)
	}()
}

func TestParallel(t *testing.T) {
	a := open(t, 1<<22)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			var held []offheap.Block
			for i := range 2000 {
				if b, err := a.Alloc((i * 131 * (g + 1)) % 3000); err == nil {
					for j := range a.Bytes(b) {
						a.Bytes(b)[j] = byte(b)
					}
					held = append(held, b)
				}
				if len(held) > 50 {
					b := held[i%50]
					for _, v := range a.Bytes(b) {
						if v != byte(b) {
							t.Errorf("overwritten")
							return
						}
					}
					a.Free(b)
					held[i%50] = held[50]
					held = held[:50]
				}
			}
			for _, b := range held {
				a.Free(b)
			}
		})
	}
	all.Wait()
}

func TestPointers(t *testing.T) {
	type inner struct {
		n    int
		name string
	}
	a := open(t, 1<<20)
	_, err := offheap.ViewOf[[3]struct{ in inner }](a)
	if err == nil || !strings.Contains(err.Error(), "[0].in.name is a string") {
		t.Errorf("got %v", err)
	}
	v, err := offheap.ViewOf[struct{ next offheap.Ref[int] }](a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := v.New()
	if err != nil {
		t.Fatal(err)
	}
	v.At(r).next = offheap.RefOf[int](r.Block())
	v.Free(r)
}
