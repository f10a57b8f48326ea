// Package offheap allocates memory outside of Go's heap: blocks of an arena of a fixed size, which
// the program allocates and frees.
//
// Go's collector does not scan an arena, so millions of records cost no scanning and no pauses. The
// memory is bounded, and a program that has used it up gets an error ([ErrNoMemory]).
//
//	a, err := offheap.New(1 << 30)   // reserves a gibibyte; memory is taken as it is touched
//	b, err := a.Alloc(1000)          // a block of 1024 bytes, referred to by an offset
//	copy(a.Bytes(b), record)
//	a.Free(b)                        // any goroutine; a second Free panics
//
//	nodes, err := offheap.ViewOf[Node](a)   // Node has no pointers; an error names the field
//	r, err := nodes.New()                   // a Ref[Node], which may be a field of a Node
//	nodes.At(r).Next = other
//
// # Which to choose
//
//	make, new            short-lived values, few values, values with pointers into Go's heap
//	Arena.Alloc, Bytes   bytes: values of a cache, messages, buffers
//	View, Ref            values of a type without pointers that refer to each other, with an owner
//	                     that knows when each one dies
//	offheap/gc           the same without such an owner: a collector over the arena, and
//	                     references with a barrier
//
// A block's size is the next power of two, so a program that is free to choose a size asks for a
// power of two. If sizes are spread evenly, rounding up wastes a quarter of the memory on average
// ([Usage] says how much), as in every buddy system. In return free memory always coalesces: when
// all blocks are freed, in whatever order, the arena is one block again.
//
// How large an arena should be: plan 2.5 times the bytes that are asked for at the peak. Rounding
// up takes a third more on average, and twice at worst. Long-lived blocks split free memory into
// pieces that are too small for larger blocks. Caches hold free blocks of one size that another
// size cannot use. An arena that is too large costs address space, not memory.
//
// # What may be done
//
// Any goroutine, activity or operation may call every method at any time. No method takes a lock,
// and none waits for another call: a thread that is stopped anywhere delays no other thread. The
// stopped thread keeps its own block and at most a quarter of a magazine, 128 KiB. Only Close must
// run alone.
//
// A program that touches a block after it freed it touches memory of another owner. Only a build
// with the tag freerun_debug detects that. In every build Free and Resize detect a block that was
// freed or resized before, or that belongs to another arena: they panic, and have changed nothing.
// The generation in a Block repeats after 8191 blocks at one place: a Block that is kept for so
// long is accepted if a block of the same size and tag is live there.
//
// With the tag freerun_debug, generations repeat after 33,554,431 blocks. Bytes and Size panic too
// about blocks that are not live. Freed memory is filled with poison, which is checked when it is
// allocated again. A canary lies behind each block. Messages say where a block was allocated and
// freed. Sizes are the same as always; the arena takes twice the memory and several times the time.
//
// # Cost
//
// While the processor's cache has room, or blocks, Alloc and Free take one atomic read-modify-write
// each: some 30 ns together. Every 64 blocks, or 512 KiB, the cache exchanges a magazine with the
// depot that all processors share. If the depot is full or empty, the buddy system takes or gives
// the blocks: then an Alloc and a Free take some 110 ns together.
//
// For each size, caches hold at most one part in 7 of the arena with one processor, one in 12 with
// two and one in 16 with more; and of a large size at most 10 MiB with two processors. Alloc
// empties them before it returns ErrNoMemory. None of this allocates on Go's heap.
//
// Beside its blocks an arena takes 4 bytes for each place at which a block ever began (12% with
// blocks of 32 bytes, 0.4% with a kilobyte), 64 bytes for each place of a block of 8 KiB and more,
// and less than 1% for the buddy system.
//
// # Where memory comes from
//
// On Unix, from the system, as a mapping without swap space where the system has such mappings.
// Elsewhere, and under the race detector, from Go's heap: the detector takes accesses to mapped
// memory for races. An arena on Go's heap counts for the pace of Go's collector, but is not
// scanned. On Linux, [Arena.Trim] gives pages back.
//
// docs/algorithms/offheap.md has the protocol, docs/adr/0027 the rejected designs, docs/adr/0026
// the choice of the buddy system.
package offheap
