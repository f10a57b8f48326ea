package deque

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     D. Chase and Y. Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005. Differences: the slots are relaxed words;
//             the owner keeps its index in a plain word of its own, so bottom need not be set back by a Pop that finds
//             nothing; it clears what was stolen.
// Sketch:     top ─→ oldest … newest ─→ bottom; slot i is buffer[i mod size]
//             Push:  slot[next] = v; bottom = ++next
//             Pop:   bottom = next-1; if top < bottom, slot[--next] is ours; if top = bottom, CAS(top: t→t+1) decides
//             Steal: v = slot[top] if top < bottom; CAS(top: t→t+1) makes it ours
// Invariants: I1 top ≤ next ≤ top + size. I2 bottom = next, but for a Pop in progress, and from a Pop that found one value or
//             none until the next Push: then bottom = next-1. So top ≥ bottom exactly when no value is there that a Pop has
//             not claimed. I3 top only grows. I4 only the owner writes bottom, buffer and slots. I5 topSeen ≤ top, and
//             slots below topSeen are nil.
//             NOT invariant: top ≤ bottom.
// Progress:   Push and Pop are wait-free but for the copy when the buffer grows. Steal is lock-free: a lost CAS means that
//             another Steal or Pop took the value. A stalled thief holds up nobody.
// Linearize:  Push at L1; Pop at L2; Steal at L4 or at the L2 that hid the value from others before, if a Pop wanted the
//             same one and lost it at L3; empty at L2 and L5
// Publish:    slot written before L1, read after bottom is loaded at L5; a slot that the owner overwrites while a thief
//             reads it belongs to an index below top, so that thief's L4 fails and what it read is dropped
// ABA/memory: top counts in 63 bits and does not come back. A buffer that was outgrown is never written again, so a thief
//             that still holds it reads the value that was there. At most the buffer's size of stolen values is retained,
//             until the owner's next Pop, or its next Push that finds the buffer full.
// Cost:       one atomic store to push, one to pop (plus a CAS for the last value), one CAS to steal; no allocation but the
//             buffer, which the first Push makes, and which doubles and does not shrink. The store of a Push is not a mere
//             release: it would take a fifth of the time, but thieves might not see the value until after Push has
//             returned, and who then looks whether somebody sleeps who should steal it would look too early.
// Checked by: TestGrowable, TestFrozenThief, TestHighIndices, TestExploreGrowable, TestExploreControlFence, FuzzGrowable
//
// Why pointers: a thief reads the slot before its CAS tells whether the value is its own, so the owner may be overwriting it. One
// word is read whole or not at all; a value of several words would be torn, which is a data race even if it is then dropped.
// To claim first and read afterwards would take a second atomic operation of every thief, to say that it has read, and an
// owner that, before it uses a slot again, waits for that (and is not lock-free) or moves to another buffer (a copy for
// each lap that a stalled thief lasts). Who would allocate only to have a pointer takes Hybrid.

// chaseLev is the deque of untyped pointers that Growable[T] is a typed face of: generic code that is instantiated in
// another package does not get Go's atomic instructions inlined, which would cost as much as the instructions.
type chaseLev struct {
	_      pad.Line
	top    atomics.Int64
	_      pad.Line
	bottom atomics.Int64
	buffer atomics.Pointer[buffer] // nil until the first Push

	// owner only
	next    int64 // index of the next Push
	topSeen int64 // a value that top had
	limit   int64 // topSeen + size: the Push of this index needs room

	_ pad.Line
}

// slot is one word that its single writer stores plainly: internal/sync/atomics says when that is enough.
type slot = atomics.RelaxedPointer[byte]

type buffer struct {
	mask  int64
	slots []slot
}

const firstSize = 64

func newBuffer(size int64) *buffer { return &buffer{mask: size - 1, slots: make([]slot, size)} }

func (b *buffer) at(i int64) *slot { return &b.slots[i&b.mask] }

func (d *chaseLev) push(v *byte) {
	b := d.next
	if b == d.limit {
		d.makeRoom()
	}
	d.buffer.Load().at(b).Store(v)
	d.next = b + 1
	d.bottom.Store(b + 1) // L1
}

func (d *chaseLev) pop() *byte {
	b := d.next - 1
	if t := d.top.Load(); b < t { // L5: nobody else raises bottom
		d.clear(t)
		return nil
	}
	d.bottom.Store(b) // L2
	t := d.top.Load()
	d.clear(t)
	if b < t {
		return nil
	}
	at := d.buffer.Load().at(b)
	v := at.Load()
	if b > t {
		d.next = b
	} else if !d.top.CompareAndSwap(t, t+1) { // L3
		v = nil
	}
	at.Store(nil)
	return v
}

// clear takes note of a value that top had, and drops the references to what was stolen until then.
func (d *chaseLev) clear(t int64) {
	if t > d.topSeen {
		d.clearUpTo(t)
	}
}

func (d *chaseLev) clearUpTo(t int64) {
	buf := d.buffer.Load()
	for ; d.topSeen < t; d.topSeen++ {
		buf.at(d.topSeen).Store(nil)
	}
	d.limit = t + buf.mask + 1
}

// makeRoom finds room for the next index: because something was stolen, or in a buffer of twice the size.
func (d *chaseLev) makeRoom() {
	buf := d.buffer.Load()
	if buf == nil {
		d.use(newBuffer(firstSize))
		return
	}
	d.clear(d.top.Load())
	if d.next < d.limit {
		return
	}
	bigger := newBuffer(2 * int64(len(buf.slots)))
	for i := d.topSeen; i < d.next; i++ {
		bigger.at(i).Store(buf.at(i).Load())
	}
	d.use(bigger)
}

func (d *chaseLev) use(b *buffer) {
	d.buffer.Store(b)
	d.limit = d.topSeen + b.mask + 1
}

// len returns at least how many values there are when bottom is read. As top only grows and is read first, 0 means that there
// was none then.
func (d *chaseLev) len() int {
	t := d.top.Load()
	return int(max(0, d.bottom.Load()-t))
}

func (d *chaseLev) steal() (*byte, Outcome) {
	top := d.top.Load()
	if top >= d.bottom.Load() { // L5
		return nil, Empty
	}
	v := d.buffer.Load().at(top).Load()
	if !d.top.CompareAndSwap(top, top+1) { // L4
		return nil, Retry
	}
	return v, Stolen
}

// Growable is a work-stealing deque without bound, for pointers. Push, TryPush and Pop are for its owner, one goroutine at a
// time; Len and Thief may be called, and a thief's methods used, by any goroutine. Nothing waits: the owner's methods are
// wait-free but for the copy when the buffer grows, Steal is lock-free.
//
// The zero value is an empty deque; do not copy it after first use. A value that was popped is dropped at once, one that was
// stolen with the owner's next Pop at the latest. The buffer begins with room for 64 and doubles; it does not shrink.
type Growable[T any] struct {
	owner rolecheck.Sole
	core  chaseLev
}

// NewGrowable returns an empty deque.
func NewGrowable[T any]() *Growable[T] { return &Growable[T]{} }

// Push adds v at the owner's end. It panics if v is nil. Owner only.
func (d *Growable[T]) Push(v *T) {
	if v == nil {
		panic(nilPushed)
	}
	if rolecheck.Checked {
		d.owner.Enter("deque: Push of a Growable")
		defer d.owner.Leave()
	}
	d.core.push((*byte)(unsafe.Pointer(v)))
}

const nilPushed = "deque: Push of a nil value"

// TryPush is Push; it always reports true. Owner only.
func (d *Growable[T]) TryPush(v *T) bool {
	d.Push(v)
	return true
}

// Pop removes and returns what was pushed last and is still there; nil and false if there is nothing. Owner only.
func (d *Growable[T]) Pop() (v *T, ok bool) {
	if rolecheck.Checked {
		d.owner.Enter("deque: Pop of a Growable")
		defer d.owner.Leave()
	}
	v = (*T)(unsafe.Pointer(d.core.pop()))
	return v, v != nil
}

// Len returns how many values there are: beside other calls an estimate, as [Owner] says. Any goroutine.
func (d *Growable[T]) Len() int { return d.core.len() }

// Thief returns the thieves' handle. Any goroutine.
func (d *Growable[T]) Thief() GrowableThief[T] { return GrowableThief[T]{&d.core} }

// GrowableThief is the right to steal from a [Growable]. Any goroutine may use it; copies are equal. The zero value panics.
type GrowableThief[T any] struct{ core *chaseLev }

// Steal takes the oldest value. It is lock-free and does not wait: Retry means that the race for the value was lost.
func (t GrowableThief[T]) Steal() (*T, Outcome) {
	mustBeMade(t.core == nil)
	v, outcome := t.core.steal()
	return (*T)(unsafe.Pointer(v)), outcome
}

// Empty reports whether there was nothing to steal at some instant of the call.
func (t GrowableThief[T]) Empty() bool {
	mustBeMade(t.core == nil)
	return t.core.len() == 0
}
