//go:build explore

package gc

import (
	"context"
	"errors"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/offheap"
)

// plot is memory for the explorer: each block is a piece of Go's heap of its own. It fails an
// execution that frees a block twice.
type plot struct {
	r      *explore.Run
	blocks [][]uint64
	freed  []bool
}

func (p *plot) Alloc(size int) (offheap.Block, error) {
	p.blocks = append(p.blocks, make([]uint64, size/8))
	p.freed = append(p.freed, false)
	return offheap.Block(len(p.blocks)), nil
}

func (p *plot) Free(b offheap.Block) {
	if p.freed[b-1] {
		p.r.Failf("block %d is freed twice", b)
	}
	p.freed[b-1] = true
}

func (p *plot) Bytes(b offheap.Block) []byte {
	words := p.blocks[b-1]
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
}

// pair is the type of the objects in the explorer's graphs.
type pair struct {
	left, right Pointer[pair]
	value       uint64
}

// world is a heap in one execution.
type world struct {
	*explore.Run
	*Heap
	plot  *plot
	pairs Type[pair]
}

func newWorld(r *explore.Run) *world {
	p := &plot{r: r}
	h, err := newHeap(p, Manual())
	if err != nil {
		r.Failf("%v", err)
	}
	h.growLocals(4)
	newest = &world{r, h, p, must(For[pair](h))}
	return newest
}

// newest is the world that was made last.
var newest *world

// make returns a root of a new pair.
func (w *world) make(value uint64) Root[pair] {
	n, err := w.pairs.New()
	if err != nil {
		w.Failf("%v", err)
	}
	n.Value().value = value
	return n
}

// check fails unless the object that a root holds is allocated and has its value.
func (w *world) check(n Root[pair], value uint64) {
	v := w.holds(n.slot.word.Load())
	c := w.chunk(v.chunk())
	if word(c.words[v.index()/perWord].Load()).allocated()&(1<<(v.index()%perWord)) == 0 {
		w.Failf("the object with value %d was freed", value)
	}
	if got := n.Value().value; got != value {
		w.Failf("the object with value %d has %d", value, got)
	}
}

// live counts the objects that are allocated, without those that are only reserved.
func (w *world) live() (n int) {
	for id := range w.directory.count.Load() + 1 {
		c := w.chunk(uint32(id))
		if c == nil {
			continue
		}
		for i := range c.words {
			n += bits.OnesCount8(word(c.words[i].Load()).allocated() &^ c.kind.announced(c, i))
		}
	}
	return n
}

// collect goes through a cycle.
func (w *world) collect() {
	if err := w.Collect(context.Background()); err != nil {
		w.Failf("%v", err)
	}
}

// settled fails unless the number of live objects after two collections is want.
func (w *world) settled(want int) {
	w.collect()
	w.collect()
	if got := w.live(); got != want {
		w.Failf("%d objects are live at the end, want %d", got, want)
	}
}

// move has a mutator move an object from one field to another, through a root, while collectors
// work.
func move(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		a, b := w.make(1), w.make(2)
		a.Value().left.Store(w.Heap, b)
		b.Drop()
		r.Go("mutator", func() {
			b := a.Value().left.Load(w.Heap)
			w.check(b, 2)
			a.Value().left.Store(w.Heap, Root[pair]{})
			a.Value().right.Store(w.Heap, b)
			b.Drop()
			b = a.Value().right.Load(w.Heap)
			w.check(b, 2)
			b.Drop()
		})
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() {
			b := a.Value().right.Load(w.Heap)
			w.check(b, 2)
			b.Drop()
			w.settled(2)
			a.Value().right.Store(w.Heap, Root[pair]{})
			w.settled(1)
		})
	}
}

// hide has a mutator take an object, with another below it, out of the graph.
func hide(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		c, d, e, f := w.make(3), w.make(4), w.make(5), w.make(6) // the first chunk
		a, b := w.make(1), w.make(2)
		a.Value().left.Store(w.Heap, b)
		b.Value().left.Store(w.Heap, c)
		c.Value().left.Store(w.Heap, d)
		for _, n := range []Root[pair]{b, c, d, e, f} {
			n.Drop()
		}
		r.Go("mutator", func() {
			b := a.Value().left.Load(w.Heap)
			c := b.Value().left.Load(w.Heap)
			b.Value().left.Store(w.Heap, Root[pair]{})
			b.Drop()
			d := c.Value().left.Load(w.Heap)
			c.Drop()
			w.check(d, 4)
			d.Drop()
		})
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() {
			b := a.Value().left.Load(w.Heap)
			w.check(b, 2)
			b.Drop()
			w.settled(2)
		})
	}
}

// relay has a mutator take an object out of the graph, and then take another from it into a root
// that collectors look at first.
func relay(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		a, b, c := w.make(1), w.make(2), w.make(3)
		a.Value().left.Store(w.Heap, b)
		b.Value().left.Store(w.Heap, c)
		b.Drop()
		c.Drop()
		y := w.make(5) // where b will be held
		x := w.make(4) // where c will be
		y.Drop()
		r.Go("mutator", func() {
			b := a.Value().left.Load(w.Heap)
			a.Value().left.Store(w.Heap, Root[pair]{})
			x.Drop()
			c = b.Value().left.Load(w.Heap)
			b.Drop()
		})
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() {
			w.check(c, 3)
			w.settled(2)
		})
	}
}

// hand has a mutator store an object that only its root holds, and drop the root.
func hand(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		b, c := w.make(2), w.make(3)
		a := w.make(1) // on a younger page than b, so collectors look at it before b
		r.Go("mutator", func() {
			a.Value().left.Store(w.Heap, b)
			b.Drop()
		})
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() {
			b := a.Value().left.Load(w.Heap)
			w.check(b, 2)
			b.Drop()
			w.check(c, 3)
			w.settled(3)
		})
	}
}

// cloned has a mutator clone the only root of an object into a slot that collectors look at first,
// drop the original, and take out of the object the reference that it has.
func cloned(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		a, b := w.make(1), w.make(2)
		a.Value().left.Store(w.Heap, b)
		b.Drop()
		y := w.make(4) // where b will be held
		x := w.make(3) // where the clone will be
		y.Drop()
		r.Go("mutator", func() {
			x.Drop()
			c := a.Clone()
			a.Drop()
			w.check(c, 1)
			b = c.Value().left.Load(w.Heap)
			c.Drop()
		})
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() {
			w.check(b, 2)
			w.settled(1)
		})
	}
}

// observed has a mutator compare, exchange and look, while one thread collects and another helps
// and asks for the figures.
func observed(r *explore.Run) {
	w := newWorld(r)
	a, b := w.make(1), w.make(2)
	a.Value().left.Store(w.Heap, b)
	r.Go("mutator", func() {
		c := a.Value().left.Load(w.Heap)
		if !c.Same(b) || !a.Value().left.Refers(b) || a.Value().left.IsZero() || !a.Value().right.IsZero() {
			r.Failf("the field refers to something else than was set")
		}
		if a.Value().left.CompareAndSwap(w.Heap, a, c) || !a.Value().left.CompareAndSwap(w.Heap, b, Root[pair]{}) {
			r.Failf("CompareAndSwap takes one object for another")
		}
		b.Drop()
		if a.Value().left.Refers(c) || !a.Value().left.Refers(Root[pair]{}) {
			r.Failf("the field refers to what was taken out of it")
		}
		w.check(c, 2)
		c.Drop()
	})
	r.Go("collector", w.collect)
	r.Go("helper", func() {
		w.Step(8)
		if s := w.Stats(); s.Roots < 1 || s.Roots > 3 {
			r.Failf("%d roots", s.Roots)
		}
	})
	r.After(func() {
		ended, end := context.WithCancel(context.Background())
		end()
		if err := w.Tend(ended); err == nil {
			r.Failf("Tend returns nil with a context that has ended")
		}
		w.settled(1)
		if err := w.Close(); !errors.Is(err, ErrInUse) {
			r.Failf("Close with a root held: %v", err)
		}
		a.Drop()
		if err := w.Close(); err != nil {
			r.Failf("Close: %v", err)
		}
	})
}

// look fails unless an object that Pointer.Value returned is allocated and has its value.
func (w *world) look(at *Pointer[pair], value uint64) *pair {
	v := ref(at.word.Load())
	n := at.Value(w.Heap)
	if n == nil {
		w.Failf("no reference to the object with value %d", value)
	}
	c := w.chunk(v.chunk())
	if word(c.words[v.index()/perWord].Load()).allocated()&(1<<(v.index()%perWord)) == 0 {
		w.Failf("the object with value %d was freed", value)
	}
	if n.value != value {
		w.Failf("the object with value %d has %d", value, n.value)
	}
	return n
}

// looked has a mutator read a list that only the root of its first object holds. In an object
// without a root it takes a root of the next one, and stores a new one.
func looked(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		a, b, c := w.make(1), w.make(2), w.make(3)
		a.Value().left.Store(w.Heap, b)
		b.Value().left.Store(w.Heap, c)
		b.Drop()
		c.Drop()
		r.Go("mutator", func() {
			b := w.look(&a.Value().left, 2)
			w.look(&b.left, 3)
			c := b.left.Load(w.Heap)
			d := w.make(4)
			b.right.Store(w.Heap, d)
			d.Drop()
			w.look(&b.right, 4)
			if a.Value().right.Value(w.Heap) != nil {
				r.Failf("an empty field refers to something")
			}
			a.Drop()
			w.check(c, 3)
			a = c
		})
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() {
			w.check(a, 3)
			w.settled(1)
		})
	}
}

// cut breaks the condition of Pointer.Value: one mutator takes the object out of the graph while
// another one looks at it without a root.
func cut(r *explore.Run) {
	w := newWorld(r)
	a, b := w.make(1), w.make(2)
	a.Value().left.Store(w.Heap, b)
	v := w.holds(b.slot.word.Load())
	b.Drop()
	r.Go("writer", func() {
		a.Value().left.Store(w.Heap, Root[pair]{})
		w.collect()
		w.collect()
	})
	r.Go("reader", func() {
		if n := a.Value().left.Value(w.Heap); n != nil {
			at, bit := w.chunk(v.chunk()).wordOf(v)
			if n.value != 2 || word(at.Load()).allocated()&bit == 0 {
				w.Failf("the object was freed")
			}
		}
	})
}

// chain has several collectors follow a list whose objects are in two chunks.
func chain(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		d, c, e, f := w.make(4), w.make(3), w.make(5), w.make(6) // the first chunk
		b, a := w.make(2), w.make(1)
		a.Value().left.Store(w.Heap, b)
		b.Value().left.Store(w.Heap, c)
		c.Value().left.Store(w.Heap, d)
		for _, n := range []Root[pair]{b, c, d, e, f} {
			n.Drop()
		}
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() {
			b := a.Value().left.Load(w.Heap)
			w.check(b, 2)
			c := b.Value().left.Load(w.Heap)
			w.check(c, 3)
			d := c.Value().left.Load(w.Heap)
			w.check(d, 4)
			b.Drop()
			c.Drop()
			d.Drop()
			w.settled(4)
		})
	}
}

// endgame has one collector scan an object while another finds out whether tracing is complete. The
// object is in the second chunk, the object that it refers to in the first.
func endgame(r *explore.Run) {
	w := newWorld(r)
	d, c, e, f := w.make(4), w.make(3), w.make(5), w.make(6) // the first chunk
	b, a := w.make(2), w.make(1)
	a.Value().left.Store(w.Heap, b)
	b.Value().left.Store(w.Heap, c)
	c.Value().left.Store(w.Heap, d)
	grey := w.holds(b.slot.word.Load())
	for _, n := range []Root[pair]{b, c, d, e, f} {
		n.Drop()
	}
	w.start(state(w.state.Load()))
	early := w.claim()
	for state(w.state.Load()).phase() != tracing {
		early.step(w.Heap)
	}
	early.enterPhase(w.Heap, state(w.state.Load()))
	early.scanObject(w.Heap, w.holds(a.slot.word.Load()))
	r.Go("looker", func() { early.scanObject(w.Heap, grey) })
	r.Go("verifier", func() {
		late := w.claim()
		late.number = 0 // goes through the chunks from the first
		for state(w.state.Load()).phase() != idle {
			late.step(w.Heap)
		}
		late.release()
	})
	r.After(func() {
		early.release()
		b := a.Value().left.Load(w.Heap)
		c := b.Value().left.Load(w.Heap)
		w.check(c, 3)
		d := c.Value().left.Load(w.Heap)
		w.check(d, 4)
		b.Drop()
		c.Drop()
		d.Drop()
		w.settled(4)
	})
}

// revive has a chunk lose its memory and get other memory while a collector may be looking into the
// former.
func revive(r *explore.Run) {
	w := newWorld(r)
	var all [4]Root[pair] // all of a chunk
	for i := range all {
		all[i] = w.make(uint64(i))
	}
	r.Go("mutator", func() {
		for _, n := range all {
			n.Drop()
		}
		w.collect()
		w.collect()
		n := w.make(9)
		w.check(n, 9)
		n.Drop()
	})
	r.Go("collector", w.collect)
	r.After(func() { w.settled(0) })
}

// janitor adds a thread that makes garbage and collects it, whatever the other threads do.
func janitor(body func(int) func(*explore.Run)) func(*explore.Run) {
	return func(r *explore.Run) {
		body(1)(r)
		w := newest
		r.Go("janitor", func() {
			n, m := w.make(21), w.make(22)
			n.Value().left.Store(w.Heap, m)
			m.Value().left.Store(w.Heap, n)
			refs := []ref{w.holds(n.slot.word.Load()), w.holds(m.slot.word.Load())}
			n.Drop()
			m.Drop()
			w.collect()
			w.collect()
			for _, v := range refs {
				if word(w.chunk(v.chunk()).words[v.index()/perWord].Load()).allocated()&(1<<(v.index()%perWord)) != 0 {
					// no other thread reuses it by now
					if at := (*pair)(w.chunk(v.chunk()).at(v.index())); at.value > 20 {
						w.Failf("garbage with value %d is still there", at.value)
					}
				}
			}
		})
	}
}

// reader has one mutator replace an object by a new one, and another read the field.
func reader(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		a, b := w.make(1), w.make(2)
		a.Value().left.Store(w.Heap, b)
		b.Drop()
		r.Go("writer", func() {
			a.Value().left.Store(w.Heap, Root[pair]{})
			n := w.make(2)
			a.Value().left.Store(w.Heap, n)
			n.Drop()
		})
		r.Go("reader", func() {
			if n := a.Value().left.Load(w.Heap); !n.IsZero() {
				w.check(n, 2)
				n.Drop()
			}
		})
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() { w.settled(2) })
	}
}

// create has a mutator make objects while collectors work.
func create(collectors int) func(*explore.Run) {
	return func(r *explore.Run) {
		w := newWorld(r)
		a := w.make(1)
		r.Go("mutator", func() {
			n := w.make(2)
			n.Value().left.Store(w.Heap, a)
			m := w.make(3)
			m.Value().left.Store(w.Heap, n)
			n.Drop()
			n = m.Value().left.Load(w.Heap)
			w.check(n, 2)
			n.Drop()
			w.check(m, 3)
			m.Drop()
		})
		for range collectors {
			r.Go("collector", w.collect)
		}
		r.After(func() { w.settled(1) })
	}
}

// programs are the explored programs; their parameter is the number of collectors.
var programs = []struct {
	name string
	body func(int) func(*explore.Run)
}{{"hand", hand}, {"chain", chain}, {"move", move}, {"hide", hide}, {"relay", relay}, {"cloned", cloned}, {"create", create}, {"reader", reader}, {"looked", looked}}

func TestExploreCollector(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) { explore.Exhaustive(t, 2, p.body(1)) })
		t.Run(p.name+" two", func(t *testing.T) { explore.Exhaustive(t, 1, p.body(2)) })
		t.Run(p.name+" random", func(t *testing.T) { explore.Random(t, 2000, p.body(2)) })
	}
	t.Run("observed", func(t *testing.T) { explore.Exhaustive(t, 1, observed) })
	t.Run("observed random", func(t *testing.T) { explore.Random(t, 2000, observed) })
	t.Run("endgame", func(t *testing.T) { explore.Exhaustive(t, 3, endgame) })
	t.Run("revive", func(t *testing.T) { explore.Exhaustive(t, 1, revive) })
	t.Run("revive random", func(t *testing.T) { explore.Random(t, 2000, revive) })
}

// TestExploreFrozen stops a mutator or a collector for good at each of its steps. The others go on,
// and collect the garbage that it leaves behind.
func TestExploreFrozen(t *testing.T) {
	t.Run("endgame", func(t *testing.T) { explore.Freeze(t, endgame) })
	t.Run("revive", func(t *testing.T) { explore.Freeze(t, revive) })
	for name, body := range map[string]func(int) func(*explore.Run){"move": move, "create": create, "reader": reader, "looked": looked} {
		t.Run(name, func(t *testing.T) { explore.Freeze(t, janitor(body)) })
	}
}
