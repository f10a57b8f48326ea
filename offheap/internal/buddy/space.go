package buddy

import (
	"fmt"
	"math"
	"math/bits"
	_ "sync/atomic" // see internal/atomics: what inlines its operations
)

// Space is a space of offsets, all of which begins free, and which any goroutine may take blocks from and give them back to. No method waits. It must not be copied.
type Space struct {
	size   uint64
	least  uint
	most   uint // the largest order that there can be
	levels []level
	lanes  []lane
}

const (
	// maxOrder is the order of the largest space: offsets and sizes are positive as an int64 too.
	maxOrder = 62
)

// New returns a space of so many bytes, all of it free, the smallest blocks of which have 1<<least bytes. The size is a multiple of that. It
// panics if it is not, or if it is 0 or more than 1<<62.
func New(size uint64, least uint) *Space {
	if size == 0 || size > 1<<maxOrder || least > maxOrder || size&(1<<least-1) != 0 {
		panic(fmt.Sprintf("buddy: a space of %d bytes cannot be made of blocks of 1<<%d: it must be a multiple of them, from 1 of them to 1<<%d bytes", size, least, maxOrder))
	}
	s := &Space{size: size, least: least, most: uint(bits.Len64(size)) - 1}
	for leaf, depth := least, uint(leafDepth0); ; depth = leafDepth {
		chunk := leaf + depth
		chunks := (size-1)>>chunk + 1
		s.levels = append(s.levels, newLevel(len(s.levels), leaf, int(chunks)))
		s.fence(len(s.levels) - 1)
		if chunks == 1 {
			break
		}
		leaf = chunk
	}
	s.lanes = newLanes()
	return s
}

// fence hands out, for ever, what is not there: what is left of the last chunk of a level behind the end of the space. A leaf of which a part is there is
// a chunk of its own.
func (s *Space) fence(number int) {
	l := &s.levels[number]
	i, n := l.place(s.size, l.leaf)
	if i == len(l.words) {
		return // it ends with a chunk
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

// Size returns the bytes of the space.
func (s *Space) Size() uint64 { return s.size }

// levelOf returns the level on which blocks of that order are handed out.
func (s *Space) levelOf(order uint) (number int, ok bool) {
	if order < s.least || order > s.most {
		return 0, false
	}
	if order < s.least+leafDepth0 || len(s.levels) == 1 {
		return 0, true
	}
	return min(1+int(order-s.least-leafDepth0)/leafDepth, len(s.levels)-1), true
}

// inside returns the level on which blocks of that order are handed out; ok is false if there can be none at offset.
func (s *Space) inside(offset uint64, order uint) (number int, ok bool) {
	number, ok = s.levelOf(order)
	return number, ok && offset&(1<<order-1) == 0 && offset < s.size && s.size-offset >= 1<<order
}

// patience is how many chunks that have nothing any more an Alloc looks at on each level before it takes what is less well suited.
const patience = 8

// Alloc hands out a block of 1<<order bytes, at an offset that is a multiple of that. ok is false if no such block is free, or is on its way from or to
// another goroutine. Any goroutine; lock-free.
func (s *Space) Alloc(order uint) (offset uint64, ok bool) {
	number, ok := s.levelOf(order)
	if !ok {
		return 0, false
	}
	lane := s.lane()
	// Twice: a search that may take long comes second, when all others have found nothing.
	for _, patience := range [...]int{patience, math.MaxInt} {
		for from := number; from < len(s.levels); from++ {
			l := &s.levels[from]
			depth := l.leafDepth
			if from == number {
				depth = l.depth(order)
			}
			if i, n, ok := s.takeFrom(lane, from, depth, from > number, patience); ok {
				offset = l.offset(i, n)
				s.open(from-1, offset, order, lane)
				s.count(order, 1)
				return offset, true
			}
		}
	}
	return 0, false
}

// AllocSome hands out blocks of 1<<order bytes until offsets has no more room or there are no more such blocks, and returns how many it wrote into offsets. Several of one
// chunk cost what one does. Any goroutine; lock-free.
func (s *Space) AllocSome(order uint, offsets []uint64) (n int) {
	number, ok := s.levelOf(order)
	if !ok {
		return 0
	}
	lane := s.lane()
	l := &s.levels[number]
	for n < len(offsets) {
		i := int(lane.last[order].Load())
		if more := l.takeSome(i, l.depth(order), lane.far, offsets[n:]); more > 0 {
			s.count(order, more)
			n += more
			continue
		}
		if offsets[n], ok = s.Alloc(order); !ok {
			break
		}
		n++
	}
	return n
}

// takeFrom hands out a block of that depth on a level: of the chunk of which this processor took one last, or else of any.
func (s *Space) takeFrom(lane *lane, number int, depth uint, chunk bool, patience int) (i int, n uint, ok bool) {
	l := &s.levels[number]
	last := &lane.last[l.order()-depth]
	from := int(last.Load())
	if n, ok = l.take(from, depth, chunk, lane.far); ok {
		return from, n, true
	}
	if i, n, ok = l.search(from, depth, chunk, lane.far, patience); ok && i != from {
		last.Store(uint64(i))
	}
	return i, n, ok
}

// open divides the chunk at an offset, which belongs to the caller and is one of that level, as often as it takes to have a block of that order at the same offset,
// which stays the caller's. What is left is free, and where the lane goes on, if there is one.
func (s *Space) open(number int, offset uint64, order uint, lane *lane) {
	for ; number >= 0; number-- {
		l := &s.levels[number]
		if order >= l.order() {
			return
		}
		i, n := l.place(offset, max(order, l.leaf))
		w := with(0, n)
		if order < l.leaf {
			w |= bit(n + chunkBit)
		}
		l.words[i].Store(w) // L2
		l.list(i, w)
		if lane != nil {
			lane.last[max(order, l.leaf)].Store(uint64(i))
		}
	}
}

// Free takes back the block of 1<<order bytes at offset, and coalesces it with its buddies as far as they are free. It reports false, and changes nothing, if no block of
// that order is handed out there. Any goroutine; lock-free.
func (s *Space) Free(offset uint64, order uint) bool {
	number, ok := s.inside(offset, order)
	if !ok {
		return false
	}
	i, n := s.levels[number].place(offset, order)
	if !s.release(number, i, n) {
		return false
	}
	s.count(order, -1)
	return true
}

// release takes back node n of chunk i, and if all of the chunk is free then, the chunk too, and so on. It changes nothing and reports false if that block is not
// handed out.
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
