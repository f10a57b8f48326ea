package buddy

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// owners holds the owner of each smallest block.
type owners struct {
	least  uint
	leaves []atomic.Uint32
}

// change passes a block from one owner to another, 0 for none. It reports whether the former owned
// all of it.
func (o *owners) change(b Block, from, to uint32) bool {
	for i := b.Offset >> o.least; i < b.End()>>o.least; i++ {
		if !o.leaves[i].CompareAndSwap(from, to) {
			return false
		}
	}
	return true
}

// TestStress has goroutines take, give back, grow, shrink and sweep blocks, their own and each
// other's, and holds that no two blocks overlap, and that the space is whole again when all have
// ended.
func TestStress(t *testing.T) {
	const least = 5
	seed := replay.Seed(t)
	calls := 60_000
	if testing.Short() {
		calls /= 4
	}
	for _, size := range []uint64{1 << 10, 3 << 12, 1 << 16, 5 << 18} {
		s := New(size, least)
		o := &owners{least, make([]atomic.Uint32, size>>least)}
		goroutines := max(3, runtime.GOMAXPROCS(0)+1)
		passed := make(chan Block, 64)
		var all sync.WaitGroup
		for g := range goroutines {
			all.Go(func() {
				me := uint32(g + 1)
				random := rand.New(rand.NewPCG(seed, uint64(g)))
				var live []Block
				take := func(b Block, from uint32) bool {
					if !o.change(b, from, me) {
						t.Errorf("size %#x: %v overlaps a block of another", size, b)
						return false
					}
					live = append(live, b)
					return true
				}
				give := func(b Block) bool {
					if !o.change(b, me, 0) {
						t.Errorf("size %#x: %v is no longer that of its owner", size, b)
						return false
					}
					if !s.Free(b.Offset, b.Order) {
						t.Errorf("size %#x: %v cannot be given back", size, b)
						return false
					}
					return true
				}
				for range calls / goroutines {
					order := least + uint(min(random.IntN(10), random.IntN(10)))
					k := 0
					if len(live) > 0 {
						k = random.IntN(len(live))
					}
					switch what := random.IntN(16); {
					case what == 0:
						var offsets [4]uint64
						for _, offset := range offsets[:s.AllocSome(order, offsets[:])] {
							if !take(Block{offset, order, Handed}, 0) {
								return
							}
						}
					case what < 6 || len(live) == 0:
						if offset, ok := s.Alloc(order); ok && !take(Block{offset, order, Handed}, 0) {
							return
						}
					case what == 7:
						from := random.Uint64N(size)
						if offset, order, ok := s.TakeFree(from, order, order+2); ok && !take(Block{offset, order, Handed}, 0) {
							return
						}
					case what == 8:
						if s.Grow(live[k].Offset, live[k].Order) {
							more := Block{live[k].End(), live[k].Order, Handed}
							if !o.change(more, 0, me) {
								t.Errorf("size %#x: %v grew over a block of another", size, live[k])
								return
							}
							live[k].Order++
						}
					case what == 9:
						if order > live[k].Order {
							continue
						}
						kept := Block{live[k].Offset, order, Handed}
						for at := kept.End(); at < live[k].End(); at += 1 << least {
							o.change(Block{at, least, Handed}, me, 0)
						}
						if !s.Shrink(live[k].Offset, live[k].Order, order) {
							t.Errorf("size %#x: %v cannot shrink to order %d", size, live[k], order)
							return
						}
						live[k] = kept
					case what == 10 && random.IntN(16) == 0:
						s.Largest()
						s.FreeBytes()
						end := uint64(0)
						for b := range s.All() {
							if b.Offset != end {
								t.Errorf("size %#x: %v comes where %#x should", size, b, end)
								return
							}
							end = b.End()
						}
					case what == 11:
						select {
						case b := <-passed:
							if !give2(t, s, o, b) {
								return
							}
						default:
							if !o.change(live[k], me, foreign) {
								t.Errorf("size %#x: %v is no longer that of its owner", size, live[k])
								return
							}
							select {
							case passed <- live[k]:
								live = slices.Delete(live, k, k+1)
							default:
								o.change(live[k], foreign, me)
							}
						}
					default:
						b := live[k]
						live = slices.Delete(live, k, k+1)
						if !give(b) {
							return
						}
					}
				}
				for _, b := range live {
					if !give(b) {
						return
					}
				}
			})
		}
		all.Wait()
		close(passed)
		for b := range passed {
			give2(t, s, o, b)
		}
		if t.Failed() {
			return
		}
		if free := s.FreeBytes(); free != size {
			t.Errorf("size %#x: %d bytes are free at the end", size, free)
		}
		if got, want := slices.Collect(s.All()), slices.Collect(New(size, least).All()); !slices.Equal(got, want) {
			t.Errorf("size %#x: at the end the blocks are\n%v, not\n%v", size, got, want)
		}
		for _, b := range slices.Collect(s.All()) { // all free blocks are found, listed or not
			if _, ok := s.Alloc(b.Order); !ok {
				t.Errorf("size %#x: at the end there is no block of order %d", size, b.Order)
			}
		}
	}
}

// foreign owns the blocks on their way from one goroutine to another.
const foreign = 1 << 20

// give2 gives back a block that another goroutine took.
func give2(t *testing.T, s *Space, o *owners, b Block) bool {
	if !o.change(b, foreign, 0) || !s.Free(b.Offset, b.Order) {
		t.Errorf("%v, which another goroutine took, cannot be given back", b)
		return false
	}
	return true
}
