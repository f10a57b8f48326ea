package deque

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     J. Duffy, Building a custom thread pool, part 2: a work stealing queue, 2008. Differences: below.
// Sketch:     head ─→ oldest … newest ─→ tail; slot i is ring[i mod size]; thieves take turns under the lock
//             Push:  slot[next] = v, under the lock in a ring of twice the size if this one is full; tail = ++next
//             Pop:   tail = next-1; slot[--next] is ours, unless head is there: if a thief has claimed that very slot, the
//                    lock is waited for, and head then tells whether the thief got it
//             Steal: lock; claim head; if head < tail, take slot[head], head++, otherwise disclaim; unlock
// Invariants: I1 head ≤ next ≤ head + size. I2 tail = next, but for a Pop in progress, and from a Pop that found nothing after
//             all until the next Push: then tail = next-1. I3 the index in head only grows; it and the claim are written
//             under the lock only. I4 only the owner writes tail, and ring (under the lock). I5 slots outside of head to
//             next hold the zero value. NOT invariant: head ≤ tail.
//             I6 slot head is a thief's from when it has claimed it and then read tail > head, until it lets head go on.
//             All other slots are the owner's. For the Pop that would take that slot stores tail = head and loads head
//             afterwards. One of the two is first: if it is the store, the thief reads it and disclaims; otherwise
//             the Pop finds the claim. And a Push does not reach the slot, of which head + size is the next use (I1).
// Progress:   NOT lock-free. Push waits for the holder of the lock when the ring is full and must grow, and Pop when a thief
//             has claimed the last value. Steal waits for nobody, but a thief that stalls under the lock makes it report
//             Retry to the others for as long. Otherwise Push and Pop are wait-free.
// Linearize:  Push at L1; Pop at L2; Steal at L4, unless a Pop hides the value at its L2 in between; empty at L2, L4 and L5
// Publish:    slot written before L1, read by a thief after L4; taken by a thief before L6, reused by the owner after it has
//             loaded head, or has had the lock. What is done under the lock is seen by who has it next.
// ABA/memory: nothing is compared and swapped; indices count in 62 bits and do not come back. Nothing that was taken is retained.
// Cost:       one atomic store to push, one to pop, the last value too; to steal the lock (two operations of a channel) and two
//             stores. No allocation but the ring, which the first Push makes, and which doubles and does not shrink
// Checked by: TestHybrid…, TestHighIndices, TestExploreHybrid…, TestExploreControlStep, …Gap and …Exchange, FuzzHybrid
//
// Where the article's code goes wrong, and what is done here:
//   - A thief steps head before it knows whether there is something to steal, and steps back if not. In between, an owner that
//     has just pushed finds head = tail, and its Pop says that nothing is there; so does IsEmpty. Here the thief sets the lowest
//     bit of head, the claim, and the index moves only when a value was taken. So an index is never too high, and
//     whoever finds tail at or below it may say that the deque is empty.
//   - Therefore one slot must stay free, between the one that a thief reads behind the stepped head and the one that is pushed
//     to: that is what the comparison with the mask, not the size, is for, and easily broken. Here head stays where it is
//     until its slot has been read, and the ring can be full.
//   - Indices have 32 bits, and only growing sets them back: a deque that does not grow seems empty for ever once 2³¹ values were
//     stolen, as tail is negative then. Here they have 62 bits, and growing leaves them alone.
//   - Growing moves head and tail, two words, to new values: who reads them without the lock in between, as Count does, gets the
//     difference of an old and a new one. Here growing changes neither.
//   - What was taken stays in its slot, and is kept alive by it. Here the taker clears it.
//   - A thief that does not get the lock in time reports the same as one that finds nothing. Here that is Retry.
//   - A Pop that cannot tell who won takes the lock, be the value claimed or gone. Here it waits only for a claim.

// Hybrid is a work-stealing deque without bound, for values of any type: simple, as only the owner's end does without a lock,
// and fast where stealing is rare. Push, TryPush and Pop are for its owner, one goroutine at a time; Len and Thief may be called,
// and a thief's methods used, by any goroutine.
//
// It is not lock-free. Push waits for whoever has the lock (one thief, for the few steps of its Steal) when the ring is full
// and has to grow; Pop, when a thief is at that moment taking the very value that it would take, the last one. If that thief is not
// run meanwhile, the owner waits as long. Where that matters, use [Growable].
//
// The zero value is an empty deque; do not copy it after first use. Values that are gone are not kept alive. The ring begins with
// room for 64 and doubles; it does not shrink.
type Hybrid[T any] struct {
	owner rolecheck.Sole

	_    pad.Line
	head atomics.Int64 // a hybridHead

	_    pad.Line
	tail atomics.Int64
	ring atomics.Plain[[]atomics.Plain[T]] // nil until the first Push

	// owner only
	next  int64 // index of the next Push
	limit int64 // the Push of this index needs room

	_    pad.Line
	lock park.Mutex
	_    pad.Line
}

// hybridHead is the index of the oldest value, and whether a thief is at it.
type hybridHead int64

func (h hybridHead) index() int64        { return int64(h >> 1) }
func (h hybridHead) claim() hybridHead   { return h | 1 }
func (h hybridHead) claimed() bool       { return h&1 != 0 }
func (h hybridHead) taken() hybridHead   { return h + 2 } // of an unclaimed one
func (d *Hybrid[T]) headNow() hybridHead { return hybridHead(d.head.Load()) }

// NewHybrid returns an empty deque.
func NewHybrid[T any]() *Hybrid[T] { return &Hybrid[T]{} }

func (d *Hybrid[T]) at(i int64) *atomics.Plain[T] {
	ring := d.ring.Get()
	return &ring[i&int64(len(ring)-1)]
}

// Push adds v at the owner's end. It waits for the lock if the ring is full. Owner only.
func (d *Hybrid[T]) Push(v T) {
	if rolecheck.Checked {
		d.owner.Enter("deque: Push of a Hybrid")
		defer d.owner.Leave()
	}
	if d.next == d.limit && !d.findRoom() {
		d.lock.Lock()
		d.grow()
		d.lock.Unlock()
	}
	d.push(v)
}

// TryPush is Push, but reports false where that would wait: when the ring is full and somebody has the lock. Owner only.
func (d *Hybrid[T]) TryPush(v T) bool {
	if rolecheck.Checked {
		d.owner.Enter("deque: TryPush of a Hybrid")
		defer d.owner.Leave()
	}
	if d.next == d.limit && !d.findRoom() {
		if !d.lock.TryLock() {
			return false
		}
		d.grow()
		d.lock.Unlock()
	}
	d.push(v)
	return true
}

func (d *Hybrid[T]) push(v T) {
	d.at(d.next).Set(v)
	d.next++
	d.tail.Store(d.next) // L1
}

// findRoom reports whether there is room in the ring, because something was stolen.
func (d *Hybrid[T]) findRoom() bool {
	d.limit = d.headNow().index() + int64(len(d.ring.Get()))
	return d.next != d.limit
}

// grow makes room for twice as many values. It is called with the lock.
func (d *Hybrid[T]) grow() {
	old := d.ring.Get()
	if len(old) == 0 {
		d.ring.Set(make([]atomics.Plain[T], firstSize))
		d.findRoom()
		return
	}
	bigger := make([]atomics.Plain[T], 2*len(old))
	for i := d.headNow().index(); i < d.next; i++ {
		bigger[i&int64(len(bigger)-1)].Set(old[i&int64(len(old)-1)].Get())
	}
	d.ring.Set(bigger)
	d.findRoom()
}

// Pop removes and returns what was pushed last and is still there; false if there is nothing. It waits for the lock if a thief has
// claimed the last value. Owner only.
func (d *Hybrid[T]) Pop() (v T, ok bool) {
	if rolecheck.Checked {
		d.owner.Enter("deque: Pop of a Hybrid")
		defer d.owner.Leave()
	}
	b := d.next - 1
	if b < d.headNow().index() { // L5: nobody else raises tail
		return v, false
	}
	d.tail.Store(b) // L2
	h := d.headNow()
	if h.index() == b && h.claimed() {
		d.lock.Lock()
		h = d.headNow()
		d.lock.Unlock()
	}
	if h.index() > b {
		return v, false
	}
	d.next = b
	return d.at(b).Take(), true
}

// Len returns how many values there are: beside other calls an estimate, as [Owner] says. Any goroutine.
func (d *Hybrid[T]) Len() int {
	h := d.headNow().index()
	return int(max(0, d.tail.Load()-h))
}

// steal takes the oldest value, waiting no longer than timeout for the lock.
func (d *Hybrid[T]) steal(timeout time.Duration) (v T, outcome Outcome) {
	if d.Len() == 0 { // L5
		return v, Empty
	}
	if !d.lock.LockTimeout(timeout) {
		return v, Retry
	}
	h := d.headNow()
	d.head.Store(int64(h.claim()))
	if h.index() < d.tail.Load() { // L4
		v, outcome = d.at(h.index()).Take(), Stolen
		h = h.taken()
	}
	d.head.Store(int64(h)) // L6
	d.lock.Unlock()
	return v, outcome
}

// Thief returns the thieves' handle. Any goroutine.
func (d *Hybrid[T]) Thief() HybridThief[T] { return HybridThief[T]{d} }

// HybridThief is the right to steal from a [Hybrid]. Any goroutine may use it; copies are equal. The zero value panics.
type HybridThief[T any] struct{ deque *Hybrid[T] }

// Steal takes the oldest value. It does not wait: Retry means that somebody else has the lock. So it is not lock-free, as one that stalls
// with the lock makes it Retry to all others.
func (t HybridThief[T]) Steal() (T, Outcome) {
	mustBeMade(t.deque == nil)
	return t.deque.steal(0)
}

// TrySteal is Steal, but waits up to timeout for the lock before it reports Retry: a thief that has looked at all the deques in vain
// may want to wait for one of them rather than look again. A timeout of 0 or less is Steal. An empty deque is reported without waiting.
func (t HybridThief[T]) TrySteal(timeout time.Duration) (T, Outcome) {
	mustBeMade(t.deque == nil)
	return t.deque.steal(timeout)
}

// Empty reports whether there was nothing to steal at some instant of the call. It is false while a thief has claimed the last
// value and may or may not get it.
func (t HybridThief[T]) Empty() bool {
	mustBeMade(t.deque == nil)
	return t.deque.Len() == 0
}
