package rivals

import "sync/atomic"

// Lists is the paper's design: an independent lock-free list for each size. A node stands for a block of one order, whether free or not, and so is reused whenever
// that block is free again; heads carry a tag against ABA. A block that coalesces is taken out of its list by its state alone; its node stays linked until it
// is popped, or lives again.
type Lists struct {
	least, most uint
	heads       [64]paddedHead
	states      []atomic.Uint32 // by node
	next        []atomic.Uint32 // by node
}

type paddedHead struct {
	v atomic.Uint64 // tag and node
	_ [120]byte
}

const (
	isFree = 1 << iota
	isLinked
	isHanded
)

// NewLists returns a space of 1<<most bytes.
func NewLists(most, least uint) *Lists {
	l := &Lists{least: least, most: most}
	n := 2 << (most - least)
	l.states, l.next = make([]atomic.Uint32, n), make([]atomic.Uint32, n)
	l.publish(l.node(0, most), most)
	return l
}

func (l *Lists) node(offset uint64, order uint) uint32 {
	return uint32(1<<(l.most-order) + offset>>order)
}

// publish makes a block that belongs to the caller free.
func (l *Lists) publish(n uint32, order uint) {
	if l.states[n].Or(isFree|isLinked)&isLinked != 0 {
		return // its node is still in the list
	}
	head := &l.heads[order].v
	for {
		h := head.Load()
		l.next[n].Store(uint32(h))
		if head.CompareAndSwap(h, (h>>32+1)<<32|uint64(n)) {
			return
		}
	}
}

// claim takes a free block out, and leaves its node.
func (l *Lists) claim(n uint32) bool {
	for {
		s := l.states[n].Load()
		if s&isFree == 0 {
			return false
		}
		if l.states[n].CompareAndSwap(s, s&^isFree) {
			return true
		}
	}
}

func (l *Lists) pop(order uint) (uint32, bool) {
	head := &l.heads[order].v
	for {
		h := head.Load()
		n := uint32(h)
		if n == 0 {
			return 0, false
		}
		if !head.CompareAndSwap(h, (h>>32+1)<<32|uint64(l.next[n].Load())) {
			continue
		}
		if s := l.states[n].And(^uint32(isFree | isLinked)); s&isFree != 0 {
			return n, true
		}
	}
}

// Alloc hands out a block.
func (l *Lists) Alloc(order uint) (uint64, bool) {
	for from := order; from <= l.most; from++ {
		n, ok := l.pop(from)
		if !ok {
			continue
		}
		for ; from > order; from-- {
			n *= 2
			l.publish(n+1, from-1)
		}
		l.states[n].Or(isHanded)
		return uint64(n-1<<(l.most-order)) << order, true
	}
	return 0, false
}

// Free takes a block back.
func (l *Lists) Free(offset uint64, order uint) bool {
	n := l.node(offset, order)
	for {
		s := l.states[n].Load()
		if s&isHanded == 0 {
			return false
		}
		if l.states[n].CompareAndSwap(s, s&^isHanded) {
			break
		}
	}
	for {
		if n > 1 && l.claim(n^1) {
			n /= 2
			order++
			continue
		}
		l.publish(n, order)
		// Both buddies may have been published at the same time: who claims the left one coalesces them.
		for {
			if n == 1 || l.states[n^1].Load()&isFree == 0 || !l.claim(n&^1) {
				return true
			}
			if l.claim(n | 1) {
				break
			}
			l.publish(n&^1, order)
		}
		n /= 2
		order++
	}
}
