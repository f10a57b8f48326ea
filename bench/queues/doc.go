// Package queues measures the containers of packages queue and deque beside the best of other Go
// libraries: the program `queues` of `freerun bench`. It is not in programs because the rivals are
// no part of the standard library.
//
// All total queues have the same driver. Each producer enqueues its share. Each consumer dequeues
// until all items have arrived. Both yield to other goroutines when the queue says full or empty. A
// channel waits by itself, which is its strength. An operation is one item that went through.
package queues
