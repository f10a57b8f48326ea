// Package skynet is the benchmark of that name. Concurrent tasks build a tree of a million leaves,
// ten children to a node. Each leaf answers with its ordinal, each node with the sum of its
// children's answers. The program measures what it costs to start a task and to wait for ten of
// them. One operation is one leaf; there is one node for every nine leaves.
//
// A size that is not a power of ten makes a tree whose nodes have up to ten children of nearly the
// same size.
//
//	variant      file            how
//	serial       serial.go       plain recursion, the work itself
//	futures      futures.go      an operation for each node and leaf, a second for each sum
//	lazy         futures.go      the same, declared small
//	goroutines   goroutines.go   the original: a goroutine for each, and a channel for each node
//
// Source: A. Temerev, Skynet 1M concurrency microbenchmark, https://github.com/atemerev/skynet.
package skynet
