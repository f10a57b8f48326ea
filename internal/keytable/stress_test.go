package keytable

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// TestTableStress has goroutines put in, replace and take out keys that they share, in phases in
// which the table grows and shrinks. Each change that a call says it has made is accounted for.
func TestTableStress(t *testing.T) {
	const goroutines, phases = 4, 6
	seed := replay.Seed(t)
	stress := func(name string, hasher func(int) uint64, keys, each int) {
		t.Run(name, func(t *testing.T) {
			table := Table[int]{test: &hooks[int]{hash: hasher}}
			net := make([]atomic.Int64, keys) // entries put in for a key, less those taken out
			var all sync.WaitGroup
			for g := range goroutines {
				random := rand.New(rand.NewPCG(seed, uint64(g)))
				all.Go(func() {
					for phase := range phases {
						for range each {
							key := random.IntN(keys)
							fresh := entry(key)
							what := random.IntN(8)
							if what >= 4 {
								what = phase % 2 // more come, or more go
							}
							switch what {
							case 0:
								if there, loaded := table.LoadOrStore(fresh); !loaded {
									net[key].Add(1)
								} else if there.Key != key {
									t.Errorf("LoadOrStore(%d) = %d", key, there.Key)
								}
							case 1:
								if e := table.Load(key); e != nil && table.Delete(e) {
									net[key].Add(-1)
									if table.Delete(e) {
										t.Errorf("%d was taken out twice", key)
									}
								}
							case 2:
								if e := table.Load(key); e != nil && table.Replace(e, fresh) && table.Replace(e, fresh) {
									t.Errorf("%d was replaced twice", key)
								}
							case 3:
								if e := table.Load(key); e != nil && e.Key != key {
									t.Errorf("Load(%d) = %d", key, e.Key)
								}
							}
						}
					}
				})
			}
			all.Wait()
			model := map[int]*Entry[int]{}
			for key := range net {
				e := table.Load(key)
				if n := net[key].Load(); n < 0 || n > 1 || (n == 1) != (e != nil) {
					t.Fatalf("%d came in %d times more than it went, and is %v", key, n, e)
				}
				if e != nil {
					model[key] = e
				}
			}
			check(t, &table, model)
		})
	}
	stress("many keys", nil, 3000, 8000)
	stress("few keys", nil, 60, 8000)
	stress("few hashes", func(key int) uint64 { return uint64(key%3) << 62 }, 40, 3000)
}

// TestTableStays has keys that stay in the table while others come and go, and goroutines that look
// for them: each look, and each walk, finds all of them.
func TestTableStays(t *testing.T) {
	const stay, come, rounds = 200, 4000, 4
	var table Table[int]
	stays := make([]*Entry[int], stay)
	for i := range stays {
		stays[i] = entry(i)
		table.LoadOrStore(stays[i])
	}
	var writers, readers sync.WaitGroup
	var over atomic.Bool
	for g := range 2 {
		writers.Go(func() {
			mine := make([]*Entry[int], 0, come)
			for range rounds {
				for i := range come {
					e := entry(stay + g*come + i)
					if _, loaded := table.LoadOrStore(e); loaded {
						t.Errorf("%d is there already", e.Key)
					}
					mine = append(mine, e)
				}
				for _, e := range mine {
					if table.Load(e.Key) != e || !table.Delete(e) {
						t.Errorf("%d is not there any more", e.Key)
					}
				}
				mine = mine[:0]
			}
		})
	}
	readers.Go(func() {
		for i := 0; !over.Load(); i++ {
			if e := stays[i%stay]; table.Load(e.Key) != e {
				t.Errorf("%d is not there any more", e.Key)
				return
			}
		}
	})
	readers.Go(func() {
		for !over.Load() {
			count := make([]int, stay+2*come)
			for e := range table.All {
				if count[e.Key]++; count[e.Key] > 1 && e.Key < stay {
					t.Errorf("%d came twice", e.Key)
				}
			}
			for i, n := range count[:stay] {
				if n != 1 {
					t.Errorf("%d came %d times", i, n)
					return
				}
			}
		}
	})
	writers.Wait()
	over.Store(true)
	readers.Wait()
	if table.Len() != stay {
		t.Errorf("Len is %d, want %d", table.Len(), stay)
	}
}
