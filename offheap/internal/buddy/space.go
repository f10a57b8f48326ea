package buddy

import (
	"fmt"
	"math"
	"math/bits"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
)

// Source:     the binary buddy system is K. Knowlton's, A fast storage allocator, CACM 1965. The
//             state of blocks as bits in a tree, with several levels of it in one word, is from R.
//             Marotta, M. Ianni, A. Scarselli, A. Pellegrini, F. Quaglia, A non-blocking buddy
//             system for scalable memory allocation on multi-core machines, CLUSTER 2018. That
//             processors begin to look at different places is from there and from L. Wrenger, F.
//             Rommel, A. Halbuer, C. Dietrich, D. Lohmann, LLFree, USENIX ATC 2023. Ours: one bit
//             for a node suffices, so a word has five levels, and a call's work within them is one
//             step. A chunk passes between two levels as a whole, from owner to owner, so no call
//             marks the way to the root, and nothing has to be undone. Chunks with free blocks are
//             listed instead of searched.
// Sketch:     a word    1       one bit for each node: the chunk, its halves, their halves …, all
//                     1   0     0 below a block that is free or handed out. Here the left half is
//                    0 0 0 0    handed out, and the right half is free (word.go)
//             level 1   16 leaves, each free, handed out, or a chunk of level 0: the word of that
//                       number there
//             level 0   32 leaves
//             Alloc: in a chunk of that order's level that is guessed, or listed,
//                    CAS(word: with the block);
//                    or else take a leaf of the level above as a chunk, likewise, and store its
//                    word: with the block
//             AllocSome: the next place in the processor's region, as Alloc at that place;
//                    divide it: or(word: with all blocks of it), and store the words of the
//                    chunks in it
//             Free:  CAS(word: without the block, and coalesced); if that leaves 0, the caller
//                    owns the whole chunk: it gives the leaf above back, likewise
// Invariants: I1 a word that is not 0 is the state of a chunk whose leaf above is set and has its
//             chunk bit.
//             I2 no divided block has two free halves.
//             I3 a piece that no word shows as free has exactly one owner: the user to whom it is
//             handed out, or a call that is between two steps.
//             I4 once no call is in progress, a chunk with a free block is on a list: that of the
//             class of its largest free block, or of a larger class.
//             NOT invariant: that a chunk whose leaf above has the chunk bit has a word that is not
//             0 (a call may be about to open it, or have closed it); that a chunk on a list, or
//             guessed, has a free block.
// Progress:   Alloc, AllocSome, Free, Take, TakeFree, Grow and Shrink are lock-free: a CAS fails
//             only because another call has changed the same word, and for each block, or run, a
//             call changes each word at most twice. At, FreeBytes and HandedOut are wait-free. A
//             call that stalls between two steps keeps at most one block: a leaf of the level above
//             in which nothing was in use, or the run that it is dividing. Others neither wait for
//             that nor find it.
// Linearize:  Alloc at L1, on the word that has the block.
//             Free at L3. Grow at L4. Shrink at L5. Take and TakeFree at L6.
//             The blocks of a run at L6 or L1, when no other call can tell one block from several:
//             L7 only says into what the run is divided. An Alloc that finds nothing has no such
//             line. There was no block for it at rest, but beside other calls it may miss a block
//             that one of them has in its hands, or that is given back behind its search. In a
//             space of one word it is at the load in take.
// Publish:    no plain fields. The next user of a block sees all writes to it before Free: both
//             have changed the same word, or words in a chain (L3 above, L1 above, L2).
// ABA/memory: a word is all of its state. So a CAS that succeeds is right whatever happened in
//             between: the block is free, or handed out, as it was. L2 is a store by the only
//             owner, and L7 changes bits that no other call may change. Words are never released.
//             If a user gives back a block that it no longer owns, after the block was handed out
//             again with the same order, the call takes it from its new owner: a design without a
//             stamp for each block cannot tell.
// Cost:       Alloc and Free: one CAS each, in the middle of a chunk; one more CAS and a store for
//             each chunk that is opened or closed. Free sometimes sets a bit of a listing, and an
//             Alloc that guesses wrong clears some. No allocation. One word for 32 of the smallest
//             blocks, a fifteenth of that above, and 5 bits for each chunk on lists: 0.9 % of the
//             space with blocks of 32 bytes, 0.007 % with 4 KiB; and 160 bytes for each order and
//             processor.
// Checked by: TestModel, TestSizes, TestMetadata, TestLinearizable, TestStress, FuzzSpace;
//             TestExplore…, with seeded bugs in TestExploreControls. docs/algorithms/buddy.md has
//             the arguments.

// Space is a space of offsets. All of it is free at first, and any goroutine may take blocks out of
// it and give them back, at any time. It does not touch the memory behind the offsets.
//
// A block has 1<<order bytes and lies at a multiple of that. Its user knows its offset and its
// order, and gives it back with both. No method waits. A Space must not be copied.
type Space struct {
	size   uint64
	least  uint // the order of the smallest blocks
	most   uint // the largest order that fits
	levels []level
	lanes  []lane // a power of two
	region uint   // the order of regions (run.go)
}

// maxOrder is the order of the largest space: offsets are positive as an int64 too.
const maxOrder = 62

// New returns a space of size bytes, all of it free. Its smallest blocks have 1<<least bytes. It
// panics if size is not a multiple of that, is 0, or is more than 1<<62. It makes the words of all
// chunks at once, in Go's heap: fresh from the system they take no memory before they are used.
func New(size uint64, least uint) *Space {
	if size == 0 || size > 1<<maxOrder || least > maxOrder || size&(1<<least-1) != 0 {
		panic(fmt.Sprintf("buddy: a space of %d bytes cannot be made of blocks of 1<<%d bytes: "+
			"it must be a multiple of that, not 0, and at most 1<<%d bytes", size, least, maxOrder))
	}
	s := &Space{size: size, least: least, most: uint(bits.Len64(size)) - 1}
	for leaf, depth := least, uint(leafDepth0); ; depth = leafDepth {
		chunk := leaf + depth
		chunks := (size-1)>>chunk + 1
		s.levels = append(s.levels, newLevel(len(s.levels), leaf, int(chunks)))
		s.reserveTail(len(s.levels) - 1)
		if chunks == 1 {
			break
		}
		leaf = chunk
	}
	s.lanes = newLanes(s.most - s.least + 1)
	s.region = regionOf(size, len(s.lanes))
	return s
}

// reserveTail hands out for ever the part of a level's last chunk that lies behind the end of the
// space. A leaf that lies in the space in part is a chunk of its own.
func (s *Space) reserveTail(number int) {
	l := &s.levels[number]
	i, n := l.place(s.size, l.leaf)
	if i == len(l.words) {
		return // the space ends with a chunk
	}
	w := uint64(0)
	if s.size&(1<<l.leaf-1) != 0 {
		w = with(w, n) | bit(n+chunkBit)
		n++
	}
	for ; n < 2<<l.leafDepth; n++ {
		w = with(w, n)
	}
	l.words[i].Store(w)
	l.list(i, w)
}

// Size returns the size of the space in bytes.
func (s *Space) Size() uint64 { return s.size }

// levelOf returns the level on which blocks of that order are handed out; ok is false if there are
// no such blocks.
func (s *Space) levelOf(order uint) (number int, ok bool) {
	if order < s.least || order > s.most {
		return 0, false
	}
	if order < s.least+leafDepth0 || len(s.levels) == 1 {
		return 0, true
	}
	return min(1+int(order-s.least-leafDepth0)/leafDepth, len(s.levels)-1), true
}

// inside returns the level on which blocks of that order are handed out; ok is false if there can
// be none at offset.
func (s *Space) inside(offset uint64, order uint) (number int, ok bool) {
	number, ok = s.levelOf(order)
	return number, ok && offset&(1<<order-1) == 0 && offset < s.size && s.size-offset >= 1<<order
}

// patience is the number of chunks without the block that their list promised at which an Alloc
// looks on each level before it divides a larger block above. With 8 it divides too often: after
// long traffic less of the free memory is in large blocks.
const patience = 32

// Alloc hands out a block of 1<<order bytes, at an offset that is a multiple of that. ok is false
// if no such block is free, and for an order that is less than the smallest or larger than the
// space. Beside other calls it may also be false because one of them has the block in its hands: a
// chunk that was given back a moment ago, or is being divided. Lock-free; in most cases one
// compare-and-swap.
func (s *Space) Alloc(order uint) (offset uint64, ok bool) {
	number, ok := s.levelOf(order)
	if !ok {
		return 0, false
	}
	return s.alloc(s.lane(), order, order, number)
}

// alloc hands out a block of 1<<order bytes at the beginning of a block of 1<<within bytes that is
// all free. number is the level of the larger block. The rest of it stays free.
func (s *Space) alloc(lane *lane, order, within uint, number int) (offset uint64, ok bool) {
	// Twice: a search that may take long comes second, after the short ones have found nothing.
	for _, patience := range [...]int{patience, math.MaxInt} {
		for from := number; from < len(s.levels); from++ {
			l := &s.levels[from]
			depth := l.leafDepth
			if from == number {
				depth = l.depth(within)
			}
			if i, n, ok := s.takeFrom(lane, from, want{depth, order}, patience); ok {
				offset = l.offset(i, n)
				s.open(from-1, offset, order, lane)
				s.count(order, 1)
				return offset, true
			}
		}
	}
	return 0, false
}

// takeFrom hands out a block on a level: of a chunk where this processor has seen a free block of
// just that order, or else the best one on the lists.
func (s *Space) takeFrom(lane *lane, number int, what want, patience int) (i int, n uint, ok bool) {
	l := &s.levels[number]
	recent := s.recent(lane, l.order()-what.depth)
	near := 0
	for i, ok = recent.peek(); ok; i, ok = recent.peek() {
		if n, ok = l.take(i, what.depth, what, lane.far); ok {
			return i, n, true
		}
		recent.drop()
		near = i
	}
	if i, n, ok = l.search(near, what, lane.far, patience); ok {
		recent.push(i)
	}
	return i, n, ok
}

// open divides the chunk at an offset, which the caller owns and which is one of that level, until
// there is a block of that order at the same offset. The caller keeps that block; the rest becomes
// free, and the lane, if not nil, goes on there.
func (s *Space) open(number int, offset uint64, order uint, lane *lane) {
	for ; number >= 0; number-- {
		l := &s.levels[number]
		if order >= l.order() {
			return
		}
		i, n := l.place(offset, max(order, l.leaf))
		w := l.with(0, n, order)
		l.words[i].Store(w) // L2
		l.list(i, w)
		if lane != nil {
			s.recent(lane, max(order, l.leaf)).push(i)
		}
	}
}

// Free takes back the block of 1<<order bytes at offset, and coalesces it with its buddies as far
// as they are free. It changes nothing and reports false if no block of that order is handed out
// there. So it detects a block that is given back twice, unless it was handed out again meanwhile,
// with the same order. When all calls have returned, free memory is as coalesced as it can be.
// Lock-free; in most cases one compare-and-swap.
func (s *Space) Free(offset uint64, order uint) bool {
	number, ok := s.inside(offset, order)
	if !ok {
		return false
	}
	i, n := s.levels[number].place(offset, order)
	if !s.release(number, i, n) {
		return false
	}
	s.count(order, -1).recent.push(i)
	return true
}

// release takes back node n of chunk i; if all of the chunk is free then, it gives back the chunk
// too, and so on. It changes nothing and reports false if that block is not handed out.
func (s *Space) release(number, i int, n uint) bool {
	for chunk := false; ; chunk = true {
		l := &s.levels[number]
		left, ok := l.giveBack(i, n, chunk)
		switch {
		case !ok && chunk:
			panic("buddy: the state of the space is corrupt: a chunk that was divided is not a chunk of the level above")
		case !ok:
			return false
		case left != 0 || l.top:
			l.list(i, left)
			return true
		}
		number, i, n = number+1, i/fan, uint(fan+i%fan)
	}
}
