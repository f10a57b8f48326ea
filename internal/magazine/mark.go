package magazine

import (
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     our own
// Sketch:     W1  a sender that finds no message counts itself  R1  a receiver puts a batch into
//                 as waiting                                        the depot
//             W2  and looks into the depot again; if there is   R2  and looks for waiting senders;
//                 no batch, it waits for the notice                 if there are, it puts the
//                 notice
//             Each side writes first and then reads the word that the other side writes. So one of
//             them sees the other.
// Invariants: I1 made is the number of messages of the operation that exist, except for additions
//             under way.
//             I2 raised is not negative, and 0 when enough batches have come back.
//             Not invariant: made is at most low + raised. The mark is no limit.
// Progress:   lock-free; the mutex of stillness is taken by waiting senders only
// Cost:       a load or two for each batch that comes back
// Checked by: TestExploreMark…, TestMark…, TestFlood…

// Mark says when a sender should wait, because too many messages of one operation exist. It is the
// back-pressure on ordinary goroutines that send faster than the receivers run. Without it their
// messages would pile up, out of the caches and then out of memory, and the allocations would slow
// the receivers down further. A sender that finds no message to use again, while more messages
// exist than the mark allows, sleeps until a batch comes back, as it would before a full channel.
//
// The mark is no limit. A receiver may be slow, or it may wait for the sender's next step; see
// [Mark.Watch]. While the receiver runs operations, the sender sleeps. When the receiver is
// overdue, the sender raises the mark and goes on:
//
//   - fourfold up to quickBytes of messages: some 100,000 messages to a stuck unit cost some ten
//     milliseconds in all;
//   - by stepBytes for each Patience beyond: a sender to an operation of any length piles up a
//     bounded amount a second.
//
// Each batch that comes back lowers the mark. While a sender waits, every second batch is left to
// the collector: so the pile shrinks while the sender goes on.
//
// Any goroutine may call the methods.
type Mark struct {
	made    atomics.Int64 // how many messages of the operation exist
	raised  atomics.Int64 // the height of the mark above low
	waiting atomics.Int32 // how many senders wait
	size    atomics.Int64 // bytes of a message; 0 if not known yet
	notice  chan struct{} // has room for one: a batch came back
	low     int64         // the mark when it is not raised
	still   stillness
}

const (
	// Patience is how long a sender sleeps before it looks at the receiver's progress.
	Patience   = 10 * time.Millisecond
	quickBytes = 16 << 20 // of messages, up to which the mark is raised fourfold
	stepBytes  = 16 << 10 // of messages, by which it is raised beyond: 1.6 MB a second
)

// LowMark returns the low mark of a runtime: the number of messages that stays in a core's cache,
// half of it if messages travel between caches, and in addition what fits into all magazines.
func LowMark(processors, threads int) int64 {
	mark := BatchSize * depotSlots / 2
	if threads > 1 {
		mark /= 2
	}
	return int64(mark + 2*BatchSize*(processors+threads))
}

// Add counts n new messages; if n is negative, messages that are left to the collector.
func (f *Mark) Add(n int64) { f.made.Add(n) }

// dropped counts a batch that was left to the collector because the depot is full.
func (f *Mark) dropped() {
	f.made.Add(-BatchSize)
	f.lower(BatchSize)
}

// lower lowers a raised mark by n messages, down to low at most.
func (f *Mark) lower(n int64) {
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
func (f *Mark) sinks() bool {
	if f.raised.Load() == 0 {
		return false
	}
	fall := int64(BatchSize)
	if f.waiting.Load() > 0 {
		fall /= 2
	}
	f.lower(fall)
	return f.made.Load() > f.low+f.raised.Load()
}

// High reports whether the mark is reached: a sender should wait for a batch, not allocate.
func (f *Mark) High() bool { return f.made.Load() >= f.low+f.raised.Load() }

// raise raises the mark by one step.
func (f *Mark) raise() {
	size := max(1, f.size.Load())
	raised := f.raised.Load()
	next := raised + max(1, stepBytes/size)
	if quick := quickBytes / size; raised < quick {
		next = min(quick, 4*raised+f.low)
	}
	f.raised.CompareAndSwap(raised, next)
}

// Returned wakes a waiting sender. It is called after a batch came back.
func (f *Mark) Returned() {
	if f.waiting.Load() > 0 {
		select {
		case f.notice <- struct{}{}:
		default:
		}
	}
}

// Made returns how many messages exist.
func (f *Mark) Made() int64 { return f.made.Load() }

// Sized notes how many bytes a message has, unless that is known.
func (f *Mark) Sized(bytes int64) {
	if f.size.Load() == 0 {
		f.size.Store(bytes)
	}
}

// Notice returns the channel from which a waiting sender receives when a batch came back. One
// notice may stand for several batches: a sender that has got one calls Returned if there are more.
func (f *Mark) Notice() <-chan struct{} { return f.notice }

// EndWait ends the wait that [Depot.BeginWait] has begun.
func (f *Mark) EndWait() { f.waiting.Add(-1) }

// Watch begins to watch a receiver for one sender. key is the receiver's address, and ran how many
// operations it has begun.
func (f *Mark) Watch(key uintptr, ran uint64) Watched { return f.still.watch(key, ran) }

// Flowed notes that a batch came back to the sender that watches w.
func (f *Mark) Flowed(w *Watched, ran uint64) { f.still.flowed(w, ran) }

// Dry reports whether the sender that watches w must go on, and raises the mark if so.
func (f *Mark) Dry(w *Watched, ran uint64) bool {
	if !f.still.dry(w, ran, f.made.Load()) {
		return false
	}
	f.raise()
	return true
}
