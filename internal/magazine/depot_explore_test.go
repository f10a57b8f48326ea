//go:build explore

package magazine

import (
	"testing"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// depotProgram has two owners that put more batches than there are slots, and take them again, and
// a third that takes. Each batch is with one owner at a time: its nodes are plain fields, and two
// owners that link them race. put and take are the depot's, or faulty ones.
func depotProgram(put func(*Depot, *mailbox.Node), take func(*Depot) *mailbox.Node) func(*explore.Run) {
	return func(r *explore.Run) {
		d := NewDepot(1 << 20)
		d.Add(3 * BatchSize)
		var left, taken atomics.Int64
		relink := func(batch *mailbox.Node) {
			n := batch.Next()
			batch.Link(nil)
			batch.Link(n)
		}
		for i, name := range []string{"one", "two"} {
			r.Go(name, func() {
				for range 2 - i {
					put(d, batchOf())
				}
				if b := take(d); b != nil {
					taken.Add(1)
					relink(b)
					put(d, b)
					taken.Add(-1)
				}
			})
		}
		r.Go("taker", func() {
			if b := take(d); b != nil {
				taken.Add(1)
				relink(b)
			}
		})
		r.After(func() {
			for b := d.Take(); b != nil; b = d.Take() {
				left.Add(1)
			}
			if n := (left.Load() + taken.Load()) * BatchSize; n != d.Made() {
				r.Failf("%d messages are left, %d are counted", n, d.Made())
			}
		})
	}
}

// TestExploreDepot: no batch is lost without being counted, and none comes to two owners.
func TestExploreDepot(t *testing.T) {
	explore.Exhaustive(t, 3, depotProgram((*Depot).Put, (*Depot).Take))
	explore.Freeze(t, depotProgram((*Depot).Put, (*Depot).Take))
}

// TestExploreDepotControl: the exploration finds an owner that takes a batch without a swap, and
// one that puts a batch without a compare-and-swap.
func TestExploreDepotControl(t *testing.T) {
	explore.MustFail(t, 2, depotProgram((*Depot).Put, func(d *Depot) *mailbox.Node {
		for i := range d.slots {
			if b := d.slots[i].Load(); b != nil {
				d.slots[i].Store(nil)
				return b
			}
		}
		return nil
	}))
	explore.MustFail(t, 2, depotProgram(func(d *Depot, b *mailbox.Node) {
		for i := range d.slots {
			if d.slots[i].Load() == nil {
				d.slots[i].Store(b)
				return
			}
		}
		d.dropped()
	}, (*Depot).Take))
}

// markProgram has a sender that waits for a batch, while a receiver puts one. begin is BeginWait,
// or a faulty one.
func markProgram(raised int64, begin func(*Depot) bool) func(*explore.Run) {
	return func(r *explore.Run) {
		d := NewDepot(0)
		d.Add(4 * BatchSize)
		d.raised.Store(raised)
		sleeps := false
		r.Go("sender", func() { sleeps = begin(d) })
		for _, name := range []string{"receiver", "other receiver"} {
			r.Go(name, func() { d.Put(batchOf()) })
		}
		r.After(func() {
			if sleeps && len(d.Notice()) == 0 && !d.Empty() {
				r.Failf("the sender sleeps beside a batch")
			}
			if n := d.raised.Load(); n < 0 {
				r.Failf("the mark is %d", n)
			}
		})
	}
}

// TestExploreMark: a sender that waits is told of each batch that is kept.
func TestExploreMark(t *testing.T) {
	for _, raised := range []int64{0, BatchSize, 8 * BatchSize} {
		explore.Exhaustive(t, explore.Unbounded, markProgram(raised, (*Depot).BeginWait))
	}
}

// TestExploreMarkControl: the exploration finds a sender that looks into the depot before it counts
// itself as waiting.
func TestExploreMarkControl(t *testing.T) {
	explore.MustFail(t, 3, markProgram(0, func(d *Depot) bool {
		empty := d.Empty()
		d.waiting.Add(1)
		return empty
	}))
}

// lowersProgram has receivers that bring a batch each while the mark is raised and no sender waits.
// lower is the mark's, or a faulty one.
func lowersProgram(lower func(*Mark, int64)) func(*explore.Run) {
	return func(r *explore.Run) {
		var f Mark
		f.raised.Store(5)
		for _, name := range []string{"receiver", "other receiver"} {
			r.Go(name, func() { lower(&f, 2) })
		}
		r.After(func() {
			if n := f.raised.Load(); n != 1 {
				r.Failf("two batches have lowered the mark from 5 to %d", n)
			}
			lower(&f, 2)
			if n := f.raised.Load(); n != 0 {
				r.Failf("the mark is %d in the end", n)
			}
		})
	}
}

// TestExploreMarkLowers: each batch lowers the mark, down to low.
func TestExploreMarkLowers(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, lowersProgram((*Mark).lower))
}

// TestExploreMarkLowersControl: the exploration finds a receiver that tries once.
func TestExploreMarkLowersControl(t *testing.T) {
	explore.MustFail(t, 2, lowersProgram(func(f *Mark, n int64) {
		raised := f.raised.Load()
		f.raised.CompareAndSwap(raised, max(0, raised-n))
	}))
}
