// Package buddy hands out blocks of a space of offsets: powers of two, split and coalesced, without locks. It knows
// nothing of memory: package offheap puts an arena behind the offsets.
//
//	s := buddy.New(1<<30, 5)       // 1 GiB, in blocks of 32 bytes and more
//	offset, ok := s.Alloc(10)      // 1 KiB
//	ok = s.Free(offset, 10)
//
//	Alloc, AllocSome   any block of an order          Take       a particular one
//	Free               gives one back                 TakeFree   whatever is free from here on, for who trims
//	Grow, Shrink       in place                       At, All    what there is
//	Largest, FreeBytes, HandedOut                     figures
//
// Blocks of up to 16 of the smallest are handed out of words for 32 of them; 32 to 256 times as large, of words for 16
// such chunks, and so on. So one word is all that most calls change. The comment above [Space] has the algorithm,
// docs/algorithms/buddy.md the arguments, and docs/adr/0026-buddy-design.md what it was measured against.
//
//	space.go     the space: handing out and taking back, through the levels
//	level.go     the chunks of one size, and the search for one that has something
//	word.go      the state of a chunk, and what it can become
//	listing.go   the sets of chunks that may have something
//	run.go       several blocks side by side
//	grow.go      in place
//	walk.go      what there is, and blocks at known offsets
//	lane.go      what each processor guesses and counts
package buddy
