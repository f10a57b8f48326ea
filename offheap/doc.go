// Package offheap hands out memory that Go's collector does not know of: blocks of powers of two from an arena of a fixed size, which are
// allocated and freed by the program, without locks.
package offheap
