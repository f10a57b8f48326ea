// Package offheap hands out memory that Go's collector does not know of: blocks of an arena of a fixed size, which the program allocates and frees. So
// millions of records cost no scanning and no pauses, memory has a bound, and what a program is out of it is told ([ErrNoMemory]).
//
//	a, err := offheap.New(1 << 30)                   // reserves a gibibyte; memory is taken as it is touched
//	b, err := a.Alloc(1000)                          // a block of 1024 bytes, referred to by an offset
//	copy(a.Bytes(b), record)
//	a.Free(b)                                        // any goroutine; twice is a panic
//
//	nodes, err := offheap.ViewOf[Node](a)            // Node has no pointers; the error names the field that is one
//	r, err := nodes.New()                            // a Ref[Node], which may be a field of a Node
//	nodes.At(r).Next = other
//
// # Which to choose
//
//	make, new                    what lives briefly, is small in number, or has pointers into Go's heap
//	Arena.Alloc, Bytes           bytes: values of a cache, messages, buffers
//	View, Ref                    values of a type without pointers that refer to each other, and an owner who knows when each one dies
//	offheap/gc                   the same where nobody knows: a collector over the arena, and references with a barrier
//
// A block's size is the next power of two, so a program that is free to choose asks for one. On average a quarter of the memory is lost to that if sizes are
// spread evenly ([Usage] says how much), as with every buddy system; what is gained is that free memory always coalesces: when all is freed, the
// arena is one block again, whatever the order was.
//
// How large an arena should be: plan 2.5 times of what is asked for at the peak. Rounding up takes a third more on average, and twice at worst; blocks that live long
// split what is free into pieces that are too small for larger ones; caches hold free blocks of one size that another size cannot use. An arena that is too
// large costs address space, not memory.
//
// # What may be done
//
// Every method may be called by any goroutine, activity or operation, at any time; none takes a lock, and none waits for another call: a thread that stands
// still, wherever it is, stops nobody. It keeps what it has in its hands: its block, and at most a quarter of a magazine, 128 KiB. Only Close must be alone.
//
// A program that touches a block after it was freed touches what belongs to somebody else; nothing here can see that, except in a build with the tag
// freerun_debug. Free and Resize see it, in every build, when a block is freed or resized twice, or is another arena's: they panic, and nothing has been
// changed. (The generation in a Block repeats after 8191 blocks at one place. Whoever keeps a Block for so long, and meets a block of the same size and tag
// there, is believed.)
//
// With the tag freerun_debug, generations repeat after 33,554,431, Bytes and Size panic too about blocks that are not live, freed memory is
// filled with poison that is looked at when it is allocated again, a canary lies behind each block, and messages tell where a block was allocated
// and freed. Sizes are the same as always; memory is twice as much, and time several times.
//
// # Cost
//
// Alloc and Free take one atomic read-modify-write each while the processor's cache has room, or blocks: some 30 ns together. For every 64 blocks, or 512 KiB,
// there is an exchange with the depot that all processors share, and if that is full or empty with the buddy system: then an Alloc and a Free take some 110 ns
// together. For each size, caches hold at most one part in 16 of the arena, and of a large one at most 10 MiB with two processors; what they hold is taken from
// them before anybody is told that there is no memory. Nothing is allocated on Go's heap by any of this.
//
// Beside its blocks an arena takes 4 bytes for each block there was at a place of its own (12% with blocks of 32 bytes, 0.4% with a kilobyte), 64 for
// those of 8 KiB and more, and the buddy system less than 1%.
//
// # Where memory comes from
//
// From the system, as a mapping that no swap space is set aside for, on Linux and other systems like Unix; from Go's heap elsewhere, and under the race
// detector, which takes accesses to other memory for races. On Go's heap an arena counts for the pace of Go's collector, but is not scanned. [Arena.Trim]
// gives pages back on Linux.
//
// docs/algorithms/offheap.md has the protocol, docs/adr/0027 what was rejected, docs/adr/0026 the choice of the buddy system.
package offheap
