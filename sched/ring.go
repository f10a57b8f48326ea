package sched

import (
	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/pad"
	"github.com/freerun-go/freerun/queue"
)

// Source:     the run queue of Go's scheduler (runtime/proc.go, runqput, runqget, runqgrab), after D. Vyukov's design
// Sketch:     slots head…tail-1 (mod size) hold tasks, oldest at head
//             push: slot[tail] = t; tail++        pop: t = slot[head]; CAS(head: h→h+1)
//             steal: copy half of the slots from head into the thief's ring, CAS(head: h→h+n), thief's tail += n
// Invariants: I1 head ≤ tail ≤ head + size. I2 only the owner writes tail and slots. I3 swept ≤ head; slots below swept, and from
//             tail on, hold nil (but for a steal in progress, by the owner); those between swept and head hold what was stolen.
// Progress:   push is wait-free, pop and steal are lock-free; a stalled thief holds up nobody
// Linearize:  push at the store of tail, pop and steal at their CAS
// Publish:    slot before tail; a slot that is overwritten while a thief reads it was popped, so that the thief's CAS fails
// ABA/memory: indices count in 32 bits: a thief would have to sleep through 2^32 pushes between two of its loads
// Cost:       one atomic store to push, one CAS to pop, one CAS for any number stolen; no allocation
// Checked by: TestRing…

// ring is a bounded first-in-first-out queue of tasks: its owner pushes and pops, anybody steals half.
type ring struct {
	_     pad.Line
	head  atomics.Uint32
	_     pad.Line
	tail  atomics.Uint32
	swept uint32 // owner only
	slots [ringSize]atomics.RelaxedPointer[Task]
	_     pad.Line
}

// push adds t at the back and reports whether there was room. Owner only.
func (r *ring) push(t *Task) bool {
	h, tail := r.head.Load(), r.tail.Load()
	r.sweep(h)
	if tail-h >= ringSize {
		return false
	}
	r.slots[tail%ringSize].Store(t)
	r.tail.Store(tail + 1)
	return true
}

// pushList adds tasks of a list that nobody else sees at the back, in its order, as many as there is room for and at most so many, and
// returns the rest. It publishes them all with one store. Owner only.
func (r *ring) pushList(list *queue.Node, most uint32) (rest *queue.Node) {
	h, tail := r.head.Load(), r.tail.Load()
	r.sweep(h)
	for end := tail + min(most, ringSize-(tail-h)); tail != end && list != nil; tail++ {
		var t *Task
		t, list = cut(list)
		r.slots[tail%ringSize].Store(t)
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
		t := r.slots[h%ringSize].Load()
		if r.head.CompareAndSwap(h, h+1) {
			r.sweep(h + 1)
			return t
		}
	}
}

// sweep drops the references to tasks that were taken. Owner only.
func (r *ring) sweep(head uint32) {
	for ; r.swept != head; r.swept++ {
		r.slots[r.swept%ringSize].Store(nil)
	}
}

// free returns how many more tasks fit. Owner only.
func (r *ring) free() int { return ringSize - int(r.tail.Load()-r.head.Load()) }

// empty reports whether the ring was empty at some instant of the call.
func (r *ring) empty() bool {
	for {
		tail := r.tail.Load()
		if h := r.head.Load(); tail == r.tail.Load() {
			return h == tail
		}
	}
}

// stealHalf moves the older half of the tasks of victim, rounded up, to the back of r, which is empty and the caller's own. It
// returns how many it moved, after telling each of them.
func (r *ring) stealHalf(victim *ring) int {
	mine, copied := r.tail.Load(), uint32(0)
	r.sweep(r.head.Load())
	for {
		h := victim.head.Load()
		n := victim.tail.Load() - h
		n -= n / 2
		if n > ringSize/2 {
			continue // head and tail were not of one instant
		}
		for i := range n {
			r.slots[(mine+i)%ringSize].Store(victim.slots[(h+i)%ringSize].Load())
		}
		copied = max(copied, n)
		if n == 0 || victim.head.CompareAndSwap(h, h+n) {
			for i := n; i < copied; i++ { // left by an attempt that failed
				r.slots[(mine+i)%ringSize].Store(nil)
			}
			if n == 0 {
				return 0
			}
			for i := range n {
				r.slots[(mine+i)%ringSize].Load().stolen()
			}
			r.tail.Store(mine + n)
			return int(n)
		}
	}
}

// takeHalf removes the older half of the tasks and returns them as a list, newest and oldest: room for the owner's next
// push. Owner only; fails with nil if thieves were faster, and then there is room.
func (r *ring) takeHalf() (newest, oldest *Task) {
	h := r.head.Load()
	n := (r.tail.Load() - h) / 2
	if n == 0 {
		return nil, nil
	}
	var taken [ringSize / 2]*Task
	for i := range n {
		taken[i] = r.slots[(h+i)%ringSize].Load()
	}
	if !r.head.CompareAndSwap(h, h+n) {
		return nil, nil
	}
	for i := n - 1; i > 0; i-- {
		taken[i].Link(&taken[i-1].Node)
	}
	return taken[n-1], taken[0]
}
