// Package alloc has tasks allocate blocks of one size and free them again: what does a block cost, its end included? The work is fixed and divided among the tasks, so that twice
// as many tasks on twice as many processors should take half the time. One operation is one block, allocated, written, checked and freed.
//
// A task allocates a batch of blocks and keeps it until it has allocated the next, so that there is always memory in use; then it frees the older one, or, if the
// frees are foreign, hands it over a channel to the next task, which frees it. Each block has its number written to its first bytes and its last one, which are
// looked at before it is freed, so that two blocks that overlap are found; nothing else of it is written.
//
//	freerun bench alloc                                       1000 and 10000 bytes, 1, 2, 8 and 64 tasks, own and foreign frees
//	freerun bench alloc --size 1000 --tasks 2 --foreign 25    every fourth batch is freed by another task
//	freerun bench alloc --rivals                              with modernc.org/memory beside
//
//	variant   file            how
//	offheap   offheap.go      offheap.Arena: Alloc and Free, whoever frees
//	make      make.go         make([]byte, n); what is freed is dropped, and Go's collector, which runs within the clock, finds it
//	modernc   bench/memory    modernc.org/memory, which is no part of the standard library, is a rival in the module bench
//
// With make a block comes zeroed, which nobody asked for, but there is no other way to have one. How often Go's collector ran, and what it took, is in the figures after the table.
//
// The checksum is the sum of the numbers of the blocks that were freed.
//
// Source: F. Negele's lecture Lock Free Runtime System, ETH Zürich, the graphs of the memory manager: allocation of blocks of 1000 and of 10,000 bytes.
package alloc
