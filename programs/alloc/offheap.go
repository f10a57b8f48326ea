package alloc

import (
	"math/bits"

	"github.com/freerun-go/freerun/offheap"
)

// arena is memory outside of Go's heap, which all tasks share.
type arena struct{ *offheap.Arena }

// spare is how much the arena has at least beside twice the bytes of the blocks in use: blocks in
// caches must not make memory scarce.
const spare = 8 << 20

// ample bounds the part of an arena's size that follows from all blocks of the run. Up to it, the
// arena has room for all of them at once: the caches of an arena are then a small share of it, and
// untouched memory costs nothing, so a program that allocates much would choose no smaller arena.
const ample = 512 << 20

func openArena(d Demand) (Source[offheap.Block], error) {
	return inArena(d, func(a *offheap.Arena) Memory[offheap.Block] { return arena{a} })
}

// zeroArena is an arena whose blocks come zeroed, as those of make do.
type zeroArena struct{ arena }

func (a zeroArena) Alloc(size int) (offheap.Block, error) { return a.AllocZero(size) }

func openZeroArena(d Demand) (Source[offheap.Block], error) {
	return inArena(d, func(a *offheap.Arena) Memory[offheap.Block] { return zeroArena{arena{a}} })
}

// inArena makes an arena, which all tasks use in the same way.
func inArena(d Demand, use func(*offheap.Arena) Memory[offheap.Block]) (Source[offheap.Block], error) {
	block := int64(1) << bits.Len(uint(d.Size-1))
	a, err := offheap.New(max(2*int64(d.Live)*block+spare, min(int64(d.Blocks)*block, ample)))
	if err != nil {
		return Source[offheap.Block]{}, err
	}
	memory := use(a)
	return Source[offheap.Block]{
		Task:  func(int) Memory[offheap.Block] { return memory },
		Close: a.Close, // fails if a block is left
	}, nil
}

// Free panics if the block is not live, so it has no error to return.
func (a arena) Free(block offheap.Block) error {
	a.Arena.Free(block)
	return nil
}
