package rivals

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/offheap/internal/buddy"
)

type space interface {
	Alloc(order uint) (uint64, bool)
	Free(offset uint64, order uint) bool
}

var designs = []struct {
	name string
	make func(most, least uint) space
}{
	{"words", func(most, least uint) space { return buddy.New(1<<most, least) }},
	{"lists", func(most, least uint) space { return NewLists(most, least) }},
	{"nbbs", func(most, least uint) space { return NewNBBS(most, least) }},
	{"llfree", func(most, least uint) space { return NewLLFree(most, least) }},
}

type piece struct {
	offset uint64
	order  uint
}

func TestOverlap(t *testing.T) {
	const least, most = 5, 20
	for _, d := range designs {
		t.Run(d.name, func(t *testing.T) {
			for _, goroutines := range []int{1, 2, 4} {
				s := d.make(most, least)
				owner := make([]atomic.Uint32, 1<<(most-least))
				failed := atomic.Int64{}
				var all sync.WaitGroup
				for g := range goroutines {
					all.Go(func() {
						r := rand.New(rand.NewPCG(uint64(g), 3))
						var live []piece
						for range 60000 {
							if r.IntN(2) == 0 || len(live) == 0 {
								order := uint(5 + min(r.IntN(12), r.IntN(12)))
								o, ok := s.Alloc(order)
								if !ok {
									failed.Add(1)
									continue
								}
								for i := o >> least; i < (o+1<<order)>>least; i++ {
									if !owner[i].CompareAndSwap(0, 1) {
										t.Errorf("%d overlaps", o)
										return
									}
								}
								live = append(live, piece{o, order})
								continue
							}
							k := r.IntN(len(live))
							b := live[k]
							live[k] = live[len(live)-1]
							live = live[:len(live)-1]
							for i := b.offset >> least; i < (b.offset+1<<b.order)>>least; i++ {
								owner[i].Store(0)
							}
							if !s.Free(b.offset, b.order) {
								t.Errorf("not freed")
								return
							}
						}
						for _, b := range live {
							for i := b.offset >> least; i < (b.offset+1<<b.order)>>least; i++ {
								owner[i].Store(0)
							}
							s.Free(b.offset, b.order)
						}
					})
				}
				all.Wait()
				top := uint(most)
				if d.name == "llfree" {
					top = 16
				}
				n := 0
				for {
					if _, ok := s.Alloc(top); !ok {
						break
					}
					n++
				}
				if n != 1<<(most-top) {
					t.Errorf("%d goroutines: %d blocks of order %d at the end (%d failed)", goroutines, n, top, failed.Load())
				}
			}
		})
	}
}
