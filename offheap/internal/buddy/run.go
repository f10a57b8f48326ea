package buddy

import "math/bits"

// A run is a number of adjacent blocks that begin where one block as large as all of them could.
// While there is plenty of room, a call for several blocks gets runs. A processor goes through a
// region, run by run. At its end it begins another region, in which nothing is in use. So the
// blocks of different processors lie far apart. That they share no cache line is not enough: a core
// that walks through its blocks prefetches the lines behind the last of them, and takes these from
// the core that has them (docs/adr/0030-runs.md has the cost).
//
// The beginning of a region and the processor's position in it are guesses, like everything in a
// lane. The processor owns no part of a region before it takes it, and another call that finds the
// part on a list may take it first. When no unused region is left, a call for several blocks takes
// them as single ones, from the smallest free blocks: so the gaps are used up while the remaining
// large free blocks stay whole.

const (
	// regionShare and the number of lanes divide the space's size: the quotient, rounded down to a
	// power of two, is the size of a region.
	regionShare = 16
	// regionTries is the number of runs of a region that a call tries to take before it begins
	// another region.
	regionTries = 16
)

// regionOf returns the order of the regions of a space.
func regionOf(size uint64, lanes int) uint {
	return uint(bits.Len64(size/regionShare/uint64(lanes)|1)) - 1
}

// AllocSome hands out blocks of 1<<order bytes until offsets is full or there are no more, and
// returns the number of offsets that it wrote. While there is plenty of room, the blocks lie side
// by side, and apart from those of other processors. Otherwise it is as many calls of Alloc, but
// blocks of one chunk cost as much as one. Lock-free.
func (s *Space) AllocSome(order uint, offsets []uint64) (n int) {
	number, ok := s.levelOf(order)
	if !ok {
		return 0
	}
	lane := s.lane()
	l := &s.levels[number]
	n = s.allocRecent(lane, l, order, offsets)
	for len(offsets)-n >= 2 {
		log := uint(bits.Len(uint(len(offsets)-n))) - 1
		offset, ok := s.allocRun(lane, order, order+log)
		if !ok {
			break
		}
		for range 1 << log {
			offsets[n] = offset
			offset += 1 << order
			n++
		}
	}
	for n < len(offsets) {
		if offsets[n], ok = s.Alloc(order); !ok {
			break
		}
		n++
		n += s.allocRecent(lane, l, order, offsets[n:])
	}
	return n
}

// allocRecent hands out blocks of chunks of level l in which the processor has seen free ones, and
// returns how many. Unlike Alloc it divides larger blocks there: the caller wants more than one
// block, near those that were used before.
func (s *Space) allocRecent(lane *lane, l *level, order uint, offsets []uint64) (n int) {
	recent := s.recent(lane, order)
	for n < len(offsets) {
		i, ok := recent.peek()
		if !ok {
			break
		}
		if more := l.takeSome(i, l.depth(order), lane.far, offsets[n:]); more > 0 {
			s.count(order, more)
			n += more
		} else {
			recent.drop()
		}
	}
	return n
}

// allocRun hands out all blocks of 1<<order bytes of a block of 1<<run bytes.
func (s *Space) allocRun(lane *lane, order, run uint) (offset uint64, ok bool) {
	next := &lane.orders[order-s.least].run
	offset, ok = s.nextRun(next.Load(), run)
	if !ok {
		offset, ok = s.beginRegion(lane, run)
	}
	if !ok {
		next.Store(0)
		return 0, false
	}
	next.Store(offset + 1<<run)
	s.divide(offset, run, order)
	s.count(run, -1)
	s.count(order, 1<<(run-order))
	return offset, true
}

// nextRun takes the next free run from at on, in the region that at is in.
func (s *Space) nextRun(at uint64, run uint) (offset uint64, ok bool) {
	at = (at + 1<<run - 1) &^ (1<<run - 1) // the run before may have been smaller
	for range regionTries {
		if at&(1<<s.region-1) == 0 {
			break
		}
		if s.Take(at, run) {
			return at, true
		}
		at += 1 << run
	}
	return 0, false
}

// beginRegion takes the first run of a region that is all free.
func (s *Space) beginRegion(lane *lane, run uint) (offset uint64, ok bool) {
	within := s.region
	if number, ok := s.levelOf(within); ok && run <= within {
		return s.alloc(lane, run, within, number)
	}
	return 0, false
}

// divide turns a block of 1<<order bytes, which the caller owns, into blocks of 1<<to bytes, which
// the caller owns.
func (s *Space) divide(offset uint64, order, to uint) {
	number, _ := s.levelOf(order)
	l := &s.levels[number]
	i, n := l.place(offset, order)
	l.words[i].Or(l.all(n, to)) // L7
	s.fill(number-1, offset, order, to)
}

// fill stores the words of the chunks of a level, and of those below, that lie in the 1<<order
// bytes at offset, with all of them handed out as blocks of 1<<to bytes.
func (s *Space) fill(number int, offset uint64, order, to uint) {
	for ; number >= 0 && to < s.levels[number].order(); number-- {
		l := &s.levels[number]
		first, _ := l.place(offset, l.leaf)
		for i := range 1 << (order - l.order()) {
			l.words[first+i].Store(l.all(root, to)) // L2
		}
	}
}

// all returns the bits of node n and of the nodes below it, with all of it handed out as blocks of
// 1<<order bytes, or as chunks if these are smaller than a leaf.
func (l *level) all(n, order uint) (w uint64) {
	row := uint64(1) // the nodes of a row, from the first one's bit on
	w = row << n
	for width, depth := 1, depthOf(n); depth < l.depth(max(order, l.leaf)); depth++ {
		row |= row << (width & 63)
		width *= 2
		n *= 2
		w |= row << (n & 63)
	}
	if order < l.leaf {
		w |= row << (n & 63) << chunkBit
	}
	return w
}
