// Package queue has lock-free queues and a stack, each in the form that is best for what it
// promises. It needs nothing but the standard library.
//
// # Which one to choose
//
//	type           producers  consumers       bound  order         progress
//	SPSC           1          1               yes    fifo          wait-free
//	MPSC           any        1               yes    fifo          producers lock-free
//	SPMC           1          any             yes    fifo          consumers lock-free
//	MPMC           any        any             yes    fifo          a stalled peer delays others
//	StrictMPMC     any        any             yes    fifo          lock-free
//	SegmentedMPMC  any        any             no     fifo          lock-free
//	UnboundedMPMC  any        any             no     fifo          lock-free
//	Stack          any        any             no     lifo          lock-free
//	FanIn          any (**)   1               each   per producer  see there
//	FanOut         1          any (**)        yes    none          lock-free
//	Blocking       as inside  as inside       as i.  as inside     waits
//	Synchronous    any        any             none   fifo          waits
//	Owner          any        one, appointed  no     fifo (*)      lock-free
//
// (*) An item may be counted later than another that was linked behind it; see [Owner]. (**) Each
// has a handle of its own.
//
// What each is for:
//
//   - [SPSC]: a pipeline between two goroutines; the fastest
//   - [MPSC]: many report to one
//   - [SPMC]: one hands out work
//   - [MPMC]: the usual choice with a bound
//   - [StrictMPMC]: a bound, where a stalled goroutine must not delay the others
//   - [SegmentedMPMC]: the usual choice without a bound
//   - [UnboundedMPMC]: no bound on its items, and a proven one on the nodes that it keeps
//   - [Stack]: everything is taken at once, or the newest first
//   - [FanIn]: many producers that should not contend
//   - [FanOut]: work that is dealt out, and stolen by idle consumers
//   - [Blocking]: any of these, with waiting, contexts and Close
//   - [Synchronous]: a rendezvous
//   - [Owner]: work that one goroutine at a time does
//
// A mutex around a slice, or a channel, is simpler. Prefer a channel where goroutines wait for one
// of several things (select), and where some hundred thousand items a second are enough. The
// command freerun bench queues measures all of them on your machine.
//
// # Guarantees
//
//   - Every queue is linearizable: each call takes effect at one instant between its begin and its
//     end. (Owner: see there.)
//   - A call reports empty only if the queue was empty at some instant of the call, and full only
//     if items, and calls under way, filled it.
//   - What happened before an item was enqueued happened before it is dequeued, in the sense of
//     Go's memory model.
//   - A queue keeps no dequeued item alive.
//   - In steady state nothing is allocated, except by Stack and Owner, which take a node from Go's
//     heap for each item.
//   - Lock-free means that a goroutine which stops anywhere, for good, delays no other. The tests
//     stop one at every step. A queue that is not lock-free says so.
//
// # The three ways to call
//
// The methods Try… wait neither for room nor for an item; they report whether they succeeded (the
// literature calls such methods total). [Blocking] wraps a queue that has only these, waits for
// room or for an item, and can be closed (partial methods). [Synchronous] waits until the item has
// been taken.
//
// # Roles
//
// A queue for one producer, or for one consumer, must not be called by two goroutines at a time on
// that side. A build with the tag freerun_debug checks that, and panics with the names of both
// calls; other builds do not pay for the check.
//
// [Owner] appoints its consumer: it tells one of the producers, by the answer to its Enqueue, that
// the producer is the owner now. So the producer that enqueues into an idle queue gets it served.
// See L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008.
//
// # Cost
//
// Go compiles an atomic operation to its instruction only in packages that import sync/atomic. The
// generic queues are compiled where they are used, so a blank import of sync/atomic there saves 1
// to 2 ns a call.
package queue
