// Package alloc allocates blocks of one size and frees them again: what does a block cost, its end
// included? The work is fixed and divided among the tasks, so that twice as many tasks on twice as
// many processors should take half the time. One operation is one block, allocated, written,
// checked and freed.
//
// A task allocates a batch of blocks and keeps it until it has allocated the next batch, so that
// memory is always in use. Then it frees the older batch; with foreign frees, it hands the batch
// over a channel to the next task, which frees it. A block's number is written to its first bytes
// and its last one, and compared before the block is freed, so that overlapping blocks are found.
// With --touch 1, which is the default, all bytes of a block are written and read, as a program
// would use it; with --touch 0 nothing else is, and what is measured is the allocation alone.
//
//	freerun bench alloc                                       the default sizes, tasks and frees
//	freerun bench alloc --size 1000 --tasks 2 --foreign 25    a quarter of the batches is foreign
//	freerun bench alloc --rivals                              with modernc.org/memory beside
//
//	freerun bench alloc --touch 0                             blocks that are hardly used
//
//	variant        file            how
//	offheap        offheap.go      offheap.Arena: Alloc and Free, by any task
//	offheap-zero   offheap.go      the same with AllocZero
//	make           make.go         make([]byte, n); Go's collector frees, within the clock
//	pool           pool.go         a sync.Pool of such blocks, of the one size of the run
//	modernc        bench/memory    modernc.org/memory: Malloc; a rival in the module bench
//	modernc-zero   bench/memory    the same with Calloc
//
// Alike: the work and its division, and that a block is checked. Compare offheap-zero with make and
// with modernc-zero, as their blocks come zeroed (there is no other way to get one of make), and
// offheap with pool and with modernc, whose blocks have their old contents.
//
// Not alike: Go's collector finds by itself what is free, and its time depends on what else the
// program keeps, here next to nothing; it also works on other processors while one task runs. A
// pool has blocks of one size, gives them up when the collector runs, and counts nothing. The arena
// rounds sizes up to powers of two, notices a second Free, and tells of blocks that are left.
// Blocks of modernc can be freed only where they are from: each task has an allocator of its own,
// or all have one under a mutex. The figures after the table tell how often Go's collector ran, and
// its time.
//
// The checksum is the sum of the numbers of the blocks that were freed.
//
// Source: F. Negele's lecture Lock Free Runtime System, ETH Zürich, the graphs of the memory
// manager: allocation of blocks of 1000 and of 10,000 bytes.
package alloc
