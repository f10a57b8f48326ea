package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/atomics"
)

// flood holds ordinary goroutines back that tell faster than the receivers run: their letters would pile up, out of the caches
// and then out of memory, and what they take from the receivers' cores makes it worse. A sender that finds no letter
// to use again while many are under way sleeps until a batch comes back, as it would before a full channel.
//
// It is no limit: receivers may be slow for good reasons, or wait for what the sender will do next. When nothing comes back within
// patience, the mark is raised and the sender goes on, so that a million messages to a unit that is stuck cost some ten milliseconds
// in all. The mark falls again when letters are left to the collector.
type flood struct {
	made    atomics.Int64 // letters of the operation that exist
	raised  atomics.Int64 // by how much the mark lies above low
	waiting atomics.Int32
	notice  chan struct{}
	low     int64 // the mark, when it is not raised
}

const patience = 10 * time.Millisecond

// lowMark returns the mark of a runtime: a number of letters that stays in a core's cache, and fewer where they travel between caches; not
// counting what fits into the magazines of everybody.
func lowMark(processors, threads int) int64 {
	mark := batchSize * depotSlots / 2
	if threads > 1 {
		mark /= 2
	}
	return int64(mark + 2*batchSize*(processors+threads))
}

// add counts new letters.
func (f *flood) add(n int64) { f.made.Add(n) }

// dropped counts a batch that was left to the collector.
func (f *flood) dropped() {
	f.made.Add(-batchSize)
	for {
		raised := f.raised.Load()
		if raised == 0 || f.raised.CompareAndSwap(raised, max(0, raised-batchSize)) {
			return
		}
	}
}

// high reports whether so many letters exist that another sender should wait for one to come back.
func (f *flood) high() bool { return f.made.Load() >= f.low+f.raised.Load() }

// returned wakes one who waits, after a batch came back.
func (f *flood) returned() {
	if f.waiting.Load() > 0 {
		select {
		case f.notice <- struct{}{}:
		default:
		}
	}
}

// hold waits until a batch comes back to the depot, and returns true; after patience it raises the mark and returns false.
//
// No return is missed: the sender counts itself as waiting before it looks at the depot again, and who returns a batch puts
// it into the depot before it looks for somebody waiting.
func (d *depot) hold(b *border) bool {
	f := &d.flood
	f.waiting.Add(1)
	defer f.waiting.Add(-1)
	if !d.empty() {
		return true
	}
	t, ok := b.timers.Get().(*time.Timer)
	if ok {
		t.Reset(patience)
	} else {
		t = time.NewTimer(patience)
	}
	defer b.timers.Put(t)
	select {
	case <-f.notice:
		t.Stop()
		return true
	case <-t.C:
		raised := f.raised.Load()
		f.raised.CompareAndSwap(raised, 4*raised+f.low)
		return false
	}
}
