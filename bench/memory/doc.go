// Package memory is the program alloc with the rival of offheap, used the way its documentation recommends.
//
//	modernc   modernc.org/memory   v1.12.1
//
// Its Allocator, a malloc on memory that is mapped from the system, is not safe for concurrent use: nothing in it is locked, and a block goes back to the allocator that it is
// from. So each task has one of its own as long as it frees what it has allocated itself, and where tasks free each other's blocks they share one under a mutex.
//
// It is no part of programs/alloc, since it is not of the standard library.
package memory
