package buddy

import (
	"fmt"
	"iter"
	"math/bits"
)

// State says whether a block is free.
type State uint8

const (
	// Free is the state of a block that can be handed out, and is as large as it can be.
	Free State = iota
	// Handed is the state of a block that is handed out.
	Handed
	// Changing is the state of a chunk that another call is about to divide, or to give back as a
	// whole.
	Changing
)

// Block is a part of the space.
type Block struct {
	Offset uint64
	Order  uint // it has 1<<Order bytes
	State  State
}

// End returns where the block ends.
func (b Block) End() uint64 { return b.Offset + 1<<b.Order }

// At returns the block that contains the byte at offset, as it was at an instant of the call. It
// panics if offset is not less than the size of the space. Wait-free; a load for each level.
func (s *Space) At(offset uint64) Block {
	if offset >= s.size {
		panic(fmt.Sprintf("buddy: there is no block at %d in a space of %d bytes", offset, s.size))
	}
	for number := len(s.levels) - 1; number >= 0; number-- {
		l := &s.levels[number]
		i, leaf := l.place(offset, l.leaf)
		w := l.words[i].Load()
		if w == 0 {
			if l.top {
				return l.block(i, root, Free)
			}
			return l.block(i, root, Changing)
		}
		n := leaf
		for !isSet(w, n) { // up to a node that is divided, or handed out
			n >>= 1
		}
		switch {
		case n == leaf && l.isChunk(w, n):
			continue
		case handedOut(w, n, l.leafDepth):
			return l.block(i, n, Handed)
		}
		return l.block(i, leaf>>(depthOf(leaf)-depthOf(n)-1), Free) // n's half with the leaf
	}
	panic("buddy: the state of the space is corrupt: a leaf of the lowest level is divided")
}

// block returns node n of chunk i.
func (l *level) block(i int, n uint, state State) Block {
	return Block{l.offset(i, n), l.order() - depthOf(n), state}
}

// All returns the blocks of the space in order, from offset 0 to its end, each as it was at an
// instant of its own. It calls At for each.
func (s *Space) All() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for offset := uint64(0); offset < s.size; {
			b := s.At(offset)
			if b.Offset < offset { // coalesced since the last step: yield the part from here
				b.Order, b.Offset = min(b.Order-1, uint(bits.TrailingZeros64(offset))), offset
			}
			if !yield(b) {
				return
			}
			offset = b.End()
		}
	}
}

// TakeFree hands out the first free block of 1<<least bytes or more at from or behind it, in parts
// of at most 1<<most bytes. It serves a caller that goes through all free blocks, one after
// another, and gives each back by Free before it asks for the next, at from = offset + 1<<order. ok
// is false if there are no more. It may miss blocks that become free meanwhile, or are changing.
// Lock-free.
func (s *Space) TakeFree(from uint64, least, most uint) (offset uint64, order uint, ok bool) {
	least, most = max(least, s.least), max(most, s.least)
	if from >= s.size || least > s.most {
		return 0, 0, false
	}
	for offset = (from + 1<<least - 1) &^ (1<<least - 1); offset < s.size; {
		b := s.At(offset)
		if b.State != Free {
			offset = b.End()
			continue
		}
		part := min(b.Order, most)
		if b.Offset < offset {
			part = min(part, uint(bits.TrailingZeros64(offset)))
		}
		if part >= least && s.takeAt(offset, part, b.Order) {
			return offset, part, true
		}
		offset += 1 << part
	}
	return 0, 0, false
}

// Take hands out the block of 1<<order bytes at offset, and no other. It changes nothing and
// reports false if some of it is not free, or there can be no such block. Lock-free.
func (s *Space) Take(offset uint64, order uint) bool {
	if _, ok := s.inside(offset, order); !ok {
		return false
	}
	for {
		b := s.At(offset)
		if b.State != Free || b.Order < order {
			return false
		}
		if s.takeAt(offset, order, b.Order) {
			return true
		}
	}
}

// takeAt hands out the block of that order at offset if it is in a free block of order free. It
// reports false if that changed meanwhile.
func (s *Space) takeAt(offset uint64, order, free uint) bool {
	number, _ := s.levelOf(free)
	l := &s.levels[number]
	i, n := l.place(offset, max(order, l.leaf))
	word := &l.words[i]
	for {
		w := word.Load()
		if !inFree(w, n, l.leafDepth) && !(w == 0 && l.top) {
			return false
		}
		if word.CompareAndSwap(w, l.with(w, n, order)) { // L6
			break
		}
	}
	s.open(number-1, offset, order, nil)
	s.count(order, 1)
	return true
}

// Largest returns the order of the largest block that Alloc would find; ok is false if there is
// none. It moves chunks to the right lists, and costs a few loads for each that is on a wrong one.
// Lock-free.
func (s *Space) Largest() (order uint, ok bool) {
	for number := len(s.levels) - 1; number >= 0; number-- {
		l := &s.levels[number]
		if l.top {
			if class, ok := l.class(l.words[0].Load()); ok {
				return l.leaf + class, true
			}
			continue
		}
		for class := l.leafDepth; class > 0; {
			class--
			for i, ok := l.listed[class].next(0); ok; i, ok = l.listed[class].next(i + 1) {
				if now, ok := l.class(l.words[i].Load()); ok && now >= class {
					return l.leaf + now, true
				}
				l.relist(i, class)
			}
		}
	}
	return 0, false
}
