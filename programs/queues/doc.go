// Package queues measures the containers of packages queue and deque beside a channel and a ring
// under a mutex.
//
// All queues whose calls do not wait have the same driver. Each producer enqueues its share. Each
// consumer dequeues until all items have arrived. Both yield to other goroutines when the queue
// says full or empty. A channel waits by itself, which is its strength. An operation is one item
// that went through.
//
// [Variant] and [NonBlocking] make variants of other queues. Those of other Go libraries are in the
// module bench:
//
//	xsync   bench/queues    github.com/puzpuzpuz/xsync
//	lscq    bench/queues    github.com/bytedance/gopkg
package queues
