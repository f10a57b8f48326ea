package deque

import (
	"math/bits"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     N. Arora, R. Blumofe and C. Plaxton, Thread Scheduling for Multiprogrammed
//             Multiprocessors, SPAA 1998, as taught in A. Filatov, Lecture 13: concurrent queues.
//             Differences: the array is a ring, because the original is full when its last slot is
//             used even if all other slots are free. So indices wrap around and are never set back
//             (age.go), and the end of Pop that sets them back is gone; the lecture's slides have
//             it in an order that never resets bottom after a lost race. The owner keeps its index
//             in a plain word of its own, and clears the slots of stolen values.
// Sketch:     age = (stamp, top); top ─→ oldest … newest ─→ bottom; slot i is ring[i mod size]
//             TryPush: slot[next] = v unless next-top = capacity; bottom = ++next
//             Pop:     bottom = next-1; if top < bottom, slot[--next] is the owner's;
//                      if top = bottom, CAS(age) decides
//             Steal:   v = slot[top] if top < bottom; CAS(age) makes v the thief's
// Invariants: differences are modulo 2³².
//             I1 0 ≤ next-top ≤ capacity ≤ size.
//             I2 bottom = next, except during a Pop, and after a Pop that came to L2 and found one
//             value or none there, until the next TryPush: then bottom = next-1.
//             I3 age only grows.
//             I4 only the owner writes bottom and slots.
//             I5 topSeen is an index that age had. Slots outside of topSeen to next are nil.
//             NOT invariant: top ≤ bottom. To a thief that read age long before bottom the two may
//             seem any distance apart.
// Progress:   TryPush and Pop are wait-free. Steal is lock-free: a lost CAS means that another
//             Steal or Pop took the value. A stalled thief delays no other call and occupies no
//             slot.
// Linearize:  TryPush at L1; full at L6.
//             Pop at L2.
//             Steal at L4. But if a Pop tries to take the same value and loses it at L3, Steal
//             linearizes at that Pop's L2: from there on other thieves find the deque empty. Empty
//             at L2 and L5.
// Publish:    The owner writes a slot before L1; a thief reads it after it loaded bottom at L5. If
//             the owner overwrites a slot while a thief reads it, the index of that slot is below
//             top: so the thief's L4 fails, and the thief drops the value that it read.
// ABA/memory: no value of age repeats (age.go). Between a thief's loads of age and bottom the index
//             may advance by 2³¹ or more; the difference of the two then means nothing. So the
//             thief loads age again before it reports an empty deque; before it takes a value, the
//             CAS checks age. At most as many stolen values as the capacity are retained, until the
//             owner's next Pop, or its next TryPush that finds the ring full.
// Cost:       one atomic store to push; one to pop, and a CAS for the last value; one CAS to
//             steal. No allocation after NewBounded; 8 bytes a slot, and 0.5 KiB.
// Checked by: TestBounded…, TestFrozenThief, TestHighIndices, TestExploreBounded,
//             TestExploreControlStamp, …Ring and …Ending, FuzzBounded

// abp is the deque of untyped pointers inside the typed Bounded[T], as chaseLev is for
// Growable[T].
type abp struct {
	_      pad.Line
	age    atomics.Uint64 // an age
	_      pad.Line
	bottom atomics.Uint32

	// written and read by the owner only
	next    uint32 // index of the next TryPush
	topSeen uint32 // an index that age had
	limit   uint32 // topSeen + capacity: the TryPush of this index finds the ring full

	// immutable
	mask     uint32
	capacity uint32
	slots    []slot

	_ pad.Line
}

func (d *abp) at(i uint32) *slot { return &d.slots[i&d.mask] }

func (d *abp) push(v *byte) bool {
	b := d.next
	if b == d.limit && !d.findRoom() {
		return false
	}
	d.at(b).Store(v)
	d.next = b + 1
	d.bottom.Store(b + 1) // L1
	return true
}

// findRoom clears the slots of stolen values, and reports whether there were any since the last
// time. It panics if the deque was not made.
func (d *abp) findRoom() bool {
	if d.capacity == 0 {
		panic("deque: a Bounded is made by NewBounded")
	}
	d.clear(age(d.age.Load())) // L6
	return d.next != d.limit
}

func (d *abp) pop() *byte {
	b := d.next - 1
	if a := age(d.age.Load()); a.before(b) < 0 { // L5: only the owner raises bottom
		d.clear(a)
		return nil
	}
	d.bottom.Store(b) // L2
	a := age(d.age.Load())
	d.clear(a)
	left := a.before(b)
	if left < 0 {
		return nil
	}
	at := d.at(b)
	v := at.Load()
	if left > 0 {
		d.next = b
	} else if !d.age.CompareAndSwap(uint64(a), uint64(a.taken())) { // L3
		v = nil
	}
	at.Store(nil)
	return v
}

// clear sets topSeen to the index of a, and drops the references to values stolen up to that age.
func (d *abp) clear(a age) {
	if a.index() != d.topSeen {
		d.clearUpTo(a.index())
	}
}

func (d *abp) clearUpTo(top uint32) {
	for ; d.topSeen != top; d.topSeen++ {
		d.at(d.topSeen).Store(nil)
	}
	d.limit = top + d.capacity
}

func (d *abp) steal() (*byte, Outcome) { return d.stealAt(age(d.age.Load())) }

// stealAt is the part of Steal after the load of age a.
func (d *abp) stealAt(a age) (*byte, Outcome) {
	if a.before(d.bottom.Load()) <= 0 { // L5
		if age(d.age.Load()) != a {
			return nil, Retry
		}
		return nil, Empty
	}
	v := d.at(a.index()).Load()
	if !d.age.CompareAndSwap(uint64(a), uint64(a.taken())) { // L4
		return nil, Retry
	}
	return v, Stolen
}

func (d *abp) len() int { return d.lenAt(age(d.age.Load())) }

// lenAt is the part of Len after the load of age a. It returns the number of values at the instant
// when it read bottom, between two equal readings of age.
func (d *abp) lenAt(a age) int {
	for {
		n := a.before(d.bottom.Load())
		again := age(d.age.Load())
		if again == a {
			return max(0, n)
		}
		a = again
	}
}

// Bounded is a work-stealing deque of pointers with a fixed capacity.
//
// The owner, one goroutine at a time, calls TryPush and Pop. Any goroutine may call Len, Cap and
// Thief, and use a thief's handle. No method waits: the owner's methods are wait-free, Steal and
// Len are lock-free. A Bounded allocates nothing once it is made.
//
// [NewBounded] makes one; TryPush of the zero value panics. A Bounded must not be copied. A popped
// value is dropped at once, a stolen value with the owner's next Pop at the latest.
type Bounded[T any] struct {
	owner rolecheck.Sole
	core  abp
}

// maxCapacity keeps differences of indices within an int32.
const maxCapacity = 1 << 30

// NewBounded returns an empty deque for exactly capacity values, from 1 to 2³⁰; it panics for any
// other capacity. It allocates the smallest power of two of slots that suffices.
func NewBounded[T any](capacity int) *Bounded[T] {
	if capacity < 1 || capacity > maxCapacity {
		panic("deque: the capacity of a Bounded is from 1 to 1<<30")
	}
	size := 1 << bits.Len(uint(capacity-1))
	return &Bounded[T]{core: abp{
		limit:    uint32(capacity),
		mask:     uint32(size - 1),
		capacity: uint32(capacity),
		slots:    make([]slot, size),
	}}
}

// TryPush adds v at the owner's end. It reports false if the deque holds as many values as its
// capacity. It panics if v is nil. The owner calls it.
func (d *Bounded[T]) TryPush(v *T) bool {
	if v == nil {
		panic(nilPushed)
	}
	if rolecheck.Checked {
		d.owner.Enter("deque: TryPush of a Bounded")
		defer d.owner.Leave()
	}
	return d.core.push((*byte)(unsafe.Pointer(v)))
}

// Pop removes and returns the value that was pushed last and is still there; nil and false if there
// is none. The owner calls it.
func (d *Bounded[T]) Pop() (v *T, ok bool) {
	if rolecheck.Checked {
		d.owner.Enter("deque: Pop of a Bounded")
		defer d.owner.Leave()
	}
	v = (*T)(unsafe.Pointer(d.core.pop()))
	return v, v != nil
}

// Len returns the number of values. Any goroutine may call it. Beside concurrent calls it is an
// estimate, off by at most the number of values that those calls add and remove.
func (d *Bounded[T]) Len() int { return d.core.len() }

// Thief returns the thieves' handle. Any goroutine may call it.
func (d *Bounded[T]) Thief() BoundedThief[T] { return BoundedThief[T]{&d.core} }

// BoundedThief is the right to steal from a [Bounded]. Any goroutine may use it; copies are equal.
// The methods of the zero value panic.
type BoundedThief[T any] struct{ core *abp }

// Steal takes the oldest value. It is lock-free and does not wait. [Retry] means that another Steal
// or a Pop took the value.
func (t BoundedThief[T]) Steal() (*T, Outcome) {
	mustBeMade(t.core == nil)
	v, outcome := t.core.steal()
	return (*T)(unsafe.Pointer(v)), outcome
}
