package ddb

import (
	"encoding/binary"

	"github.com/freerun-go/freerun/offheap"
)

// Key and value off the heap. The size of a block is a power of two, so a block alone may be twice
// as long as what it holds. Where a block of half that size and a second one of at most a quarter
// suffice, there are two. The key and the begin of the value are in the first one, whose last bytes
// are the second one's Block. So at most a third of the memory of long values is unused.

const (
	// linkBytes is what the first of two blocks has at its end.
	linkBytes = 8
	// leastSplit is the least size of a block in place of which there may be two.
	leastSplit = 128
)

// blocksFor returns the sizes of the blocks for a key and its value of n bytes together. rest is 0
// if that is one block.
func (r *records) blocksFor(keyLen, n int) (head, rest int) {
	whole := r.arena.SizeFor(n)
	if half := whole / 2; whole >= leastSplit && n <= half+half/2-linkBytes && keyLen <= half-linkBytes {
		return half, r.arena.SizeFor(n - (half - linkBytes))
	}
	return whole, 0
}

// allocBlock returns the block for a key and its value of n bytes together, which has the second
// one if there are two. On the heap it returns none.
func (r *records) allocBlock(keyLen, n int) (offheap.Block, error) {
	if r.arena == nil {
		return 0, nil
	}
	head, rest := r.blocksFor(keyLen, n)
	b, err := r.arena.Alloc(head)
	if err != nil || rest == 0 {
		return b, err
	}
	second, err := r.arena.Alloc(rest)
	if err != nil {
		r.arena.Free(b)
		return 0, err
	}
	setLink(r.arena.Bytes(b), second)
	return b, nil
}

// freeBlock frees what allocBlock returned for the same sizes and was not used.
func (r *records) freeBlock(b offheap.Block, keyLen, n int) {
	if b.IsZero() {
		return
	}
	if _, rest := r.blocksFor(keyLen, n); rest > 0 {
		r.arena.Free(link(r.arena.Bytes(b)))
	}
	r.arena.Free(b)
}

// link returns the second block, given the bytes of the first.
func link(head []byte) offheap.Block {
	return offheap.Block(binary.NativeEndian.Uint64(head[len(head)-linkBytes:]))
}

func setLink(head []byte, second offheap.Block) {
	binary.NativeEndian.PutUint64(head[len(head)-linkBytes:], uint64(second))
}

// restOf returns the second block of an entry off the heap, none if there is one only.
func (r *records) restOf(e *entry) offheap.Block {
	b := *r.blockOf(e)
	if int(e.cost)-overheadOffHeap == r.arena.Size(b) {
		return 0
	}
	return link(r.arena.Bytes(b))
}

// freeBlocks frees the memory of an entry off the heap.
func (r *records) freeBlocks(e *entry) {
	if rest := r.restOf(e); !rest.IsZero() {
		r.arena.Free(rest)
	}
	r.arena.Free(*r.blockOf(e))
}

// roomOffHeap returns how many bytes the key and the value of an entry may have where they are.
func (r *records) roomOffHeap(e *entry) int {
	size := int(e.cost) - overheadOffHeap
	if size != r.arena.Size(*r.blockOf(e)) {
		size -= linkBytes
	}
	return size
}

// parts returns the value of an entry off the heap, valid while the entry is unchanged. second is
// empty if it is in one piece.
func (r *records) parts(e *entry) (first, second []byte) {
	head := r.arena.Bytes(*r.blockOf(e))
	begin, end := int(e.keyLen), int(e.keyLen+e.length)
	if int(e.cost)-overheadOffHeap == len(head) {
		return head[begin:end:end], nil
	}
	room := len(head) - linkBytes
	if end <= room {
		return head[begin:end:end], nil
	}
	return head[begin:room:room], r.arena.Bytes(link(head))[: end-room : end-room]
}

// fill stores key and value of an entry in b, which is from allocBlock for their lengths.
func (r *records) fill(e *entry, b offheap.Block, key string, value []byte) {
	e.keyLen, e.length, e.cost = uint32(len(key)), uint32(len(value)), uint32(r.costOf(len(key), len(value)))
	*r.blockOf(e) = b
	copy(r.arena.Bytes(b), key)
	first, second := r.parts(e)
	copy(second, value[copy(first, value):])
}

// extendOffHeap is extend. What does not fit gets a single block, so that appending n bytes one by
// one moves few of them more than once or twice.
func (r *records) extendOffHeap(e *entry, more []byte) error {
	old, total := int(e.length), int(e.keyLen+e.length)+len(more)
	if total > r.roomOffHeap(e) {
		if err := r.move(e, total); err != nil {
			return err
		}
	}
	e.length += uint32(len(more))
	first, second := r.parts(e)
	if old < len(first) {
		more = more[copy(first[old:], more):]
		old = len(first)
	}
	copy(second[old-len(first):], more)
	return nil
}

// move gives an entry a single block for so many bytes.
func (r *records) move(e *entry, size int) error {
	b := r.blockOf(e)
	if rest := r.restOf(e); !rest.IsZero() {
		to, err := r.arena.Alloc(size)
		if err != nil {
			return err
		}
		first, second := r.parts(e)
		into := r.arena.Bytes(to)
		n := copy(into, r.key(e))
		n += copy(into[n:], first)
		copy(into[n:], second)
		r.arena.Free(rest)
		r.arena.Free(*b)
		*b = to
	} else {
		to, err := r.arena.Resize(*b, size)
		if err != nil {
			return err
		}
		*b = to
	}
	e.cost = uint32(overheadOffHeap + r.arena.Size(*b))
	return nil
}
