// Package trees builds binary trees and counts their nodes: first a tall tree, to stretch the
// memory; a tree that lives until the end; and many trees that are garbage after they are counted.
// Of the latter each depth has about the same number of nodes. This is a garbage collector's
// business. One operation is one node, allocated, counted and collected.
//
//	freerun bench trees                            depth 16, with two collectors
//	freerun bench trees --size 16,18,20            as the benchmark has them, and beyond
//
// The short-lived trees are divided among tasks, one for each processor unless --tasks says
// otherwise.
//
//	variant   file         how
//	offheap   offheap.go   objects of two references in a heap of offheap/gc, with --collectors
//	make      make.go      nodes of two pointers on Go's heap, and its collector
//
// Without --collectors, the goroutines that allocate from the heap of offheap/gc collect.
//
// Alike: the trees, their order, and their division among the tasks; two references a node.
//
// Not alike: Go's collector starts when the heap has doubled and takes a quarter of the processors,
// and more of a task that allocates faster than that; it finds roots on stacks by itself. The heap
// of offheap/gc has collectors that the program starts, an arena of eight times what the nodes of
// the first tree take, and roots that the program makes and drops: to follow a reference is a call
// that makes a root, where Go's is an instruction. With as many tasks as processors the collectors
// compete with them.
//
// The figures after the table are about Go's collector. The checksum is the number of nodes of the
// first tree, of all short-lived ones, and of the long-lived one, counted after everything else has
// ended.
//
// Source: the program binary-trees of the Computer Language Benchmarks Game, after H. Boehm's
// GCBench and J. Ellis and P. Kovac.
package trees
