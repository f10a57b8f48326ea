// Package queues measures the containers of packages queue and deque beside a channel and a ring
// under a mutex.
//
// An operation is one item that went through. Each producer enqueues its share. Each consumer
// dequeues until all items have arrived.
//
// Alike for all variants: the items, the shares, the room for 1024 of them where there is a bound,
// and two calls through function values for each item. Nothing of the driver is written by two
// goroutines before the last item is enqueued: a counter that every miss adds to keeps both sides
// in step, and with it the cache lines of the queue. All queues whose calls do not wait have the
// same pause after a call that says full or empty: a microsecond, in which the other side gets
// ahead, and after four of those, or with one processor, other goroutines run.
//
// Not alike: a channel and [queue.Blocking] wait by themselves, which is their strength, and need
// no pause. Queues without a bound never say full. A stack hands out the latest item. lscq holds
// pointers and uint64 only, so a wide item is allocated. Queues with pauses vary by a factor of 2
// and more from run to run, as it is chance how far one side is ahead; channels do not. So compare
// the least times beside the medians.
//
// [Variant] and [NonBlocking] make variants of other queues. Those of other Go libraries are in the
// module bench:
//
//	xsync   bench/queues    github.com/puzpuzpuz/xsync
//	lscq    bench/queues    github.com/bytedance/gopkg
package queues
