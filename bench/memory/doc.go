// Package memory is the program alloc with the rival of offheap, used as its documentation
// recommends.
//
//	modernc   modernc.org/memory   v1.12.1
//
// The rival's Allocator is a malloc on memory that is mapped from the system. It is not safe for
// concurrent use: it locks nothing, and a block goes back to the allocator that it is from. So each
// task has an Allocator of its own as long as it frees only blocks that it has allocated itself.
// Where tasks free each other's blocks, they share one under a mutex.
//
// The package is no part of programs/alloc because the rival is not in the standard library.
package memory
