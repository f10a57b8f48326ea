package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// flood is the back-pressure on ordinary goroutines that tell one operation faster than the
// receivers run. Without it their messages would pile up, out of the caches and then out of memory,
// and the allocations would slow the receivers down further. A sender that finds no message to use
// again, while more messages exist than a mark allows, sleeps until a batch comes back, as it would
// before a full channel.
//
// The mark is no limit. A receiver may be slow, or it may wait for the sender's next step;
// tell_progress.go tells the two apart. While the receiver runs operations, the sender sleeps. When
// the receiver is overdue, the sender raises the mark and goes on:
//
//   - fourfold up to quickBytes of messages: some 100,000 messages to a stuck unit cost some ten
//     milliseconds in all;
//   - by stepBytes for each patience beyond: a sender to an operation of any length piles up a
//     bounded amount a second.
//
// Each batch that comes back lowers the mark. While a sender waits, every second batch is left to
// the collector: so the pile shrinks while the sender goes on.
type flood struct {
	made    atomics.Int64 // how many messages of the operation exist
	raised  atomics.Int64 // the height of the mark above low
	waiting atomics.Int32 // how many senders wait
	size    atomics.Int64 // bytes of a message; 0 if not known yet
	notice  chan struct{} // has room for one: a batch came back
	low     int64         // the mark when it is not raised
	still   stillness
}

const (
	// patience is how long a sender sleeps before it looks at the receiver's progress.
	patience   = 10 * time.Millisecond
	quickBytes = 16 << 20 // of messages, up to which the mark is raised fourfold
	stepBytes  = 16 << 10 // of messages, by which it is raised beyond: 1.6 MB a second
)

// lowMark returns the low mark of a runtime: the number of messages that stays in a core's cache,
// half of it if messages travel between caches, and in addition what fits into all magazines.
func lowMark(processors, threads int) int64 {
	mark := batchSize * depotSlots / 2
	if threads > 1 {
		mark /= 2
	}
	return int64(mark + 2*batchSize*(processors+threads))
}

// add counts n new messages; if n is negative, messages that are left to the collector.
func (f *flood) add(n int64) { f.made.Add(n) }

// dropped counts a batch that was left to the collector because the depot is full.
func (f *flood) dropped() {
	f.made.Add(-batchSize)
	f.lower(batchSize)
}

// lower lowers a raised mark by n messages, down to low at most.
func (f *flood) lower(n int64) {
	for {
		raised := f.raised.Load()
		if raised == 0 || f.raised.CompareAndSwap(raised, max(0, raised-n)) {
			return
		}
	}
}

// sinks lowers a raised mark for a batch that came back. It reports whether the batch is to be left
// to the collector, because more messages exist than the mark allows. While a sender waits, each
// batch lowers the mark by half a batch, so that the sender gets every second batch.
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

// high reports whether the mark is reached: a sender should wait for a batch, not allocate.
func (f *flood) high() bool { return f.made.Load() >= f.low+f.raised.Load() }

// raise raises the mark by one step.
func (f *flood) raise() {
	size := max(1, f.size.Load())
	raised := f.raised.Load()
	next := raised + max(1, stepBytes/size)
	if quick := quickBytes / size; raised < quick {
		next = min(quick, 4*raised+f.low)
	}
	f.raised.CompareAndSwap(raised, next)
}

// returned wakes a waiting sender. It is called after a batch came back.
func (f *flood) returned() {
	if f.waiting.Load() > 0 {
		select {
		case f.notice <- struct{}{}:
		default:
		}
	}
}

// hold makes the sender of a message to u wait. It returns true when a batch comes back to the
// depot, and false when the sender must go on without one.
//
// The sender misses no batch:
// the sender counts itself as waiting before it looks into the depot again;
// a receiver puts a batch into the depot before it looks for waiting senders.
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
		case !f.high() || rt.phase.Load() >= aborting: // messages have failed; or none will run
			return false
		case f.still.dry(&w, rt.ranOf(u), f.made.Load()):
			f.raise()
			return false
		}
		t.Reset(patience)
	}
}

// ranOf returns a number that grows with each operation on u. For the free unit, it grows with each
// message of the runtime that is done.
func (rt *Runtime) ranOf(u *unit) uint64 {
	if u == &rt.free {
		return rt.done()
	}
	return u.operations.Load()
}
