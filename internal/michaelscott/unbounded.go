package michaelscott

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/hazard"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     the list is that of list.go. The queue of Negele and others is of items
//             that keep their nodes ([IntrusiveMPMC]). Here there are values and no items, so the
//             queue keeps the nodes. Ours: they stay in the list, ahead of the sentinel, until a
//             processor acquires some of them at once.
// Sketch:     retired ─→ r1 ─→ r2 ─→ … ─→ sentinel ←─ head     (the list goes on from here)
//             Enqueue: n = one of the processor's; none: acquire; too few there: a new node
//                      n.value = v; link n
//             acquire: f = retired; protect f; walk batch nodes, to x, if head is not met before
//                      CAS(retired: f→x) L1; look at all hazard words; exchange the nodes they name
//             Dequeue: unlink; the old sentinel stays where it is
// Invariants: I1 next leads from retired to head, and all nodes before head are retired; retired is
//                never behind head.
//             I2 A processor's chain holds at most batch nodes. No hazard word on which a call
//                relies names any of them.
// Progress:   lock-free, as the list is; a CAS lost at L1 means that another processor has acquired
//             nodes.
// Linearize:  as the list
// Publish:    as the list
// ABA/memory: claim names f in a hazard word, and then finds retired at f once more: so f has not
//             been acquired by then. Acquiring is for the CAS at L1 what retiring is for the others
//             (R1). Nodes behind f may be acquired and used again during the walk; then retired has
//             left f, for good as long as the word stays. No node is ever freed. With N records
//             (processors) the nodes ever allocated are at most M + N·(batch+2) + batch, where
//             M is the largest number of values that there ever were at once, those of calls in
//             progress included: a node is allocated when less than batch are between retired and
//             head; the sentinel, those in the list and those in the hands of an Enqueue are M+1;
//             in chains are at most N·batch, and in pools 2N.
// Cost:       that of the list; to acquire costs a store, a CAS, and 2N loads, once for batch
//             Enqueues
// Checked by: TestUnboundedMPMC…, TestMichaelScott…, TestExploreUnboundedMPMC…, FuzzUnboundedMPMC

// UnboundedMPMC is queue.UnboundedMPMC: see there. The zero value is an empty queue.
type UnboundedMPMC[T any] struct {
	list    list[T]
	retired atomics.Pointer[node[T]] // the oldest node to acquire; where head is if there is none
	_       pad.Line
	nodes   domain[T]
}

// Enqueue adds v as the last value. It is lock-free.
func (q *UnboundedMPMC[T]) Enqueue(v T) {
	r := q.nodes.Enter()
	n := q.acquire(r)
	if n == nil {
		q.nodes.Leave(r)
		n = q.allocate()
		r = q.nodes.Enter()
	}
	n.value.Set(v)
	for b := (backoff.Backoff{}); !q.list.tryLink(r, n); r = q.nodes.Enter() {
		q.nodes.Leave(r)
		lost(&b)
	}
	q.nodes.Leave(r)
}

// TryEnqueue is Enqueue, and returns true: there is always room.
func (q *UnboundedMPMC[T]) TryEnqueue(v T) bool {
	q.Enqueue(v)
	return true
}

// TryDequeue removes and returns the oldest value. If ok is false, there was no value at some
// instant of the call. It is lock-free.
func (q *UnboundedMPMC[T]) TryDequeue() (v T, ok bool) {
	for b := (backoff.Backoff{}); ; lost(&b) {
		r := q.nodes.Enter()
		_, v, came := q.list.tryUnlink(r)
		q.nodes.Leave(r)
		if came != contended {
			return v, came == taken
		}
	}
}

// Len returns how many values there were at some instant of the call. It is lock-free, and costs
// about as much as the other methods.
func (q *UnboundedMPMC[T]) Len() int { return q.list.len(&q.nodes) }

// allocate returns a new node, and sees to it that the list has started.
func (q *UnboundedMPMC[T]) allocate() *node[T] {
	if !q.list.started() {
		q.list.start(&q.retired)
	}
	return new(node[T])
}

// acquire returns a node, renewed, or nil if there are too few to acquire.
func (q *UnboundedMPMC[T]) acquire(r *record[T]) *node[T] {
	for r.Chained == 0 {
		f, count := q.claim(r)
		if count == 0 {
			return nil
		}
		q.screen(r, f, count)
	}
	n := r.Chain
	r.Chain = n.next.Load()
	r.Chained--
	n.renew()
	return n
}

// claim takes batch retired nodes out of the list, and returns the first of them; or none if
// there are fewer.
func (q *UnboundedMPMC[T]) claim(r *record[T]) (f *node[T], count int) {
	for {
		f := q.retired.Load()
		if f == nil {
			return nil, 0
		}
		r.SetNow(0, f)
		if q.retired.Load() != f {
			continue
		}
		h := q.list.head.Load() // not before f
		x, count := f, 0
		for count < batch && x != h && x != nil {
			x = x.next.Load()
			count++
		}
		switch {
		case count == batch && x != nil:
			if q.retired.CompareAndSwap(f, x) { // L1
				return f, count
			}
		case q.retired.Load() == f: // so it was all the time, and x is h
			return nil, 0
		}
	}
}

// screen makes a chain of nodes that begin a new life: of the count nodes linked from n on, and of
// others in the place of those that cannot be used yet. The chain may be empty: then all of the
// nodes went to pools.
func (q *UnboundedMPMC[T]) screen(r *record[T], n *node[T], count int) {
	var s hazard.Screen[node[T]]
	s.Look(&q.nodes, r)
	var last *node[T]
	for ; count > 0; count-- {
		next, c := n.next.Load(), n
		if !s.Passes(c) {
			c = q.nodes.Acquire(r, c)
		}
		if c != nil {
			if last == nil {
				r.Chain = c
			} else if last.next.Load() != c {
				last.next.Store(c)
			}
			last = c
			r.Chained++
		}
		n = next
	}
}
