// Package skynet is the benchmark of that name: a tree of a million leaves, ten children to a node, is built of concurrent tasks, each
// leaf answers with its ordinal, and each node with the sum of its children's answers. It measures what it costs to start
// a task and to wait for ten of them. One operation is one leaf; there is a node for every nine.
//
// A size that is no power of ten makes a tree whose nodes have up to ten children of nearly the same size.
//
//	variant      file            how
//	serial       serial.go       plain recursion, the work itself
//	futures      futures.go      a free operation for each node and leaf, and one that waits for a node's ten futures
//	lazy         futures.go      the same, declared small
//	goroutines   goroutines.go   as in the original: a goroutine for each node and leaf, and a channel for each node
//
// Source: A. Temerev, Skynet 1M concurrency microbenchmark, https://github.com/atemerev/skynet.
package skynet
