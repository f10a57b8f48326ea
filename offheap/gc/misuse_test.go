//go:build !explore

package gc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/offheap"
)

// mustPanic fails unless f panics with a text that begins with "gc: " and contains words, in one
// piece.
func mustPanic(t *testing.T, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		text := fmt.Sprint(recover())
		if !strings.HasPrefix(text, "gc: ") || !strings.Contains(text, words) {
			t.Errorf("the panic is %q, want one about %q", text, words)
		}
	}()
	f()
}

func TestMisuse(t *testing.T) {
	h, other := openHeap(t, 1<<20), openHeap(t, 1<<20)
	nodes, others := must(For[tree](h)), must(For[tree](other))
	fresh := func(k Type[tree]) Root[tree] {
		n, err := k.New()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	a, foreign := fresh(nodes), fresh(others)
	t.Run("dropped twice", func(t *testing.T) {
		r := fresh(nodes)
		r.Drop()
		mustPanic(t, "dropped before", r.Drop)
		mustPanic(t, "dropped before", func() { r.Value() })
		mustPanic(t, "dropped before", func() { r.Clone() })
		mustPanic(t, "dropped before", func() { a.Value().left.Store(h, r) })
		fresh(nodes).Drop() // may be in the same slot
		mustPanic(t, "dropped before", r.Drop)
	})
	t.Run("dropped once too often", func(t *testing.T) {
		r := fresh(nodes)
		r.Clone().Drop()
		r.Drop()
		mustPanic(t, "dropped before", r.Drop)
	})
	t.Run("dropped twice and cloned", func(t *testing.T) {
		r := fresh(nodes)
		left, right := r.Clone(), r.Clone()
		r.Drop()
		mustPanic(t, "dropped before", r.Drop)
		mustPanic(t, "dropped before", func() { r.Value() })
		left.Drop()
		mustPanic(t, "dropped before", left.Drop)
		h.Collect(t.Context())
		if right.Value(); !right.Same(r) {
			t.Error("the second Drop of one root has ended another")
		}
		right.Drop()
		mustPanic(t, "dropped before", right.Drop)
	})
	t.Run("zero", func(t *testing.T) {
		var r Root[tree]
		r.Drop()
		if !r.Clone().IsZero() || !r.Same(Root[tree]{}) {
			t.Error("the zero Root is not nothing")
		}
		mustPanic(t, "zero Root", func() { r.Value() })
	})
	t.Run("foreign root", func(t *testing.T) {
		mustPanic(t, "another Heap", func() { a.Value().left.Store(h, foreign) })
		mustPanic(t, "another Heap", func() { a.Value().left.CompareAndSwap(h, Root[tree]{}, foreign) })
	})
	t.Run("foreign field", func(t *testing.T) {
		child := fresh(others)
		foreign.Value().left.Store(other, child)
		child.Drop()
		if rolecheck.Checked {
			mustPanic(t, "no object of this Heap", func() { foreign.Value().left.Load(h) })
			mustPanic(t, "no object of this Heap", func() { foreign.Value().left.Store(h, a) })
			return
		}
		mustPanic(t, "another Heap", func() { foreign.Value().left.Load(h) })
	})
	t.Run("in Go's memory", func(t *testing.T) {
		if rolecheck.Checked {
			n := new(tree)
			mustPanic(t, "no object of this Heap", func() { n.left.Store(h, a) })
		}
	})
	t.Run("closed", func(t *testing.T) {
		if err := h.Close(); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "1") {
			t.Errorf("Close with a root held: %v", err)
		}
		arena, err := offheap.New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		closed, err := New(arena)
		if err != nil {
			t.Fatal(err)
		}
		k := must(For[tree](closed))
		fresh(k).Drop()
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
		mustPanic(t, "closed", func() { k.New() })
		mustPanic(t, "closed", func() { closed.Step(1) })
		mustPanic(t, "closed", func() { closed.Collect(t.Context()) })
		mustPanic(t, "closed", func() { closed.Stats() })
		mustPanic(t, "closed", func() { closed.Close() })
		mustPanic(t, "closed", func() { For[cell](closed) })
		mustPanic(t, "closed", func() { new(tree).left.Store(closed, Root[tree]{}) })
		mustPanic(t, "closed", func() { new(tree).left.Load(closed) })
		if err := arena.Close(); err != nil {
			t.Error(err)
		}
	})
	a.Drop()
	foreign.Drop()
}

func TestOptions(t *testing.T) {
	arena, err := offheap.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer arena.Close()
	for text, o := range map[string]Option{"growth": Growth(0), "between two cycles": Least(-1)} {
		if _, err := New(arena, o); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the error is %v, want one about %q", err, text)
		}
	}
	if _, err := New(nil); err == nil {
		t.Error("a heap without an arena")
	}
}
