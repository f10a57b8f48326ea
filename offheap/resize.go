package offheap

import (
	"fmt"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Resize makes b a block of at least size bytes and keeps its contents as far as they fit; further
// bytes are undefined. The program uses the returned block from then on, and b no more, even where
// the memory is the same.
//
// The block stays in place if it shrinks, if it has room enough, or if the memory behind it is free
// and can be added; otherwise it is copied. The tag stays. If Resize returns [ErrNoMemory], b is
// unchanged. It panics where [Arena.Free] or [Arena.Alloc] would.
//
// Any goroutine may call it, for a block that no other goroutine uses meanwhile; it is lock-free.
func (a *Arena) Resize(b Block, size int) (Block, error) {
	s := a.stateOf("Resize", b)
	if size < 0 {
		a.refuse(size, 0)
	}
	class := a.classOf(size)
	if debug {
		a.acquireLive("Resize", s, b)
	} else if !s.CompareAndSwap(b.state(live), b.state(moving)) { // L5
		a.misuse("Resize", b)
	}
	fill, tag := a.fillAndTag(b)
	if class <= a.top && a.resizeInPlace(b, class) {
		newFill := fillOf(size, class+a.least)
		next := a.nextBlock(b.place(), b.state(moving), class, newFill, tag)
		if debug {
			a.recordAlloc(next, size, tag)
		}
		s.Store(next.state(live))
		a.count(b.class(), fill, tag, -1)
		a.count(class, newFill, tag, 1)
		return next, nil
	}
	next, err := a.alloc(size, tag, false)
	if err != nil {
		a.putBack(s, b)
		return b, fmt.Errorf("resize: %w", err)
	}
	copy(a.span(a.offset(next.place()), a.bytes(class)), a.span(a.offset(b.place()), a.bytes(b.class())))
	a.free(s, b, moving)
	return next, nil
}

// putBack makes a block that a Resize holds live again, unchanged.
func (a *Arena) putBack(s *atomics.Uint32, b Block) { s.Store(b.state(live)) }

// resizeInPlace gives a block that the caller holds another class. It returns false if that is
// impossible in place.
func (a *Arena) resizeInPlace(b Block, class uint) bool {
	from, to, offset := a.order(b.class()), a.order(class), a.offset(b.place())
	switch {
	case to < from:
		if debug {
			fillPoison(a.real(b)[1<<to:])
		}
		if !a.space.Shrink(offset, from, to) {
			panic(fmt.Sprintf("offheap: the state of the arena is corrupt: %v is not handed out", b))
		}
	case to > from:
		if offset&(1<<to-1) != 0 {
			return false
		}
		for order := from; order < to; order++ {
			if !a.space.Grow(offset, order) {
				if order > from {
					a.space.Shrink(offset, order, from)
				}
				return false
			}
		}
		a.pages.touch(offset+1<<from, 1<<to-1<<from)
	}
	a.addTaken(int64(a.bytes(class)) - int64(a.bytes(b.class())))
	return true
}
