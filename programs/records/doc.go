// Package records is a store of many small records, as caches, sessions and databases have them: keys of 64 bits with values of 64 to 256 bytes. It is filled, and then tasks look
// records up, insert and delete them. What is compared is less the time of an operation than what the records cost the rest of the program: memory, and Go's collector,
// which has to look at millions of objects again and again or does not know of them. One operation is one insertion, look-up or deletion, of the filling too.
//
//	freerun bench records                           10 million records, and as many operations on them
//	freerun bench records --records 1000000         fewer
//	freerun bench records --lookups 100             nothing but look-ups on the full store
//
//	variant   file                 how
//	offheap   store.go, table.go   values in blocks of an offheap.Arena; the index is an open-addressing table in another block
//	make      make.go              map[uint64][]byte, values from make
//
// Both are divided into shards by the key's hash, a mutex each, so that tasks seldom meet. The store of the variant offheap, [Store], is written to be copied: table.go is an index
// without pointers, store.go what is around it.
//
// The figures after the table say what the process took in memory beyond what it had before the store was filled (under Linux), what the values themselves take, and what they would
// take rounded to blocks of powers of two; how often Go's collector ran, its CPU time and its longest pause; and the time of an operation while the store is filled, and afterwards.
//
// Each value that is looked up is compared with what was written for that key last. The checksum is the number of records at the end and that of the look-ups that found one.
package records
