// Package queue has lock-free queues and a stack, each in the form that is best for what it promises. A program that wants only a queue
// imports only this package: it needs nothing but the standard library.
//
// # Which one to choose
//
//	type            producers  consumers             bound  order           progress                 for
//	SPSC            1          1                     yes    fifo            wait-free                a pipeline between two goroutines; the fastest
//	MPSC            any        1                     yes    fifo            producers lock-free      many report to one
//	SPMC            1          any                   yes    fifo            consumers lock-free      one hands out work
//	MPMC            any        any                   yes    fifo            a stalled peer blocks    the usual choice with a bound
//	StrictMPMC      any        any                   yes    fifo            lock-free                a bound, and nobody may hold up others
//	SegmentedMPMC   any        any                   no     fifo            lock-free                the usual choice without a bound
//	UnboundedMPMC   any        any                   no     fifo            lock-free                a proven bound on the nodes that it keeps
//	IntrusiveMPMC   any        any                   no     fifo            lock-free                schedulers: an item keeps its own node
//	Stack           any        any                   no     lifo            lock-free                what is taken whole, or hot things first
//	FanIn           any (**)   1                     each   for each one    see there                many producers that should not meet
//	FanOut          1          any (**)              yes    none            lock-free                work dealt out, and stolen when idle
//	Blocking         as inside  as inside             as i.  as inside       waits                    any of these, with waiting, contexts and Close
//	Synchronous     any        any                   none   fifo            waits                    a rendezvous
//	Owner           any        one, which it names   no     fifo (*)        lock-free                what one runs at a time
//
// (*) An item may be counted later than another that was linked behind it; see [Owner]. (**) Each has a handle of its own.
//
// A mutex around a slice, or a channel, is simpler. Prefer a channel where goroutines wait for one thing of several (select), and where a
// few hundred thousand items a second are enough. `freerun bench queues` has the figures of this machine.
//
// # Guarantees
//
//   - Every queue is linearizable: each call takes effect at one instant between its begin and its end. (Owner: see there.)
//   - "Empty" is said only if the queue was empty at some instant of the call, "full" only if items, and calls under way, filled it.
//   - Whatever happened before an item was enqueued happened before it is dequeued, in the sense of Go's memory model.
//   - What was dequeued is not retained.
//   - Steady state allocates nothing, but for Stack, which takes a node from Go's heap for each item.
//   - Lock-free means that a goroutine which stops anywhere, for good, holds up nobody else. The gate stops one at every step.
//     What is not lock-free says so.
//
// # The three ways to call
//
// Total: the methods Try… never wait for room or for an item; they report whether they did it. Partial: [Blocking] wraps a total queue, waits
// for room or for an item, and can be closed. Synchronous: [Synchronous] waits until the item has been taken.
//
// # Roles
//
// A queue for one producer, or one consumer, must not be called by two at a time on that side. A build with the tag freerun_debug
// checks that, and panics with both calls' names; other builds do not pay for it.
//
// A queue that names its consumer tells one of the producers, by the answer to its Enqueue, that it is the owner now. So the producer
// that enqueues into an idle queue gets it served: L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008.
//
// # Cost
//
// Go compiles an atomic operation to its instruction only in packages that import sync/atomic. The generic queues are compiled where they
// are used, so a blank import of sync/atomic there saves 1 to 2 ns a call.
package queue
