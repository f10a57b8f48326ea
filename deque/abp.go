package deque

import (
	"math/bits"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     N. Arora, R. Blumofe and C. Plaxton, Thread Scheduling for Multiprogrammed Multiprocessors, SPAA 1998, as taught
//             in A. Filatov, Lecture 13: concurrent queues. Differences: the array is a ring, for the original says that it
//             is full when its last slot is used, though all others be free; so indices go round and are never set back
//             (age.go), and the end of Pop that does that, which the lecture's slides have in an order that never resets
//             bottom after a lost race, is gone. The owner keeps its index in a plain word of its own, and clears what
//             was stolen.
// Sketch:     age = (stamp, top); top ─→ oldest … newest ─→ bottom; slot i is ring[i mod size]
//             TryPush: slot[next] = v unless next-top = capacity; bottom = ++next
//             Pop:     bottom = next-1; if top < bottom, slot[--next] is ours; if top = bottom, CAS(age) decides
//             Steal:   v = slot[top] if top < bottom; CAS(age) makes it ours
// Invariants: differences are modulo 2³². I1 0 ≤ next-top ≤ capacity ≤ size. I2 bottom = next, but for a Pop in progress, and
//             from a Pop that found one value or none until the next TryPush: then bottom = next-1. I3 age only grows.
//             I4 only the owner writes bottom and slots. I5 topSeen is an index that age had; slots from there down are nil.
//             NOT invariant: top ≤ bottom; and for a thief that read age long before bottom, that they are near each other.
// Progress:   TryPush and Pop are wait-free. Steal is lock-free: a lost CAS means that another Steal or Pop took the value.
//             A stalled thief holds up nobody and takes up no slot.
// Linearize:  TryPush at L1, full at L6; Pop at L2; Steal at L4 or at the L2 that hid the value from others before, if a Pop
//             wanted the same one and lost it at L3; empty at L2 and L5
// Publish:    slot written before L1, read after bottom is loaded at L5; a slot that the owner overwrites while a thief
//             reads it belongs to an index below top, so that thief's L4 fails and what it read is dropped
// ABA/memory: no value of age returns (age.go). Between a thief's loads of age and bottom the index may go half round, and then
//             says nothing: hence the thief looks at age again before it says that the deque is empty; before it takes a
//             value, the CAS does that. At most the capacity of stolen values is retained, until the owner's next Pop, or
//             its next TryPush that finds the ring full.
// Cost:       one atomic store to push, one to pop (plus a CAS for the last value), one CAS to steal; no allocation after
//             NewBounded; 8 bytes a slot, 0.5 KiB besides
// Checked by: TestBounded…, TestFrozenThief, TestHighIndices, TestExploreBounded, TestExploreControlStamp, …Ring and …Ending, FuzzBounded

// abp is the deque of untyped pointers that Bounded[T] is a typed face of, as chaseLev is for Growable[T].
type abp struct {
	_      pad.Line
	age    atomics.Uint64 // an age
	_      pad.Line
	bottom atomics.Uint32

	// owner only
	next    uint32 // index of the next TryPush
	topSeen uint32 // an index that age had
	limit   uint32 // topSeen + capacity: the TryPush of this index needs room

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

// findRoom reports whether something was stolen.
func (d *abp) findRoom() bool {
	if d.capacity == 0 {
		panic("deque: a Bounded is made by NewBounded")
	}
	d.clear(age(d.age.Load())) // L6
	return d.next != d.limit
}

func (d *abp) pop() *byte {
	b := d.next - 1
	if a := age(d.age.Load()); a.before(b) < 0 { // L5: nobody else raises bottom
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

// clear takes note of an age, and drops the references to what was stolen until then.
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

// stealAt is the rest of a Steal that has loaded an age.
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

// lenAt is the rest of a Len that has loaded an age: it returns how many values there were when bottom was read, between two
// equal readings of age.
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

// Bounded is a work-stealing deque of fixed capacity, for pointers. TryPush and Pop are for its owner, one goroutine at a
// time; Len, Cap and Thief may be called, and a thief's methods used, by any goroutine. Nothing waits: the owner's methods
// are wait-free, Steal and Len are lock-free. It allocates nothing once it is made.
//
// Make it with [NewBounded]; the zero value panics when something is pushed. Do not copy it. A value that was popped is dropped
// at once, one that was stolen with the owner's next Pop at the latest.
type Bounded[T any] struct {
	owner rolecheck.Sole
	core  abp
}

// maxCapacity leaves indices room to tell how far they are apart.
const maxCapacity = 1 << 30

// NewBounded returns an empty deque for exactly capacity values, from 1 to 2³⁰; it panics if capacity is not. It allocates
// the smallest power of two of slots that suffices.
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

// TryPush adds v at the owner's end, and reports false if there are as many values as the capacity. It panics if v is nil. Owner
// only.
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

// Pop removes and returns what was pushed last and is still there; nil and false if there is nothing. Owner only.
func (d *Bounded[T]) Pop() (v *T, ok bool) {
	if rolecheck.Checked {
		d.owner.Enter("deque: Pop of a Bounded")
		defer d.owner.Leave()
	}
	v = (*T)(unsafe.Pointer(d.core.pop()))
	return v, v != nil
}

// Len returns how many values there are: beside other calls an estimate, as [Owner] says. Any goroutine.
func (d *Bounded[T]) Len() int { return d.core.len() }

// Cap returns how many values there can be. Any goroutine.
func (d *Bounded[T]) Cap() int { return int(d.core.capacity) }

// Thief returns the thieves' handle. Any goroutine.
func (d *Bounded[T]) Thief() BoundedThief[T] { return BoundedThief[T]{&d.core} }

// BoundedThief is the right to steal from a [Bounded]. Any goroutine may use it; copies are equal. The zero value panics.
type BoundedThief[T any] struct{ core *abp }

// Steal takes the oldest value. It is lock-free and does not wait: Retry means that the race for the value was lost.
func (t BoundedThief[T]) Steal() (*T, Outcome) {
	mustBeMade(t.core == nil)
	v, outcome := t.core.steal()
	return (*T)(unsafe.Pointer(v)), outcome
}

// Empty reports whether there was nothing to steal at some instant of the call.
func (t BoundedThief[T]) Empty() bool {
	mustBeMade(t.core == nil)
	return t.core.len() == 0
}
