// Package alloc allocates blocks of one size and frees them again: what does a block cost, its end
// included? The work is fixed and divided among the tasks, so that twice as many tasks on twice as
// many processors should take half the time. One operation is one block, allocated, written,
// checked and freed.
//
// A task allocates a batch of blocks and keeps it until it has allocated the next batch, so that
// memory is always in use. Then it frees the older batch; with foreign frees, it hands the batch
// over a channel to the next task, which frees it. A block's number is written to its first bytes
// and its last one, and compared before the block is freed, so that overlapping blocks are found.
// Nothing else of a block is written.
//
//	freerun bench alloc                                       the default sizes, tasks and frees
//	freerun bench alloc --size 1000 --tasks 2 --foreign 25    a quarter of the batches is foreign
//	freerun bench alloc --rivals                              with modernc.org/memory beside
//
//	variant   file            how
//	offheap   offheap.go      offheap.Arena: Alloc and Free, by any task
//	make      make.go         make([]byte, n); Go's collector, which runs within the clock, frees
//	modernc   bench/memory    modernc.org/memory, a rival in the module bench
//
// Blocks of make come zeroed: there is no other way to get one. The figures after the table tell
// how often Go's collector ran, and its time.
//
// The checksum is the sum of the numbers of the blocks that were freed.
//
// Source: F. Negele's lecture Lock Free Runtime System, ETH Zürich, the graphs of the memory
// manager: allocation of blocks of 1000 and of 10,000 bytes.
package alloc
