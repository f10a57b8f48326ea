package alloc

import (
	"math/bits"

	"github.com/freerun-go/freerun/offheap"
)

// arena is memory outside of Go's heap, which all tasks share.
type arena struct{ *offheap.Arena }

// spare is how much memory there is beside twice what the blocks take at most, if not more: what lies in caches must not make it scarce.
const spare = 8 << 20

// ample is how much memory there is if all blocks together have as much. The caches of an arena are a small share of it, and reserving what is never touched costs nothing, so
// nobody who allocates much would have a small one.
const ample = 512 << 20

func openArena(d Demand) (Source[offheap.Block], error) {
	block := int64(1) << bits.Len(uint(d.Size-1))
	a, err := offheap.New(max(2*int64(d.Live)*block+spare, min(int64(d.Blocks)*block, ample)))
	if err != nil {
		return Source[offheap.Block]{}, err
	}
	return Source[offheap.Block]{
		Task:  func(int) Memory[offheap.Block] { return arena{a} },
		Close: a.Close, // which fails if a block is left
	}, nil
}

// Free panics if the block is not live, so there is no error to be returned.
func (a arena) Free(block offheap.Block) error {
	a.Arena.Free(block)
	return nil
}
