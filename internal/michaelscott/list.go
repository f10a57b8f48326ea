package michaelscott

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/hazard"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     M. Michael and M. Scott, Simple, Fast, and Practical Non-Blocking and Blocking
//             Concurrent Queue Algorithms, PODC 1996; with nodes that are used again as in F.
//             Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
//             Efficient Lock-Free Scheduler, JSSPP 2015, section 4. Ours: fewer hazard words are
//             set, unlink looks at tail only where it may be behind, and takes the value out after
//             head has moved.
// Sketch:     head ─→ sentinel ─→ n1 ─→ n2 ─→ nil     tail is at the last node, or one behind it
//             link n: t = tail; protect t; check tail = t
//                     t.next = x: CAS(tail: t→x), again
//                     CAS(t.next: nil→n) (L1)
//                     CAS(tail: t→n)
//             unlink: h = head; protect h; check head = h
//                     n = h.next; nil: empty (L3)
//                     n.next = nil, tail = h: CAS(tail: h→n)
//                     protect n; CAS(head: h→n) (L2)
//                     take n's value; h is retired
// Invariants: I1 From head, next leads through the list to its last node, whose next is nil.
//             I2 next, once it is not nil, stays so until the node begins a new life, and leads to
//                the same node as long as this one is in the list.
//             I3 tail is at the last node of the list or the one before, and never behind head.
//             I4 A call that links a node behind x has seen tail at x in this life of x: if x.next
//                is not nil, tail has got as far as x.
//             I5 number grows by one from a node to the next.
//             NOT invariant: that a retired node holds no value; the call that unlinked the value
//                may not have taken it yet.
// Progress:   lock-free. A CAS lost at L1 or L2 means that another call's took effect, and each
//             call that meets a tail that is behind pushes it. A peer that stalls anywhere delays
//             no other; it keeps two nodes from being used again.
// Linearize:  link at L1; unlink at L2; empty at L3: h is protected, so it is in its life as the
//             sentinel, and still is the sentinel, because head leaves only a node whose next is
//             not nil
// Publish:    value and number are written before L1, and read after a load of head, tail or next.
//             The value is taken between L2 and the next change of the taker's hazard word, which a
//             call that uses the node again has seen (R3).
// ABA/memory: R1 to R3 are rules of internal/sync/hazard; a node is retired once head has left it.
//             t is named by a word before tail is found at it (once more), and by I3 is not retired
//             then: R1. The word stays until CAS(tail: t→n) is done: else t might have become the
//             tail anew, and the CAS would set tail back to an n that may have left. (The paper's
//             figure 6 drops the word one line too early; the lecture by its authors has the lines
//             in the right order.)
//             h is named by a word before head is found at it (once more): R1. So L2 fails if head
//             ever left h.
//             n is named by a word before L2, which succeeds only while h is the sentinel, so n its
//             successor: R2. It is relied upon for its value, and by this processor's next unlink
//             as its h. What is read of n before L2 may belong to another life of n; then L2 fails,
//             and a push of tail as well.
//             unlink must push tail, although the next link would: for a t that is retired R1 does
//             not hold, even though a call that has linked behind it, and has not pushed tail yet,
//             still has a word that names it.
// Cost:       two CAS to link and one to unlink. One exchange more if no word of the processor
//             names t, or h, already: if another processor was the last to link, or to unlink; and
//             for t, if this one links and unlinks in turns in a list that is not empty. No word is
//             cleared, and those that L1 and L2 make visible are set by plain stores on amd64.
// Checked by: TestExploreMichaelScott…, and the tests of [UnboundedMPMC] and [IntrusiveMPMC]

// list is the linked list of Michael and Scott with hazard pointers. The zero value has no
// sentinel yet: nothing is in it.
type list[T any] struct {
	_    pad.Line
	head atomics.Pointer[node[T]] // the sentinel
	_    pad.Line
	tail atomics.Pointer[node[T]]
	_    pad.Line
}

// node is a node. While it is in no list and in no pool it belongs to the call that acquired it.
type node[T any] struct {
	next   atomics.Pointer[node[T]]
	number atomics.Plain[uint64]
	value  atomics.Plain[T]
}

// domain is the domain of lists that exchange nodes.
type domain[T any] = hazard.Domain[node[T]]

// record is a processor's part of the domain. Latest is the word that names the sentinel if the
// latest operation was an unlink, and -1 if it was a link. It only decides which word is given up
// for another node.
type record[T any] = hazard.Record[node[T]]

// started reports whether the list has a sentinel.
func (l *list[T]) started() bool { return l.tail.Load() != nil }

// start gives the list a sentinel, at which retired is set too, unless it is nil. Any number of
// calls at once; the list has started when one of them returns.
func (l *list[T]) start(retired *atomics.Pointer[node[T]]) {
	if l.head.Load() == nil {
		l.head.CompareAndSwap(nil, new(node[T]))
	}
	// All callers read the same head: it moves only after a link, which takes a tail.
	s := l.head.Load()
	if retired != nil {
		retired.CompareAndSwap(nil, s)
	}
	l.tail.CompareAndSwap(nil, s)
}

// tryLink links n, which is renewed and has its value, behind the last node. It fails if another
// call was in its way; then n is still the caller's. The list has started.
func (l *list[T]) tryLink(r *record[T], n *node[T]) bool {
	for {
		t := l.tail.Load()
		w := r.Names(t)
		if w < 0 {
			w = 0
			if r.Latest == 0 {
				w = 1
			}
			r.SetNow(w, t)
			if l.tail.Load() != t {
				return false
			}
		}
		if x := t.next.Load(); x != nil {
			l.tail.CompareAndSwap(t, x)
			continue
		}
		n.number.Set(t.number.Get() + 1)
		if r.Latest < 0 { // links in a row: n is going to be the next one's t
			r.Set(1-w, n) // visible with L1
		}
		r.Latest = -1
		if !t.next.CompareAndSwap(nil, n) { // L1
			return false
		}
		l.tail.CompareAndSwap(t, n) // if it fails, another call has pushed tail
		return true
	}
}

// lost passes some time after an attempt failed: first about 3 µs, as long as some hundred calls
// without contention take, and then more. Where two processors call in turns, the cache lines of
// the queue travel for each call; where each makes many calls in a row, they travel for the first
// of these. (Two goroutines that enqueue and dequeue without end: 190 ns a pair with pauses of 20
// ns and more, 63 ns with these.)
func lost(b *backoff.Backoff) {
	for range 12 {
		b.Retry()
	}
}

// outcome is the result of an attempt.
type outcome uint8

const (
	empty outcome = iota
	taken
	contended // another call was in its way
)

// sentinel returns the sentinel and the word of r that protects it: -1 if another call was in the
// way. The sentinel is nil if the list has not started.
func (l *list[T]) sentinel(r *record[T]) (h *node[T], w int) {
	h = l.head.Load()
	if h == nil {
		return nil, 0
	}
	if w = r.Names(h); w >= 0 {
		return h, w
	}
	r.SetNow(0, h)
	if l.head.Load() != h {
		return nil, -1
	}
	return h, 0
}

// tryUnlink removes the oldest value and returns it, with the node that is retired thereby: the
// sentinel until now.
func (l *list[T]) tryUnlink(r *record[T]) (retired *node[T], v T, came outcome) {
	h, w := l.sentinel(r)
	if w < 0 {
		return nil, v, contended
	}
	if h == nil {
		return nil, v, empty
	}
	n := h.next.Load() // L3
	if n == nil {
		return nil, v, empty
	}
	if n.next.Load() == nil && l.tail.Load() == h { // keeps I3; where n has a successor, I4 does
		l.tail.CompareAndSwap(h, n)
	}
	r.Set(1-w, n)                     // visible with L2
	if !l.head.CompareAndSwap(h, n) { // L2
		return nil, v, contended
	}
	r.Latest = 1 - w
	return h, n.value.Take(), taken
}

// len returns how many values there are at an instant of the call, except that it may miss one
// whose Enqueue has not returned yet.
func (l *list[T]) len(nodes *domain[T]) int {
	for b := (backoff.Backoff{}); ; lost(&b) {
		r := nodes.Enter()
		n, ok := l.tryLen(r)
		nodes.Leave(r)
		if ok {
			return n
		}
	}
}

// tryLen is len, and fails if another call was in the way.
func (l *list[T]) tryLen(r *record[T]) (n int, ok bool) {
	h, w := l.sentinel(r)
	if w < 0 {
		return 0, false
	}
	if h == nil {
		return 0, true // it had not started; by now it may have, and tail may be set
	}
	t := l.tail.Load()
	if t == nil {
		return 0, true // a list starts at its head, and is empty without a tail
	}
	r.SetNow(1-w, t)
	if l.tail.Load() != t {
		return 0, false
	}
	n = int(t.number.Get() - h.number.Get())
	return n, l.head.Load() == h
}
