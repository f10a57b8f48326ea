// Package trees builds binary trees and counts their nodes: a tall one first, to stretch the memory, one that lives until the end, and many that are garbage as soon as
// they were counted, as many of each depth as makes about the same number of nodes. That is what a collector is good at, or is not. One operation is one node,
// allocated, counted and collected.
//
//	freerun bench trees                            depth 16, with two collectors
//	freerun bench trees --size 16,18,20            as the benchmark has them, and beyond
//
// The short-lived trees are divided among tasks, one for each processor unless --tasks says otherwise.
//
//	variant   file         how
//	offheap   offheap.go   objects of two references in a heap of offheap/gc, and so many collectors beside as --collectors says; without one, those who allocate collect
//	make      make.go      nodes of two pointers on Go's heap, and its collector
//
// The figures after the table are about Go's collector. The checksum is the number of nodes of the first tree, of all short-lived ones, and of the long-lived one,
// counted when everything else has ended.
//
// Source: the program binary-trees of the Computer Language Benchmarks Game, after H. Boehm's GCBench and J. Ellis and P. Kovac.
package trees
