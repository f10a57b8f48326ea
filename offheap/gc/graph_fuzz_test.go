//go:build !explore

package gc

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

// item is an object of the fuzzed graphs.
type item struct {
	id   uint64
	refs [3]Pointer[item]
}

// model is the expected graph: for each object the objects to which its fields refer, 0 for none,
// and the objects that the roots hold.
type model struct {
	fields map[uint64][3]uint64
	roots  []uint64
}

// reachable returns the objects that the roots reach.
func (m *model) reachable() map[uint64]bool {
	seen := map[uint64]bool{}
	list := append([]uint64(nil), m.roots...)
	for len(list) > 0 {
		id := list[len(list)-1]
		list = list[:len(list)-1]
		if id == 0 || seen[id] {
			continue
		}
		seen[id] = true
		f := m.fields[id]
		list = append(list, f[:]...)
	}
	return seen
}

// FuzzGraph reads bytes as operations on a graph with a few roots, and compares the heap with the
// model: every field refers to the right object, and after each collection as many objects are left
// as the roots reach.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{0, 1, 2, 10, 30, 40, 50, 3, 4, 5, 60, 70, 80, 90, 100, 110, 120, 250, 251, 252, 253, 254, 255})
	f.Add([]byte("a graph that grows, and a graph that is cut: new, link, cut, collect; and again, and again"))
	f.Fuzz(func(t *testing.T, program []byte) {
		a, err := offheap.New(4 << 20)
		if err != nil {
			t.Fatal(err)
		}
		h, err := New(a, Manual())
		if err != nil {
			t.Fatal(err)
		}
		items := must(For[item](h))
		const roots = 4
		m := model{fields: map[uint64][3]uint64{}, roots: make([]uint64, roots)}
		var held [roots]Root[item]
		id := func(r Root[item]) uint64 {
			if r.IsZero() {
				return 0
			}
			return r.Value().id
		}
		collect := func(times int) {
			for range times {
				if err := h.Collect(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			if live, want := uint64(len(m.fields))-h.freed.Load(), len(m.reachable()); live != uint64(want) {
				t.Fatalf("%d objects are live after a collection, and %d can be reached", live, want)
			}
		}
		for n := 0; n+1 < len(program); n += 2 {
			op, arg := program[n], program[n+1]
			r, field, other := int(arg)%roots, int(arg/roots)%3, int(arg/(3*roots))%roots
			switch op % 8 {
			case 0, 1: // a new object, which refers to the root's old one
				c, err := items.New()
				if err != nil {
					t.Fatal(err)
				}
				c.Value().id = uint64(len(m.fields) + 1)
				c.Value().refs[field].Store(h, held[r])
				held[r].Drop()
				held[r] = c
				fields := [3]uint64{}
				fields[field] = m.roots[r]
				m.roots[r] = c.Value().id
				m.fields[m.roots[r]] = fields
			case 2, 3: // a reference
				if m.roots[r] != 0 {
					held[r].Value().refs[field].Store(h, held[other])
					fields := m.fields[m.roots[r]]
					fields[field] = m.roots[other]
					m.fields[m.roots[r]] = fields
				}
			case 4: // a root is dropped
				held[r].Drop()
				held[r], m.roots[r] = Root[item]{}, 0
			case 5: // a step along a field, into another root
				if m.roots[r] != 0 {
					c := held[r].Value().refs[field].Load(h)
					if want := m.fields[m.roots[r]][field]; id(c) != want {
						t.Fatalf("field %d of object %d refers to %d, want %d", field, m.roots[r], id(c), want)
					}
					held[other].Drop()
					held[other], m.roots[other] = c, id(c)
				}
			case 6: // the same root twice
				c := held[r].Clone()
				held[other].Drop()
				held[other], m.roots[other] = c, m.roots[r]
			case 7:
				if arg < 192 { // a part of a cycle
					if s := state(h.state.Load()); s.phase() == idle {
						h.start(s)
					}
					h.Step(int(arg))
				} else {
					collect(1)
				}
			}
			for i := range held {
				if id(held[i]) != m.roots[i] {
					t.Fatalf("root %d holds %d, want %d", i, id(held[i]), m.roots[i])
				}
			}
		}
		collect(1)
		for i := range held {
			held[i].Drop()
			m.roots[i] = 0
		}
		collect(1)
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
