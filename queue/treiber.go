package queue

import (
	"iter"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     R. K. Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986; the
//             back-off as in the lecture Lock Free Runtime System, ETH Zürich. Ours: a node knows
//             its depth, so that the length costs one load.
// Sketch:     top ─→ n3 ─→ n2 ─→ n1 ─→ nil        depth 3, 2, 1
//             Push:    n.next = top; CAS(top: n.next→n)
//             TryPop:  n = top; CAS(top: n→n.next); the value of n is the caller's
//             TakeAll: swap(top, nil); the whole chain is the caller's
// Invariants: I1 next and depth of a node do not change once it was pushed, and depth is the number
//                of nodes from it down.
//             I2 A node is pushed once; after it has left, top never leads to it again.
//             I3 The value of a node belongs to the call that took the node off.
// Progress:   lock-free: a failed CAS means that another call has taken effect. TakeAll and Len are
//             wait-free.
// Linearize:  Push at L1, TryPop at L2, empty at L3, TakeAll at L4, Len at its load
// Publish:    value, next and depth are written before L1 and read after a load of top
// ABA/memory: between the load of top and L2 the same node must not come back with another one
//             below it. A node that a call still refers to is not collected, so its address is not
//             given to another; and by I2 it is not pushed again. Reuse of nodes would need hazard
//             pointers: TestExploreStackReuseABA shows how it fails without. A call that sleeps
//             between its load and its CAS retains the nodes that were in the stack then, without
//             the values taken meanwhile.
// Cost:       one CAS a call, on the one word of all; Push allocates a node of two words and the
//             value
// Checked by: TestStack…, FuzzStack; in the explorer TestExploreStack…

// Stack is a last-in-first-out stack without bound. Any goroutine may push and pop. No call waits:
// all methods are lock-free, and a call that loses a race to another pauses briefly before it tries
// again.
//
// The zero value is an empty stack. A Stack must not be copied after first use. Push allocates one
// node. The stack keeps no popped item alive.
type Stack[T any] struct {
	_   pad.Line
	top atomics.Pointer[stackNode[T]]
	_   pad.Line
}

type stackNode[T any] struct {
	next  atomics.Plain[*stackNode[T]]
	depth atomics.Plain[int]
	value atomics.Plain[T]
}

// length returns how many nodes there are from n down. n may be nil.
func (n *stackNode[T]) length() int {
	if n == nil {
		return 0
	}
	return n.depth.Get()
}

// Push puts v on top. Any goroutine.
func (s *Stack[T]) Push(v T) {
	n := &stackNode[T]{}
	n.value.Set(v)
	var b backoff.Backoff
	for {
		below := s.top.Load()
		n.next.Set(below)
		n.depth.Set(below.length() + 1)
		if s.top.CompareAndSwap(below, n) { // L1
			return
		}
		b.Retry()
	}
}

// TryPop removes and returns the newest item, or reports false if the stack was empty. Any
// goroutine.
func (s *Stack[T]) TryPop() (v T, ok bool) {
	var b backoff.Backoff
	for {
		n := s.top.Load() // L3
		if n == nil {
			return v, false
		}
		if s.top.CompareAndSwap(n, n.next.Get()) { // L2
			return n.value.Take(), true
		}
		b.Retry()
	}
}

// TakeAll empties the stack, at once and by one atomic operation, and returns its values, the last
// pushed first. They are taken by the call, not by the loop over them. A loop that ends early
// leaves the rest in the sequence: the next loop over it goes on there. Any goroutine may call
// TakeAll; the sequence is for one at a time.
func (s *Stack[T]) TakeAll() iter.Seq[T] {
	n := s.top.Swap(nil) // L4
	return func(yield func(T) bool) {
		for n != nil {
			v := n.value.Take()
			n = n.next.Get()
			if !yield(v) {
				return
			}
		}
	}
}

// Len returns how many values there are: a snapshot, exact at some instant of the call. Any
// goroutine.
func (s *Stack[T]) Len() int { return s.top.Load().length() }
