package deque

import (
	_ "sync/atomic" // see internal/atomics: what inlines its operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/pad"
)

// Source:     D. Chase and Y. Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005. Differences: the slots are relaxed words;
//             the owner keeps a copy of top and clears what was stolen.
// Sketch:     top ─→ oldest … newest ─→ bottom; slot i is buffer[i mod size]
//             Push:  slot[bottom] = v; bottom++          Pop: bottom--; the last one is taken by CAS(top)
//             Steal: v = slot[top] if top < bottom; CAS(top: t→t+1) makes it ours
// Invariants: I1 top ≤ bottom but for a Pop in progress, which may let bottom fall to top-1. I2 top only grows. I3 only the
//             owner writes bottom, buffer and slots. I4 cleared ≤ top, and slots below cleared are nil.
// Progress:   Push and Pop are wait-free but for the copy when the buffer grows. Steal is lock-free: a lost CAS means that
//             another Steal or Pop took the value. A stalled thief holds up nobody.
// Linearize:  Push at L1; Pop at L2 (at L3 for the last value); Steal at L4; empty at L2 and L5
// Publish:    slot written before L1, read after bottom is loaded at L5; a slot that the owner overwrites while a thief
//             reads it belongs to an index below top, so that thief's L4 fails and what it read is dropped
// ABA/memory: top counts in 63 bits and does not come back. A buffer that was outgrown is never written again, so a thief
//             that still holds it reads the value that was there. At most the buffer's size of stolen values is retained,
//             until the owner's next Pop.
// Cost:       one atomic store to push, one to pop (plus a CAS for the last value), one CAS to steal; no allocation but the
//             buffer, which doubles and does not shrink
// Checked by: TestGrowable…, FuzzGrowable

// chaseLev is the deque of untyped pointers that Growable[T] is a typed face of: generic code that is instantiated in
// another package does not get Go's atomic instructions inlined, which would cost as much as the instructions.
type chaseLev struct {
	_      pad.Line
	top    atomics.Int64
	_      pad.Line
	bottom atomics.Int64
	buffer atomics.Pointer[buffer]

	// owner only
	topSeen int64 // a value that top had
	cleared int64

	_ pad.Line
}

type slot = atomics.RelaxedPointer[byte]

type buffer struct {
	mask  int64
	slots []slot
}

const firstSize = 64

func newBuffer(size int64) *buffer { return &buffer{mask: size - 1, slots: make([]slot, size)} }

func (b *buffer) at(i int64) *slot { return &b.slots[i&b.mask] }

func (d *chaseLev) push(v *byte) {
	b := d.bottom.Load()
	buf := d.buffer.Load()
	if b-d.topSeen > buf.mask {
		buf = d.makeRoom(b, buf)
	}
	buf.at(b).Store(v)
	d.bottom.Store(b + 1) // L1
}

func (d *chaseLev) pop() *byte {
	b := d.bottom.Load() - 1
	buf := d.buffer.Load()
	if t := d.top.Load(); b < t { // L5: nobody else raises bottom
		d.clear(t, buf)
		return nil
	}
	d.bottom.Store(b) // L2
	t := d.top.Load()
	d.clear(t, buf)
	if t > b {
		d.bottom.Store(b + 1)
		return nil
	}
	v := buf.at(b).Load()
	if t == b {
		if !d.top.CompareAndSwap(t, t+1) { // L3
			v = nil
		}
		d.bottom.Store(b + 1)
	}
	buf.at(b).Store(nil)
	return v
}

// clear drops the references to the values that were stolen: those from cleared up to t.
func (d *chaseLev) clear(t int64, buf *buffer) {
	d.topSeen = t
	for ; d.cleared < t; d.cleared++ {
		buf.at(d.cleared).Store(nil)
	}
}

// makeRoom finds room for index b: because something was stolen, or in a buffer of twice the size.
func (d *chaseLev) makeRoom(b int64, buf *buffer) *buffer {
	d.clear(d.top.Load(), buf)
	if b-d.topSeen <= buf.mask {
		return buf
	}
	bigger := newBuffer(2 * int64(len(buf.slots)))
	for i := d.topSeen; i < b; i++ {
		bigger.at(i).Store(buf.at(i).Load())
	}
	d.buffer.Store(bigger)
	return bigger
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

// Growable is a work-stealing deque without bound. Push, Pop and Len are for its owner, one goroutine at a time; Thief may
// be called, and its Steal used, by any goroutine. Nothing waits. Make it with [NewGrowable]; do not copy it.
type Growable[T any] struct{ core chaseLev }

// NewGrowable returns an empty deque.
func NewGrowable[T any]() *Growable[T] {
	d := &Growable[T]{}
	d.core.buffer.Store(newBuffer(firstSize))
	return d
}

// Push adds v at the owner's end. It panics if v is nil.
func (d *Growable[T]) Push(v *T) {
	if v == nil {
		panic("deque: Push of a nil value")
	}
	d.core.push((*byte)(unsafe.Pointer(v)))
}

// Pop removes and returns what was pushed last and is still there; nil if there is nothing.
func (d *Growable[T]) Pop() *T { return (*T)(unsafe.Pointer(d.core.pop())) }

// Len returns how many values the owner could pop if nobody stole.
func (d *Growable[T]) Len() int { return d.core.len() }

// Thief returns the thieves' handle. Any goroutine.
func (d *Growable[T]) Thief() Thief[T] { return Thief[T]{&d.core} }

// Thief is the right to steal from a deque of values of type T. Any goroutine may use it; copies are equal.
type Thief[T any] struct{ core *chaseLev }

// Steal takes the oldest value. It does not wait: Retry means that the race for the value was lost.
func (t Thief[T]) Steal() (*T, Outcome) {
	v, outcome := t.core.steal()
	return (*T)(unsafe.Pointer(v)), outcome
}

// Empty reports whether there was nothing to steal at some instant of the call.
func (t Thief[T]) Empty() bool { return t.core.len() == 0 }

// Outcome is what a Steal came to.
type Outcome uint8

// The outcomes of a Steal.
const (
	Empty  Outcome = iota // there was nothing to steal at some instant of the call
	Stolen                // the value was taken
	Retry                 // somebody else took the value first: there may be more
)
