// Package queues measures the containers of packages queue and deque beside the best of other Go libraries: the program `queues` of
// `freerun bench`. It is not in programs, since the rivals are no part of the standard library.
//
// All total queues have the same driver: each producer enqueues its share, each consumer dequeues until all have come, and both let
// other goroutines run when the queue says full or empty. A channel waits by itself, which is what it is good at. An operation is one item
// that went through.
package queues
