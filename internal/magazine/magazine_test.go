package magazine

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
)

// item is a message of the tests.
type item struct {
	mailbox.Node
	out bool // it is with a goroutine, in no list
}

func itemOf(n *mailbox.Node) *item { return (*item)(unsafe.Pointer(n)) }

// batchOf returns a batch of new items.
func batchOf() *mailbox.Node {
	var first *mailbox.Node
	for range BatchSize {
		n := &item{}
		n.Link(first)
		first = &n.Node
	}
	return first
}

// opened returns the magazine of operation 0.
func opened(k *Cache, d *Depot) *Magazine { return k.Open(0, d, make([]Magazine, 1)) }

// TestMagazine: what is put comes out, the latest first, and two full batches stay with the owner.
func TestMagazine(t *testing.T) {
	var k Cache
	d := NewDepot(1 << 20)
	m := opened(&k, d)
	if m.Take() != nil {
		t.Error("a new magazine is not empty")
	}
	var nodes []*mailbox.Node
	for range 2 * BatchSize {
		n := &item{}
		nodes = append(nodes, &n.Node)
		m.Put(&n.Node)
	}
	if !d.Empty() {
		t.Error("a batch went to the depot before two were full")
	}
	m.Put(&(&item{}).Node)
	if d.Empty() {
		t.Error("the third batch was begun, and the first is not in the depot")
	}
	m.Take()
	for i := len(nodes) - 1; i >= BatchSize; i-- {
		if m.Loaded() != nil && m.Loaded() != nodes[i] || m.Take() != nodes[i] {
			t.Fatalf("node %d does not come in its turn", i)
		}
	}
	n := 0
	for m.Take() != nil {
		n++
	}
	if n != BatchSize || !d.Empty() {
		t.Errorf("%d came from the depot", n)
	}
}

// TestMagazineCache: a magazine is opened once, for each operation by its number.
func TestMagazineCache(t *testing.T) {
	var k Cache
	d, e := NewDepot(0), NewDepot(0)
	if k.Of(3) != nil {
		t.Error("opened before")
	}
	three := k.Open(3, d, make([]Magazine, 4))
	if k.Of(3) != three || three.Depot() != d || k.Of(2) != nil || k.Of(4) != nil {
		t.Error("not opened, or others are")
	}
	if k.Open(3, e, make([]Magazine, 4)); k.Of(3).Depot() != d {
		t.Error("opened again")
	}
	three.Put(&(&item{}).Node)
	if k.Open(5, e, make([]Magazine, 6)); k.Of(3).Loaded() == nil {
		t.Error("a larger cache has lost a magazine")
	}
}

// TestDepot: a depot keeps a bounded number of batches, and hands each out once.
func TestDepot(t *testing.T) {
	d := NewDepot(1 << 20)
	d.Add(int64((depotSlots + 3) * BatchSize))
	for range depotSlots + 3 {
		d.Put(batchOf())
	}
	if n := d.Made(); n != int64(depotSlots*BatchSize) {
		t.Errorf("%d messages are counted when the rest was dropped", n)
	}
	seen := map[*mailbox.Node]bool{}
	for b := d.Take(); b != nil; b = d.Take() {
		seen[b] = true
	}
	if len(seen) != depotSlots || !d.Empty() {
		t.Errorf("%d batches came out", len(seen))
	}
	d.Keep(batchOf())
	if d.TakeOne() == nil || d.TakeOne() != nil || d.Made() != int64(depotSlots*BatchSize+1-BatchSize) {
		t.Errorf("one of a batch: %d", d.Made())
	}
}

// TestDepotFull: a batch that a full depot leaves to the collector is counted off, and lowers the
// mark.
func TestDepotFull(t *testing.T) {
	d := NewDepot(1 << 20)
	d.Add((depotSlots + 1) * BatchSize)
	for range depotSlots {
		d.Keep(batchOf())
	}
	d.raised.Store(8 * BatchSize)
	d.Keep(batchOf())
	if n := d.raised.Load(); n != 7*BatchSize || d.Made() != depotSlots*BatchSize {
		t.Errorf("the mark is raised by %d, %d messages are counted", n, d.Made())
	}
}

// TestDepotStress has owners put and take until each has gone through many batches. A message is
// with one owner at a time.
func TestDepotStress(t *testing.T) {
	const owners, rounds = 4, 2000
	d := NewDepot(1 << 40)
	var all sync.WaitGroup
	for range owners {
		all.Go(func() {
			var k Cache
			m := opened(&k, d)
			var out []*item
			for round := range rounds {
				for range 1 + round%(3*BatchSize) {
					n := m.Take()
					x := &item{}
					if n != nil {
						x = itemOf(n)
					}
					if x.out {
						t.Error("taken twice")
						return
					}
					x.out = true
					out = append(out, x)
				}
				for _, x := range out {
					x.out = false
					m.Put(&x.Node)
				}
				out = out[:0]
			}
		})
	}
	all.Wait()
}

// TestMark: the mark is raised in steps that grow, up to a size, and comes down with the batches.
func TestMark(t *testing.T) {
	d := NewDepot(100)
	d.Sized(64)
	d.Sized(1) // known already
	d.Add(100)
	if !d.High() {
		t.Error("the mark is not reached")
	}
	d.raise()
	if d.High() || d.raised.Load() != 100 {
		t.Errorf("raised by %d", d.raised.Load())
	}
	for range 20 {
		d.raise()
	}
	if n := d.raised.Load(); n < quickBytes/64 || n > quickBytes/64+20*stepBytes/64 {
		t.Errorf("raised by %d in the end", n)
	}
	d.Add(1 << 40)
	d.BeginWait()
	d.Put(batchOf()) // left to the collector, for more exist than the mark allows
	if !d.Empty() || len(d.Notice()) != 1 {
		t.Error("the batch is kept, or the sender is not told")
	}
	d.EndWait()
	<-d.Notice()
	d.Add(-1 << 40)
	for d.raised.Load() > 0 {
		before := d.raised.Load()
		d.Put(d.takeOr(batchOf()))
		if after := d.raised.Load(); after >= before {
			t.Fatalf("from %d to %d", before, after)
		}
	}
	if len(d.Notice()) != 0 {
		t.Error("a notice, and no sender waits")
	}
}

// takeOr returns a batch of the depot, or b.
func (d *Depot) takeOr(b *mailbox.Node) *mailbox.Node {
	if t := d.Take(); t != nil {
		return t
	}
	return b
}

// TestLowMark: processors that pass messages from cache to cache are allowed half as many as one
// that keeps them, beside what fits into the magazines; a depot holds either number.
func TestLowMark(t *testing.T) {
	pile := func(threads int) int64 { return LowMark(3, threads) - int64(2*BatchSize*(3+threads)) }
	if alone, several := pile(1), pile(2); several <= 0 || alone != 2*several || alone > BatchSize*depotSlots {
		t.Errorf("%d messages on one thread, %d on two", alone, several)
	}
}

// TestMarkDry: a sender before a receiver that is stuck goes on within a few looks, and the mark is
// raised for it; before a receiver that runs operations, and from which batches come back, it
// waits.
func TestMarkDry(t *testing.T) {
	for name, c := range map[string]struct {
		runs, flows, goesOn bool
	}{
		"stuck":               {false, false, true},
		"runs":                {true, false, false},
		"runs and gives back": {true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := NewDepot(100)
				d.Add(100)
				ran := uint64(7)
				w := d.Watch(1<<20, ran)
				went := 0
				for range 12 {
					time.Sleep(Patience)
					if c.runs {
						ran++
					}
					if c.flows {
						d.Flowed(&w, ran)
					}
					if d.Dry(&w, ran) {
						went++
					}
				}
				if (went > 0) != c.goesOn || d.High() == c.goesOn {
					t.Errorf("went on %d times; the mark is reached: %v", went, d.High())
				}
			})
		})
	}
}
