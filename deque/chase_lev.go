package deque

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     D. Chase and Y. Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005. Differences:
//             the slots are relaxed words; the owner keeps its index in a plain word of its own,
//             so a Pop that finds nothing need not set bottom back; the owner clears the slots of
//             stolen values.
// Sketch:     top ─→ oldest … newest ─→ bottom; slot i is buffer[i mod size]
//             Push:  slot[next] = v; bottom = ++next
//             Pop:   bottom = next-1; if top < bottom, slot[--next] is the owner's;
//                    if top = bottom, CAS(top: t→t+1) decides
//             Steal: v = slot[top] if top < bottom; CAS(top: t→t+1) makes v the thief's
// Invariants: I1 top ≤ next ≤ top + size.
//             I2 bottom = next, except during a Pop, and after a Pop that came to L2 and found one
//             value or none there, until the next Push: then bottom = next-1. So top ≥ bottom
//             exactly when there is no value, or a Pop has claimed the only one.
//             I3 top only grows.
//             I4 only the owner writes bottom, buffer and slots.
//             I5 topSeen ≤ top, and slots below topSeen are nil.
//             NOT invariant: top ≤ bottom.
// Progress:   Push and Pop are wait-free but for the copy when the buffer grows. Steal is
//             lock-free: a lost CAS means that another Steal or Pop took the value. A stalled
//             thief delays no other call.
// Linearize:  Push at L1.
//             Pop at L2.
//             Steal at L4. But if a Pop tries to take the same value and loses it at L3, Steal
//             linearizes at that Pop's L2: from there on other thieves find the deque empty. Empty
//             at L2 and L5.
// Publish:    The owner writes a slot before L1; a thief reads it after it loaded bottom at L5. If
//             the owner overwrites a slot while a thief reads it, the index of that slot is below
//             top: so the thief's L4 fails, and the thief drops the value that it read.
// ABA/memory: top counts in 63 bits and does not repeat. An outgrown buffer is never written
//             again, so a thief that still holds it reads the value that was there. At most the
//             buffer's size of stolen values is retained, until the owner's next Pop, or its next
//             Push that finds the buffer full.
// Cost:       one atomic store to push; one to pop, and a CAS for the last value; one CAS to
//             steal. No allocation but the buffer, which the first Push makes, and which doubles
//             and does not shrink. The store of a Push is more than a release store. A release
//             store would take a fifth of the time, but thieves might not see the value until
//             after Push has returned; a caller that then looks for sleeping thieves to wake would
//             look too early.
// Checked by: TestGrowable, TestFrozenThief, TestHighIndices, TestExploreGrowable,
//             TestExploreControlFence, FuzzGrowable
//
// Why pointers: a thief reads the slot before its CAS tells whether the value is its own, so the
// owner may be overwriting the slot. One word is read whole; a value of several words could be
// torn, which is a data race even if the value is then dropped. The alternative is to claim first
// and read afterwards. Then every thief needs a second atomic operation, to say that it has read.
// Before the owner uses a slot again, it either waits for that operation (and is not lock-free) or
// moves to another buffer (a copy for each lap during which a thief stalls). Hybrid holds values
// that would be allocated only to have a pointer.

// chaseLev is the deque of untyped pointers under the typed face Growable[T]. In generic code that
// is instantiated in another package, Go's atomic instructions are not inlined; a call costs as
// much as the instruction.
type chaseLev struct {
	_      pad.Line
	top    atomics.Int64
	_      pad.Line
	bottom atomics.Int64
	buffer atomics.Pointer[buffer] // nil until the first Push

	// written and read by the owner only
	next    int64 // index of the next Push
	topSeen int64 // a value that top had at some time
	limit   int64 // topSeen + size: the Push of this index finds the buffer full

	_ pad.Line
}

// slot is one word that its only writer stores plainly: internal/sync/atomics says when that is
// enough.
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
	if t := d.top.Load(); b < t { // L5: only the owner raises bottom
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

// clear sets topSeen to t, a value that top had, and drops the references to the values that were
// stolen up to then.
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

// makeRoom makes room for index next: in the slots of stolen values, or in a buffer of twice the
// size.
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

// len returns at least the number of values at the instant when it reads bottom. As top only grows
// and is read first, 0 means that the deque was empty at that instant.
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

// Growable is a work-stealing deque of pointers without bound.
//
// The owner, one goroutine at a time, calls Push and Pop. Any goroutine may call Len and
// Thief, and use a thief's handle. No method waits: the owner's methods are wait-free but for the
// copy when the buffer grows, and Steal is lock-free.
//
// The zero value is an empty deque. It must not be copied after first use. A popped value is
// dropped at once, a stolen value with the owner's next Pop at the latest. The buffer begins with
// room for 64 values and doubles; it does not shrink.
type Growable[T any] struct {
	owner rolecheck.Sole
	core  chaseLev
}

// Push adds v at the owner's end. It panics if v is nil. The owner calls it.
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

// Pop removes and returns the value that was pushed last and is still there; nil and false if there
// is none. The owner calls it.
func (d *Growable[T]) Pop() (v *T, ok bool) {
	if rolecheck.Checked {
		d.owner.Enter("deque: Pop of a Growable")
		defer d.owner.Leave()
	}
	v = (*T)(unsafe.Pointer(d.core.pop()))
	return v, v != nil
}

// Len returns the number of values. Any goroutine may call it. Beside concurrent calls it is an
// estimate, off by at most the number of values that those calls add and remove; but 0 means that
// the deque was empty at some instant of the call.
func (d *Growable[T]) Len() int { return d.core.len() }

// Thief returns the thieves' handle. Any goroutine may call it.
func (d *Growable[T]) Thief() GrowableThief[T] { return GrowableThief[T]{&d.core} }

// GrowableThief is the right to steal from a [Growable]. Any goroutine may use it; copies are
// equal. The methods of the zero value panic.
type GrowableThief[T any] struct{ core *chaseLev }

// Steal takes the oldest value. It is lock-free and does not wait. [Retry] means that another Steal
// or a Pop took the value.
func (t GrowableThief[T]) Steal() (*T, Outcome) {
	mustBeMade(t.core == nil)
	v, outcome := t.core.steal()
	return (*T)(unsafe.Pointer(v)), outcome
}

// Oldest returns at least the number of values at some instant of the call, and the index of the
// oldest: how many values left at the thieves' end before it. If two calls return the same index,
// and some values, then the oldest value is the same, and was there all the time.
func (t GrowableThief[T]) Oldest() (index int64, values int) {
	mustBeMade(t.core == nil)
	index = t.core.top.Load()
	return index, int(max(0, t.core.bottom.Load()-index))
}
