package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// flood holds ordinary goroutines back that tell faster than the receivers run: their letters would
// pile up, out of the caches and then out of memory, and what they take from the receivers' cores
// makes it worse. A sender that finds no letter to use again while many are under way sleeps until
// a batch comes back, as it would before a full channel.
//
// It is no limit: a receiver may be slow, or wait for what the sender does next. tell_progress.go tells
// the two apart. While the addressee runs operations, the sender sleeps. When it runs none for its
// patience, the mark is raised and the sender goes on: fast until quickBytes of letters exist, so
// that some 100,000 messages to a unit that is stuck cost some ten milliseconds in all, then by
// stepBytes for each patience, so that a sender to an operation of any length piles up a bounded
// amount a second. With each batch that comes back the mark falls, and while a sender waits every
// second batch is left to the collector, so that what has piled up is worked off while the sender
// goes on.
type flood struct {
	made    atomics.Int64 // letters of the operation that exist
	raised  atomics.Int64 // by how much the mark lies above low
	waiting atomics.Int32
	size    atomics.Int64 // bytes of a letter
	notice  chan struct{}
	low     int64 // the mark, when it is not raised
	still   stillness
}

const (
	patience   = 10 * time.Millisecond
	quickBytes = 16 << 20 // of letters, up to which the mark is raised fourfold
	stepBytes  = 16 << 10 // of letters, by which it is raised beyond: 1.6 MB a second
)

// lowMark returns the mark of a runtime: a number of letters that stays in a core's cache, and
// fewer where they travel between caches; not counting what fits into the magazines of everybody.
func lowMark(processors, threads int) int64 {
	mark := batchSize * depotSlots / 2
	if threads > 1 {
		mark /= 2
	}
	return int64(mark + 2*batchSize*(processors+threads))
}

// add counts new letters, or letters that are left to the collector if n is negative.
func (f *flood) add(n int64) { f.made.Add(n) }

// dropped counts a batch that was left to the collector because the depot is full.
func (f *flood) dropped() {
	f.made.Add(-batchSize)
	f.lower(batchSize)
}

// lower lowers a raised mark by n letters.
func (f *flood) lower(n int64) {
	for {
		raised := f.raised.Load()
		if raised == 0 || f.raised.CompareAndSwap(raised, max(0, raised-n)) {
			return
		}
	}
}

// sinks lowers a raised mark for a batch that came back, and reports whether the batch is to be
// left to the collector: if more letters exist than the mark allows. While a sender waits, the mark
// falls by half a batch for each, so that the sender gets every second one.
func (f *flood) sinks() bool {
	if f.raised.Load() == 0 {
		return false
	}
	fall := int64(batchSize)
	if f.waiting.Load() > 0 {
		fall /= 2
	}
	f.lower(fall)
	return f.made.Load() > f.low+f.raised.Load()
}

// high reports whether so many letters exist that another sender should wait for one to come back.
func (f *flood) high() bool { return f.made.Load() >= f.low+f.raised.Load() }

// raise raises the mark.
func (f *flood) raise() {
	size := max(1, f.size.Load())
	raised := f.raised.Load()
	next := raised + max(1, stepBytes/size)
	if quick := quickBytes / size; raised < quick {
		next = min(quick, 4*raised+f.low)
	}
	f.raised.CompareAndSwap(raised, next)
}

// returned wakes a waiting sender, after a batch came back.
func (f *flood) returned() {
	if f.waiting.Load() > 0 {
		select {
		case f.notice <- struct{}{}:
		default:
		}
	}
}

// hold waits until a batch comes back to the depot, and returns true; or until the sender of a
// message to u must go on without one, and returns false.
//
// No return is missed: the sender counts itself as waiting before it looks at the depot again, and
// a receiver that returns a batch puts it into the depot before it looks for waiting senders.
func (rt *Runtime) hold(d *depot, u *unit) bool {
	f := &d.flood
	f.waiting.Add(1)
	defer f.waiting.Add(-1)
	if !d.empty() {
		return true
	}
	t, ok := rt.ingress.timers.Get().(*time.Timer)
	if ok {
		t.Reset(patience)
	} else {
		t = time.NewTimer(patience)
	}
	defer rt.ingress.timers.Put(t)
	w := f.still.watch(u, rt.ranOf(u))
	for {
		select {
		case <-f.notice:
			t.Stop()
			f.still.flowed(&w, rt.ranOf(u))
			return true
		case <-t.C:
		}
		switch {
		case !d.empty():
			return true
		case !f.high() || rt.phase.Load() >= aborting: // letters have failed; or none will run
			return false
		case f.still.dry(&w, rt.ranOf(u), f.made.Load()):
			f.raise()
			return false
		}
		t.Reset(patience)
	}
}

// ranOf returns a number that grows with each operation of u; for the free unit, with each of the
// runtime.
func (rt *Runtime) ranOf(u *unit) uint64 {
	if u == &rt.free {
		return rt.done()
	}
	return u.operations.Load()
}
