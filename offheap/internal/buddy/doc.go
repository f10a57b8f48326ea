// Package buddy hands out blocks of a space of offsets without locks: powers of two, split and
// coalesced. It knows nothing of memory: package offheap puts an arena behind the offsets.
//
//	s := buddy.New(1<<30, 5)       // 1 GiB, in blocks of 32 bytes and more
//	offset, ok := s.Alloc(10)      // 1 KiB
//	ok = s.Free(offset, 10)
//
//	Alloc, AllocSome   any block of an order    Take       the block at an offset
//	Free               gives a block back       TakeFree   the next free block, for trimming
//	Grow, Shrink       in place                 At, All    the blocks that there are
//	Largest, FreeBytes, HandedOut               figures
//
// Blocks of up to 16 of the smallest are handed out of words for 32 of the smallest; blocks of 32
// to 256 of the smallest, of words for 16 such chunks; and so on. So most calls change one word
// only. The comment above [Space] has the algorithm, docs/algorithms/buddy.md the arguments, and
// docs/adr/0026-buddy-design.md the comparison with other designs.
//
//	space.go     the space: handing out and taking back, through the levels
//	level.go     the chunks of one size, and the search for one with a free block
//	word.go      the state of a chunk, and its transitions
//	listing.go   the sets of chunks that may have free blocks
//	run.go       several blocks side by side
//	grow.go      in place
//	walk.go      the blocks that there are, and blocks at known offsets
//	lane.go      the guesses and counts of each processor
package buddy
