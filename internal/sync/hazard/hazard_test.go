//go:build !explore

package hazard

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

type node struct{ value int }

// reserved returns a domain with a number of records. The test uses them as if it held them all.
func reserved(t *testing.T, records int) (*Domain[node], []*Record[node]) {
	t.Helper()
	d := new(Domain[node])
	d.Reserve(records)
	all := slices.Collect(d.All())
	if len(all) < records || len(all) != d.Records() {
		t.Fatalf("%d records were reserved; All yields %d, Records says %d", records, len(all), d.Records())
	}
	return d, all
}

// TestAcquireExchanges follows one node through pools.
func TestAcquireExchanges(t *testing.T) {
	d, r := reserved(t, 3)
	var a, b, c node
	own := r[0]
	if n := d.Acquire(own, &a); n != &a {
		t.Error("a node that no word names was not acquired")
	}
	own.SetNow(0, &a)
	if n := d.Acquire(own, &a); n != &a {
		t.Error("one's own word keeps one from acquiring")
	}
	if n := d.Acquire(own, nil); n != nil {
		t.Error("a node came from nowhere")
	}
	r[2].SetNow(1, &b)
	if n := d.Acquire(own, &b); n != nil || r[2].Pooled(1) != &b {
		t.Error("a node that a word names is not in the pool beside it")
	}
	r[2].SetNow(1, &c) // b is free now, and in the pool until an operation needs it
	r[1].Set(0, &a)
	if n := d.Acquire(own, &a); n != nil || r[1].Pooled(0) != &a {
		t.Error("a second pool does not take a node")
	}
	r[1].SetNow(0, &b)
	// c is named, and exchanged for b, which is named too, and exchanged for a.
	if n := d.Acquire(own, &c); n != &a || r[2].Pooled(1) != &c || r[1].Pooled(0) != &b {
		t.Errorf("acquired %p; a, b and c are %p, %p and %p", n, &a, &b, &c)
	}
	for i, want := range []*node{&b, nil} {
		if r[1].Pooled(i) != want {
			t.Errorf("pool %d holds %p", i, r[1].Pooled(i))
		}
	}
	if r[1].Names(&b) != 0 || r[2].Names(&c) != 1 || r[2].Names(&a) != -1 {
		t.Error("Names does not say what was set")
	}
}

// TestAcquireMisses holds that at most 2N nodes ever go to pools without another coming out, and
// that no node is in two places.
func TestAcquireMisses(t *testing.T) {
	const records = 4
	d, r := reserved(t, records)
	random := rand.New(rand.NewPCG(replay.Seed(t), 0))
	nodes := make([]node, 40)
	free := map[*node]bool{}
	for i := range nodes {
		free[&nodes[i]] = true
	}
	misses := 0
	for range 20_000 {
		r[random.IntN(len(r))].SetNow(random.IntN(Words), &nodes[random.IntN(len(nodes))])
		own, n := r[random.IntN(len(r))], &nodes[random.IntN(len(nodes))]
		if !free[n] {
			continue // in a pool
		}
		delete(free, n)
		got := d.Acquire(own, n)
		if got == nil {
			misses++
			continue
		}
		if free[got] {
			t.Fatal("a node was acquired that was not in a pool")
		}
		free[got] = true
		for _, other := range r {
			if other != own && other.Names(got) >= 0 {
				t.Fatal("a node was acquired that is named")
			}
		}
	}
	if most := Words * d.Records(); misses > most {
		t.Errorf("%d times there was nothing in exchange, at most %d are right", misses, most)
	}
	pooled := 0
	for _, other := range r {
		for w := range Words {
			if other.Pooled(w) != nil {
				pooled++
			}
		}
	}
	if pooled != misses || len(free) != len(nodes)-pooled {
		t.Errorf("%d misses, %d nodes pooled, %d of %d free", misses, pooled, len(free), len(nodes))
	}
}

// TestScreen holds that a named node never passes, and most others do.
func TestScreen(t *testing.T) {
	d, r := reserved(t, 8)
	nodes := make([]node, 4096)
	for i, other := range r {
		other.SetNow(0, &nodes[10*i])
		other.SetNow(1, &nodes[10*i+5])
	}
	var s Screen[node]
	s.Look(d, r[3])
	passed := 0
	for i := range nodes {
		named := i%5 == 0 && i < 10*len(r) && i/10 != 3
		passes := s.Passes(&nodes[i])
		if passes && named {
			t.Errorf("node %d passes, and is named", i)
		}
		if passes {
			passed++
		}
	}
	if passed < len(nodes)*8/10 {
		t.Errorf("%d of %d nodes pass", passed, len(nodes))
	}
}

// TestEnterExcludes counts plainly in records, with many more goroutines than processors, whose
// number changes.
func TestEnterExcludes(t *testing.T) {
	const each = 3_000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var d Domain[node]
	d.Leave(d.Enter())
	before := slices.Collect(d.All())
	var all sync.WaitGroup
	for g := range 32 {
		all.Go(func() {
			for i := range each {
				if g == 0 && i%100 == 0 {
					runtime.GOMAXPROCS(1 + i/100%6)
				}
				r := d.Enter()
				n := r.Chained
				for range 20 {
					if r.Chained != n {
						t.Error("two hold one record")
					}
				}
				r.Chained = n + 1
				d.Leave(r)
			}
		})
	}
	all.Wait()
	sum := 0
	for r := range d.All() {
		sum += r.Chained
	}
	if sum != 32*each {
		t.Errorf("counted %d of %d", sum, 32*each)
	}
	for i, r := range slices.Collect(d.All()) {
		if i < len(before) && r != before[i] {
			t.Errorf("record %d has moved", i)
		}
	}
}

// TestEnterAllocatesNothing holds that Enter allocates nothing once there are records.
func TestEnterAllocatesNothing(t *testing.T) {
	var d Domain[node]
	n := new(node)
	if allocations := testing.AllocsPerRun(1000, func() {
		r := d.Enter()
		r.SetNow(0, n)
		d.Acquire(r, n)
		d.Leave(r)
	}); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// TestReuse has readers rely on the node at a root, and writers replace it and use the old one
// again. No reader may see the value of a node change.
func TestReuse(t *testing.T) {
	const each = 20_000
	var d Domain[node]
	var root atomic.Pointer[node]
	root.Store(new(node))
	var all sync.WaitGroup
	var made atomic.Int64
	for g := range 8 {
		writes := g%2 == 0
		all.Go(func() {
			var spare *node
			for i := range each {
				r := d.Enter()
				if writes {
					n := d.Acquire(r, spare)
					if n == nil {
						n = new(node)
						made.Add(1)
					}
					n.value = each*g + i
					spare = root.Swap(n)
				} else if h := root.Load(); true {
					if r.Names(h) < 0 {
						r.SetNow(0, h)
					}
					if root.Load() == h {
						v := h.value
						for range 10 {
							if h.value != v {
								t.Error("a node that is relied upon has begun a new life")
							}
						}
					}
				}
				d.Leave(r)
				if i%256 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
	if most := int64(4 + Words*d.Records()); made.Load() > most {
		t.Errorf("%d nodes were made, at most %d are needed", made.Load(), most)
	}
}

func BenchmarkEnter(b *testing.B) {
	var d Domain[node]
	for b.Loop() {
		d.Leave(d.Enter())
	}
}

func BenchmarkAcquire(b *testing.B) {
	for _, records := range []int{2, 64} {
		b.Run(map[int]string{2: "2 records", 64: "64 records"}[records], func(b *testing.B) {
			var d Domain[node]
			d.Reserve(records)
			n := new(node)
			for b.Loop() {
				r := d.Enter()
				d.Acquire(r, n)
				d.Leave(r)
			}
		})
	}
}
