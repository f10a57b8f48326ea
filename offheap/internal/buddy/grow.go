package buddy

// Grow doubles the block of 1<<order bytes at offset in place, if it is the left half of a block
// whose right half is free. Otherwise, or if the block is not handed out, it changes nothing and
// reports false. Lock-free; one or two read-modify-writes.
func (s *Space) Grow(offset uint64, order uint) bool {
	number, ok := s.inside(offset, order)
	if !ok {
		return false
	}
	l := &s.levels[number]
	i, n := l.place(offset, order)
	if n == root || n&1 != 0 {
		return false
	}
	word := &l.words[i]
	for {
		w := word.Load()
		if !handedOut(w, n, l.leafDepth) || l.isChunk(w, n) || isSet(w, n^1) {
			return false
		}
		// The block above is divided, and without this half it is handed out as a whole.
		grown := w &^ bit(n)
		if n>>1 == root && !l.top {
			grown = 0
		}
		if !word.CompareAndSwap(w, grown) { // L4
			continue
		}
		if grown == 0 {
			// The caller owns all of the chunk now: it is no longer a chunk, but a leaf.
			s.levels[number+1].words[i/fan].And(^bit(uint(fan+i%fan) + chunkBit))
		}
		s.count(order, -1)
		s.count(order+1, 1)
		return true
	}
}

// Shrink makes the block of 1<<order bytes at offset one of 1<<to bytes, in place; the rest becomes
// free. It changes nothing and reports false if the block is not handed out, or if to is not
// between the smallest order and order. Lock-free.
func (s *Space) Shrink(offset uint64, order, to uint) bool {
	number, ok := s.inside(offset, order)
	if !ok || to > order || to < s.least {
		return false
	}
	l := &s.levels[number]
	i, n := l.place(offset, order)
	_, first := l.place(offset, max(to, l.leaf))
	for {
		w := l.words[i].Load()
		if !handedOut(w, n, l.leafDepth) || l.isChunk(w, n) {
			return false
		}
		shrunk := l.with(w, first, to)
		if l.words[i].CompareAndSwap(w, shrunk) { // L5
			l.list(i, shrunk)
			break
		}
	}
	s.open(number-1, offset, to, nil)
	s.count(order, -1)
	s.count(to, 1)
	return true
}
