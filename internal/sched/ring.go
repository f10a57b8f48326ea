package sched

import (
	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     the run queue of Go's scheduler (runtime/proc.go: runqput, runqget, runqgrab), after
//             D. Vyukov's design. Ours also grows, as the deque of D. Chase and Y. Lev does
//             (Dynamic Circular Work-Stealing Deque, SPAA 2005)
// Sketch:     slots head…tail-1 (mod size) hold tasks, the oldest at head
//             push:  slot[tail] = t; tail++
//             pop:   t = slot[head]; CAS(head: h→h+1)
//             steal: copy half of the slots from head into the thief's ring;
//                    CAS(head: h→h+n); the thief's tail += n
//             grow:  slots = a copy of twice the size, with each task at the same index
// Invariants: I1 head ≤ tail ≤ head + size.
//             I2 Only the owner writes tail and slots.
//             I3 swept ≤ head. Slots below swept and slots from tail on hold nil (except during
//                a steal by the owner). Slots between swept and head hold tasks already taken.
//             I4 A replaced slots array is not written any more, so a thief that still reads it
//                finds each task at its index.
// Progress:   push is wait-free, pop and steal are lock-free; a stalled thief delays no other call
// Linearize:  push at the store of tail, pop and steal at their CAS
// Publish:    The owner writes slots before tail; thieves read tail before slots. A slot that is
//             overwritten while a thief reads it has been popped, so the thief's CAS fails.
// ABA/memory: indices count in 32 bits: a thief would have to sleep through 2^32 pushes between
//             two of its loads
// Cost:       one atomic store per push, one CAS per pop, one CAS for any number stolen; only
//             growing allocates. A thief asks for the memory of what it has stolen (prefetch.go)
// Checked by: TestRing…

// ring is a first-in-first-out queue of tasks. Its owner pushes and pops; any processor steals
// half of it. It grows up to mostRing tasks, which few programs reach.
type ring struct {
	_     pad.Line
	head  atomics.Uint32
	_     pad.Line
	tail  atomics.Uint32
	swept uint32                 // owner only
	loot  uint32                 // owner only: how many tasks of the last theft are left, at most
	slots slots                  // owner only
	seen  atomics.Pointer[slots] // the same array, for thieves
	_     pad.Line
}

// slots is the array of a ring. Its length is a power of two.
type slots []atomics.RelaxedPointer[Task]

func (s slots) at(i uint32) *atomics.RelaxedPointer[Task] { return &s[i&uint32(len(s)-1)] }

// init makes the ring usable, with room for ringSize tasks.
func (r *ring) init() { r.replace(make(slots, ringSize)) }

func (r *ring) replace(by slots) {
	r.slots = by
	r.seen.Store(&by)
}

// push adds t at the back and reports whether there was room. Owner only.
func (r *ring) push(t *Task) bool {
	h, tail := r.head.Load(), r.tail.Load()
	r.sweep(h)
	if int(tail-h) >= len(r.slots) && !r.grow(h, tail) {
		return false
	}
	r.slots.at(tail).Store(t)
	r.tail.Store(tail + 1)
	return true
}

// grow doubles the ring and reports true, or false if the ring has its greatest size. Owner only.
func (r *ring) grow(h, tail uint32) bool {
	if len(r.slots) >= mostRing {
		return false
	}
	larger := make(slots, 2*len(r.slots))
	for i := h; i != tail; i++ {
		larger.at(i).Store(r.slots.at(i).Load())
	}
	r.swept = h
	r.replace(larger)
	return true
}

// pushList adds the tasks of a private list at the back, in their order: no more than most of them,
// and as many as there is room for. It returns the rest, and publishes all with one store. Owner
// only.
func (r *ring) pushList(list *mailbox.Node, most uint32) (rest *mailbox.Node) {
	h, tail := r.head.Load(), r.tail.Load()
	r.sweep(h)
	for end := tail + min(most, uint32(len(r.slots))-(tail-h)); tail != end && list != nil; tail++ {
		var t *Task
		t, list = cut(list)
		r.slots.at(tail).Store(t)
	}
	r.tail.Store(tail)
	return list
}

// pop removes the oldest task; nil if there is none. Owner only.
func (r *ring) pop() *Task {
	for {
		h := r.head.Load()
		if h == r.tail.Load() {
			r.sweep(h)
			return nil
		}
		t := r.slots.at(h).Load()
		if r.head.CompareAndSwap(h, h+1) {
			r.sweep(h + 1)
			switch n := r.tail.Load() - h; {
			case n > prefetchFrom:
				r.prefetchAhead(h)
			case r.loot > 0:
				r.loot--
				r.prefetchLoot(h, n)
			}
			return t
		}
	}
}

// sweep drops the references to tasks that were taken. Owner only.
func (r *ring) sweep(head uint32) {
	for ; r.swept != head; r.swept++ {
		r.slots.at(r.swept).Store(nil)
	}
}

// len returns the number of tasks at some instant of the call. Owner only.
func (r *ring) len() int { return int(r.tail.Load() - r.head.Load()) }

// empty reports whether the ring was empty at some instant of the call. Any goroutine.
func (r *ring) empty() bool {
	for {
		tail := r.tail.Load()
		if h := r.head.Load(); tail == r.tail.Load() {
			return h == tail
		}
	}
}

// stealHalf moves the older half of the victim's tasks, rounded up and at most mostLoot, to the
// back of r. r must be empty and belong to the caller. It calls Kind.Stolen for each task and
// returns how many it moved.
func (r *ring) stealHalf(victim *ring) int {
	mine, copied := r.tail.Load(), uint32(0)
	r.sweep(r.head.Load())
	for {
		h := victim.head.Load()
		n := victim.tail.Load() - h
		if n > mostRing {
			continue // head and tail are of different instants
		}
		n = min(n-n/2, mostLoot)
		theirs := *victim.seen.Load()
		for i := range n {
			r.slots.at(mine + i).Store(theirs.at(h + i).Load())
		}
		copied = max(copied, n)
		if n == 0 || victim.head.CompareAndSwap(h, h+n) {
			for i := n; i < copied; i++ { // left by a failed attempt
				r.slots.at(mine + i).Store(nil)
			}
			if n == 0 {
				return 0
			}
			for i := range n {
				r.slots.at(mine + i).Load().stolen()
			}
			if fetchesLoot {
				r.loot = n
				r.prefetchFirst(mine, n)
			}
			r.tail.Store(mine + n)
			return int(n)
		}
	}
}

// takeHalf removes the older half of the tasks, at most ringSize/2, to make room for the owner's
// next push. It returns them as a list from newest to oldest; nil if thieves were faster, and then
// there is room. Owner only.
func (r *ring) takeHalf() (newest, oldest *Task) {
	h := r.head.Load()
	n := min((r.tail.Load()-h)/2, ringSize/2)
	if n == 0 {
		return nil, nil
	}
	var taken [ringSize / 2]*Task
	for i := range n {
		taken[i] = r.slots.at(h + i).Load()
	}
	if !r.head.CompareAndSwap(h, h+n) {
		return nil, nil
	}
	for i := n - 1; i > 0; i-- {
		taken[i].Link(&taken[i-1].Node)
	}
	return taken[n-1], taken[0]
}
