// Package records is a store of many small records, as in caches, sessions and databases: 64-bit
// keys with values of 64 to 256 bytes. The store is filled; then tasks look records up, insert and
// delete them. The program compares the cost of the records for the rest of the program more than
// the time of an operation: memory, and Go's collector, which either visits millions of objects in
// every cycle or does not know of them. One operation is one insertion, look-up or deletion,
// including those of the filling.
//
//	freerun bench records                           10 million records, as many operations
//	freerun bench records --records 1000000         fewer
//	freerun bench records --lookups 100             nothing but look-ups on the full store
//
//	variant   file                 how
//	offheap   store.go, table.go   values in blocks of an offheap.Arena, a table in another
//	make      make.go              map[uint64][]byte, values from make
//
// Both are divided into shards by the key's hash, with a mutex each, so that tasks seldom meet. The
// store of the variant offheap, [Store], is written to be copied: table.go is an index without
// pointers, store.go the code around it.
//
// The figures after the table are: the memory that the process took beyond what it had before the
// filling (on Linux), the bytes of the values, and their bytes rounded to blocks of powers of two;
// how often Go's collector ran, its CPU time and its longest pause; and the time of an operation
// during the filling, and afterwards.
//
// Each value that is looked up is compared with the last one written for its key. The checksum is
// the number of records at the end, and of the look-ups that found one.
package records
