package offheap_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
	"github.com/freerun-go/freerun/offheap"
)

// TestStress has goroutines allocate, resize and free their own and each other's blocks, in an
// arena that is full now and then, while one goroutine trims and one reads the statistics. Every
// block has a pattern, and in the end all the memory is there again.
func TestStress(t *testing.T) {
	const goroutines, rounds = 6, 4000
	seed := replay.Seed(t)
	a := open(t, 1<<21, offheap.TagNames("own", "foreign"))
	passed := make(chan held, 64)
	var all, watchers sync.WaitGroup
	stop := make(chan struct{})
	watchers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				a.Trim()
				if s := a.Stats(); s.Live < 0 || s.Live > s.Size || s.Peak > s.Size {
					t.Errorf("%+v", s)
				}
				a.Leaks()
				runtime.Gosched()
			}
		}
	})
	for g := range goroutines {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(g)))
			var mine []held
			free := func(h held) {
				if err := h.intact(a.Bytes(h.block), h.asked); err != nil {
					t.Error(err)
				}
				a.Free(h.block)
			}
			for i := range rounds {
				h := held{asked: random.IntN(1 << random.IntN(17)), tag: offheap.Tag(i % 3), seed: byte(random.Uint32())}
				var err error
				if h.block, err = a.AllocTagged(h.asked, h.tag); err == nil {
					h.fill(a.Bytes(h.block))
					mine = append(mine, h)
				} else if !errors.Is(err, offheap.ErrNoMemory) {
					t.Error(err)
				}
				if len(mine) == 0 {
					continue
				}
				n := random.IntN(len(mine))
				h = mine[n]
				switch k := random.IntN(8); {
				case k == 0:
					size := random.IntN(1 << random.IntN(17))
					next, err := a.Resize(h.block, size)
					if err != nil {
						continue
					}
					h.block = next
					if err := h.intact(a.Bytes(next), min(size, h.asked)); err != nil {
						t.Error(err)
					}
					h.asked = size
					h.fill(a.Bytes(next))
					mine[n] = h
				case k < 4 || len(mine) > 40:
					mine[n] = mine[len(mine)-1]
					mine = mine[:len(mine)-1]
					select {
					case passed <- h:
					default:
						free(h)
					}
				default:
					select {
					case h := <-passed:
						free(h)
					default:
					}
				}
			}
			for _, h := range mine {
				free(h)
			}
		})
	}
	all.Wait()
	close(stop)
	watchers.Wait()
	close(passed)
	for h := range passed {
		a.Free(h.block)
	}
	(&model{t: t, a: a}).end()
}

// TestMisuse has many goroutines free the same blocks: each block is freed once, all other calls
// are refused, and no other block is harmed.
func TestMisuse(t *testing.T) {
	a := open(t, 1<<20)
	for round := range 100 {
		blocks := make([]offheap.Block, 16)
		for i := range blocks {
			blocks[i] = must(a.Alloc(100 + round))
		}
		bystander := held{block: must(a.Alloc(100 + round)), asked: 100, seed: byte(round)}
		bystander.fill(a.Bytes(bystander.block))
		var all sync.WaitGroup
		var lock sync.Mutex
		freed := 0
		for range 4 {
			all.Go(func() {
				for _, b := range blocks {
					if !panicked(func() { a.Free(b) }) {
						lock.Lock()
						freed++
						lock.Unlock()
					}
				}
			})
		}
		all.Wait()
		if freed != len(blocks) {
			t.Fatalf("%d blocks were freed %d times", len(blocks), freed)
		}
		if err := bystander.intact(a.Bytes(bystander.block), bystander.asked); err != nil {
			t.Fatal(err)
		}
		a.Free(bystander.block)
	}
	(&model{t: t, a: a}).end()
}

// TestCachesAreShared has one goroutine cache blocks on one processor, and another goroutine on
// another processor take all the memory.
func TestCachesAreShared(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	a := open(t, 1<<24)
	var all sync.WaitGroup
	for range 8 { // on any processors
		all.Go(func() {
			var blocks []offheap.Block
			for range 1000 {
				b, err := a.Alloc(1000)
				if err != nil {
					t.Error(err)
				}
				blocks = append(blocks, b)
				runtime.Gosched()
			}
			for _, b := range blocks {
				a.Free(b)
				runtime.Gosched()
			}
		})
	}
	all.Wait()
	if u := a.Usage(); u.Cached == 0 || u.Live != 0 {
		t.Fatalf("nothing is cached: %+v", u)
	}
	(&model{t: t, a: a}).end()
	if u := a.Usage(); u.Free != u.Size {
		t.Errorf("not all is free: %+v", u)
	}
}

// TestCachesAreBounded fills all caches. Of each size there are at most two magazines for each
// cache, and 16 in the depot. A magazine has at most 1/128 of the arena divided by the number of
// processors, 512 KiB, and 64 blocks.
func TestCachesAreBounded(t *testing.T) {
	for _, size := range []int64{1 << 20, 1 << 26} {
		a := open(t, size)
		var all sync.WaitGroup
		for range 4 * runtime.GOMAXPROCS(0) {
			all.Go(func() {
				for block := 32; block <= 1<<18; block *= 2 {
					var blocks []offheap.Block
					for range min(1000, int(size)/64/block) {
						b, err := a.Alloc(block)
						if err != nil {
							break // the other goroutines have the rest
						}
						blocks = append(blocks, b)
						runtime.Gosched()
					}
					for _, b := range blocks {
						a.Free(b)
						runtime.Gosched()
					}
				}
			})
		}
		all.Wait()
		processors := int64(runtime.GOMAXPROCS(0))
		caches := processors
		if !offheap.PinsExclude {
			caches = 16
		}
		magazine := min(size/128/processors, 512<<10)
		stats := a.Stats()
		for _, c := range stats.Classes {
			if most := (2*caches + 16) * min(magazine, 64*c.Size); c.Cached*c.Size > most || c.Live != 0 {
				t.Errorf("of %d bytes, %d are cached in blocks of %d, and %d are live; at most %d should be cached", size, c.Cached*c.Size, c.Size, c.Live, most)
			}
		}
		if stats.Cached == 0 {
			t.Error("nothing is cached")
		}
	}
}

// TestFragmentation has random traffic of all sizes for a while, frees all blocks in any order, and
// then allocates a block of a quarter of the arena.
func TestFragmentation(t *testing.T) {
	random := rand.New(rand.NewPCG(replay.Seed(t), 0))
	const size = 1 << 26
	a := open(t, size)
	var blocks []offheap.Block
	live := 0
	for range 200_000 {
		n := 1 << (5 + random.IntN(12))
		n -= random.IntN(n / 2)
		for live+2*n > size/2 && len(blocks) > 0 {
			i := random.IntN(len(blocks))
			live -= a.Size(blocks[i])
			a.Free(blocks[i])
			blocks[i] = blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
		}
		b, err := a.Alloc(n)
		if err != nil {
			t.Fatalf("half of the arena is free: %v, %+v", err, a.Stats())
		}
		blocks = append(blocks, b)
		live += a.Size(b)
	}
	s := a.Stats()
	if in := s.InternalFragmentation; in < 0 || in > 0.5 {
		t.Errorf("internal fragmentation of %v", in)
	}
	t.Logf("internal fragmentation %.2f, external %.2f", s.InternalFragmentation, s.ExternalFragmentation)
	random.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	for _, b := range blocks {
		a.Free(b)
	}
	b, err := a.Alloc(size / 4)
	if err != nil {
		t.Fatal(err)
	}
	a.Free(b)
	(&model{t: t, a: a}).end()
}
