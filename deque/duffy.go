package deque

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     J. Duffy, Building a custom thread pool, part 2: a work stealing queue, 2008.
//             Differences: below.
// Sketch:     head ─→ oldest … newest ─→ tail; slot i is ring[i mod size]; thieves take turns
//             under the lock
//             Push:  slot[next] = v, under the lock in a ring of twice the size if this one is
//                    full; tail = ++next
//             Pop:   tail = next-1; slot[--next] is the owner's, unless a thief has claimed that
//                    very slot: then wait for the lock, and head tells whether the thief took it
//             Steal: lock; claim head; if head < tail, take slot[head], head++, otherwise
//                    disclaim; unlock
// Invariants: I1 head ≤ next ≤ head + size.
//             I2 tail = next, except during a Pop, and from a Pop that found nothing after all
//             until the next Push: then tail = next-1.
//             I3 the index in head only grows; the index and the claim are written under the lock
//             only.
//             I4 only the owner writes tail, and ring (under the lock).
//             I5 slots outside of head to next hold the zero value.
//             I6 slot head is a thief's from when the thief has claimed it and then read
//             tail > head, until the thief lets head go on. All other slots are the owner's.
//             NOT invariant: head ≤ tail.
//             Why I6: the Pop that would take slot head stores tail = head and loads head
//             afterwards. Either its store comes before the thief's load: then the thief reads it
//             and disclaims. Or the claim comes first: then the Pop finds it. A Push does not
//             reach the slot: its next use is index head + size (I1).
// Progress:   NOT lock-free. Push waits for the holder of the lock when the ring is full and must
//             grow. Pop waits for it when a thief has claimed the last value. Steal waits for no
//             other call, but while a thief stalls under the lock, Steal reports Retry to the
//             others. Otherwise Push and Pop are wait-free.
// Linearize:  Push at L1.
//             Pop at L2.
//             Steal at L4, unless a Pop hides the value at its L2 in between.
//             Empty at L2, L4 and L5.
// Publish:    The owner writes a slot before L1; a thief reads it after L4. A thief takes a value
//             before L6; the owner reuses the slot after it has loaded head, or has had the lock.
//             The next holder of the lock sees the writes of the last one.
// ABA/memory: nothing is compared and swapped; indices count in 62 bits and do not repeat. No
//             taken value is retained.
// Cost:       one atomic store to push; one to pop, the last value too; to steal, the lock (two
//             operations of a channel) and two stores. No allocation but the ring, which the first
//             Push makes, and which doubles and does not shrink.
// Checked by: TestHybrid…, TestHighIndices, TestExploreHybrid…, TestExploreControlStep, …Gap and
//             …Exchange, FuzzHybrid
//
// Where the article's code goes wrong, and how this code differs:
//   - A thief steps head before it knows whether there is a value, and steps back if there is none.
//     In between, an owner that has just pushed finds head = tail: its Pop and its IsEmpty report
//     an empty deque. Here the thief sets the lowest bit of head, the claim, and the index moves
//     only when a value was taken. So an index is never too high, and a caller that finds tail at
//     or below it may report an empty deque.
//   - Therefore one slot must stay free, between the slot that a thief reads behind the stepped
//     head and the slot of the next push. The comparison with the mask, instead of the size, does
//     that, and is easily broken. Here head stays where it is until its slot has been read, and the
//     ring can be full.
//   - Indices have 32 bits, and only growing sets them back. A deque that does not grow seems empty
//     for ever once 2³¹ values were stolen, because tail is negative then. Here indices have 62
//     bits, and growing leaves them alone.
//   - Growing moves head and tail, two words, to new values. A reader without the lock, such as
//     Count, may get the difference of an old and a new one. Here growing changes neither.
//   - A taken value stays in its slot, which keeps it alive. Here the taker clears the slot.
//   - A thief that does not get the lock in time reports the same as a thief that finds nothing.
//     Here it reports Retry.
//   - A Pop that cannot tell which side won takes the lock, whether the value is claimed or gone.
//     Here it takes the lock only for a claim.

// Hybrid is a study: it reproduces J. Duffy's work-stealing queue of 2008, with its faults mended
// (duffy.go lists them). It is a deque without bound, for values of any type. The owner's end works
// without a lock in most cases, and thieves take turns under a lock.
//
// The owner, one goroutine at a time, calls Push, TryPush and Pop. Any goroutine may call Len and
// Thief, and use a thief's handle.
//
// A Hybrid is not lock-free. Push waits for the holder of the lock, one thief for the few steps of
// its Steal, when the ring is full and has to grow. Pop waits for it when a thief is about to take
// the last value. If that thief is not scheduled meanwhile, the owner waits as long. Where that
// matters, use [Growable].
//
// The zero value is an empty deque. It must not be copied after first use. Values that were taken
// are not kept alive. The ring begins with room for 64 values and doubles; it does not shrink.
type Hybrid[T any] struct {
	owner rolecheck.Sole

	_    pad.Line
	head atomics.Int64 // a hybridHead

	_    pad.Line
	tail atomics.Int64
	ring atomics.Plain[[]atomics.Plain[T]] // nil until the first Push

	// written and read by the owner only
	next  int64 // index of the next Push
	limit int64 // the Push of this index finds the ring full

	_    pad.Line
	lock park.Mutex
	_    pad.Line
}

// hybridHead is the index of the oldest value, and the claim: the lowest bit, which a thief sets.
type hybridHead int64

func (h hybridHead) index() int64        { return int64(h >> 1) }
func (h hybridHead) claim() hybridHead   { return h | 1 }
func (h hybridHead) claimed() bool       { return h&1 != 0 }
func (h hybridHead) taken() hybridHead   { return h + 2 } // h is unclaimed
func (d *Hybrid[T]) headNow() hybridHead { return hybridHead(d.head.Load()) }

func (d *Hybrid[T]) at(i int64) *atomics.Plain[T] {
	ring := d.ring.Get()
	return &ring[i&int64(len(ring)-1)]
}

// Push adds v at the owner's end. It waits for the lock if the ring is full. The owner calls it.
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

// TryPush is Push, but reports false where Push would wait: when the ring is full and a thief holds
// the lock. The owner calls it.
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

// findRoom reports whether the ring has room, because a value was stolen.
func (d *Hybrid[T]) findRoom() bool {
	d.limit = d.headNow().index() + int64(len(d.ring.Get()))
	return d.next != d.limit
}

// grow doubles the ring. The caller holds the lock.
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

// Pop removes and returns the value that was pushed last and is still there; false if there is
// none. It waits for the lock if a thief has claimed the last value. The owner calls it.
func (d *Hybrid[T]) Pop() (v T, ok bool) {
	if rolecheck.Checked {
		d.owner.Enter("deque: Pop of a Hybrid")
		defer d.owner.Leave()
	}
	b := d.next - 1
	if b < d.headNow().index() { // L5: only the owner raises tail
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

// Len returns the number of values. Any goroutine may call it. Beside concurrent calls it is an
// estimate, off by at most the number of values that those calls add and remove.
func (d *Hybrid[T]) Len() int {
	h := d.headNow().index()
	return int(max(0, d.tail.Load()-h))
}

// steal takes the oldest value. It waits for the lock no longer than timeout.
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

// Thief returns the thieves' handle. Any goroutine may call it.
func (d *Hybrid[T]) Thief() HybridThief[T] { return HybridThief[T]{d} }

// HybridThief is the right to steal from a [Hybrid]. Any goroutine may use it; copies are equal.
// The methods of the zero value panic.
type HybridThief[T any] struct{ deque *Hybrid[T] }

// Steal takes the oldest value. It does not wait: [Retry] means that another goroutine holds the
// lock. It is not lock-free: while a thief stalls with the lock, all others get Retry.
func (t HybridThief[T]) Steal() (T, Outcome) {
	mustBeMade(t.deque == nil)
	return t.deque.steal(0)
}

// TrySteal is Steal, but waits for the lock up to timeout before it reports [Retry]. A thief that
// has looked at all deques in vain may rather wait for one of them than look again. With a timeout
// of 0 or less it is Steal. It reports an empty deque without waiting.
func (t HybridThief[T]) TrySteal(timeout time.Duration) (T, Outcome) {
	mustBeMade(t.deque == nil)
	return t.deque.steal(timeout)
}
