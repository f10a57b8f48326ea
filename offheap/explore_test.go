//go:build explore

package offheap

import (
	"errors"
	"fmt"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// explored returns an arena for one execution, with smallest as the size of the smallest block, and
// magazines for room blocks.
func explored(size int64, smallest int, room uint64) *Arena {
	magazineRoom = room
	arenas.Store(0)
	a, err := New(size, SmallestBlock(smallest))
	if err != nil {
		panic(err)
	}
	return a
}

// owners holds that live blocks do not overlap. One thread runs at a time, so it is plain memory.
type owners struct {
	a    *Arena
	of   map[uint64]string
	held int
}

func newOwners(a *Arena) *owners { return &owners{a: a, of: map[uint64]string{}} }

func (o *owners) got(r *explore.Run, who string, b Block) {
	first, n := b.place(), uint64(1)<<b.class()
	for p := first; p < first+n; p++ {
		if other, taken := o.of[p]; taken {
			r.Failf("%s got place %d, which is %s's", who, p, other)
		}
		o.of[p] = who
	}
	o.held++
}

func (o *owners) gone(b Block) {
	first, n := b.place(), uint64(1)<<b.class()
	for p := first; p < first+n; p++ {
		delete(o.of, p)
	}
	o.held--
}

// alloc allocates a block and notes its owner; it returns 0 if there was no memory.
func (o *owners) alloc(r *explore.Run, who string, size int) Block {
	b, err := o.a.Alloc(size)
	switch {
	case err == nil:
		o.got(r, who, b)
	case !errors.Is(err, ErrNoMemory):
		r.Failf("%s: %v", who, err)
	}
	return b
}

func (o *owners) free(b Block) {
	if b != 0 {
		o.gone(b)
		o.a.Free(b)
	}
}

// whole holds that no memory was lost: once all blocks are freed, the arena is one block again.
func (o *owners) whole(r *explore.Run) {
	if o.held != 0 {
		r.Failf("the test has not freed %d blocks", o.held)
	}
	b, err := o.a.Alloc(int(o.a.size))
	if err != nil {
		r.Failf("all is freed, and there is no block of the arena's size: %v", err)
	}
	o.a.Free(b)
	o.a.reclaim()
	if n := o.a.taken.Load(); n != 0 {
		r.Failf("all is free, and %d bytes are said to be taken", n)
	}
	if err := o.a.Close(); err != nil {
		r.Failf("%v", err)
	}
}

// TestExploreAlloc has two threads allocate and free small blocks. A third allocates a block for
// which the cached blocks of the two must be taken from them.
func TestExploreAlloc(t *testing.T) {
	explore.Exhaustive(t, 2, contested)
}

func contested(r *explore.Run) {
	o := newOwners(explored(4096, 2048, 2))
	for _, who := range []string{"X", "Y"} {
		r.Go(who, func() { o.free(o.alloc(r, who, 2048)) })
	}
	r.Go("large", func() { o.free(o.alloc(r, "large", 4096)) })
	r.After(func() { o.whole(r) })
}

// TestExploreShared has all threads share one cache, as where pins do not exclude.
func TestExploreShared(t *testing.T) {
	exclusive = false
	defer func() { exclusive = true }()
	t.Run("exhaustive", func(t *testing.T) { explore.Exhaustive(t, 2, contested) })
	t.Run("twice", func(t *testing.T) { explore.Exhaustive(t, 2, twice((*Arena).Free)) })
	t.Run("random", func(t *testing.T) { explore.Random(t, 3000, mixed) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, stands(false)) })
}

// TestExploreRefill is TestExploreAlloc with caches that get more blocks than they need, in arenas
// with and without room for runs.
func TestExploreRefill(t *testing.T) {
	for _, size := range []int64{8192, 1 << 19} {
		body := func(second int, room uint64) func(*explore.Run) {
			return func(r *explore.Run) {
				o := newOwners(explored(size, 2048, room))
				for _, who := range []string{"X", "Y"} {
					r.Go(who, func() {
						b := o.alloc(r, who, 2048)
						c := o.alloc(r, who, second)
						o.free(b)
						o.free(c)
					})
				}
				r.After(func() { o.whole(r) })
			}
		}
		for _, room := range []uint64{4, 2 * refillPart, 17} {
			explore.Exhaustive(t, 2, body(2048, room))
		}
		explore.Freeze(t, body(4096, 2*refillPart))
	}
}

// TestExploreDepot passes blocks from a thread that only allocates to one that only frees, through
// magazines that are soon full.
func TestExploreDepot(t *testing.T) {
	explore.Exhaustive(t, 2, func(r *explore.Run) {
		o := newOwners(explored(16384, 2048, 2))
		var held []Block
		for range 7 {
			held = append(held, o.alloc(r, "setup", 2048))
		}
		r.Go("frees", func() {
			for _, b := range held {
				o.free(b)
			}
		})
		var mine []Block
		r.Go("allocates", func() {
			for range 3 {
				mine = append(mine, o.alloc(r, "allocates", 2048))
			}
		})
		r.After(func() {
			for _, b := range mine {
				o.free(b)
			}
			o.whole(r)
		})
	})
}

// panics runs f and reports whether it panicked.
func panics(f func()) (did bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, misused := p.(string); !misused {
				panic(p)
			}
			did = true
		}
	}()
	f()
	return false
}

// twice has two threads free one block while a third allocates: exactly one Free must be refused.
func twice(free func(a *Arena, b Block)) func(r *explore.Run) {
	return func(r *explore.Run) {
		o := newOwners(explored(4096, 2048, 2))
		b := o.alloc(r, "setup", 2048)
		o.gone(b)
		refused := 0
		for _, who := range []string{"X", "Y"} {
			r.Go(who, func() {
				if panics(func() { free(o.a, b) }) {
					refused++
				}
			})
		}
		var c Block
		r.Go("Z", func() { c = o.alloc(r, "Z", 2048) })
		r.After(func() {
			if refused != 1 {
				r.Failf("%d of two frees of one block were refused", refused)
			}
			o.free(c)
			o.whole(r)
		})
	}
}

// TestExploreTwice frees a block twice.
func TestExploreTwice(t *testing.T) {
	explore.Exhaustive(t, 3, twice((*Arena).Free))
}

// TestExploreTwiceControl checks a state and changes it in two steps.
func TestExploreTwiceControl(t *testing.T) {
	explore.MustFail(t, 2, twice(func(a *Arena, b Block) {
		s := a.stateOf("Free", b)
		if s.Load() != b.state(live) {
			a.misuse("Free", b)
		}
		a.count(b.class(), b.fill(), 0, -1)
		s.Store(b.state(free))
		a.giveBack(b.place(), b.class())
	}))
}

// TestExploreStaleControl frees a block that is live, whichever generation it is.
func TestExploreStaleControl(t *testing.T) {
	explore.MustFail(t, 2, twice(func(a *Arena, b Block) {
		s := a.stateOf("Free", b)
		was := s.Load()
		if phase(was&phaseMask) != live || !s.CompareAndSwap(was, was&^phaseMask|uint32(free)) {
			a.misuse("Free", b)
		}
		a.count(b.class(), b.fill(), 0, -1)
		a.giveBack(b.place(), b.class())
	}))
}

// TestExploreMixed has three threads use all operations, in random schedules.
func TestExploreMixed(t *testing.T) {
	explore.Random(t, 3000, mixed)
}

func mixed(r *explore.Run) {
	o := newOwners(explored(16384, 1024, 4))
	var left []Block
	for _, who := range []string{"X", "Y", "Z"} {
		r.Go(who, func() {
			b := o.alloc(r, who, 1024)
			c := o.alloc(r, who, 2000)
			if b != 0 {
				o.gone(b)
				if next, err := o.a.Resize(b, 3000); err == nil {
					b = next
				}
				o.got(r, who, b)
			}
			o.free(c)
			if who == "Z" {
				o.a.Trim()
			}
			d := o.alloc(r, who, 1024)
			o.free(b)
			left = append(left, d)
		})
	}
	r.After(func() {
		for _, b := range left {
			o.free(b)
		}
		o.whole(r)
	})
}

// robbed has a processor use its cache while another, which is out of memory, takes blocks from it.
func robbed(pop func(a *Arena, class uint) Block) func(r *explore.Run) {
	return func(r *explore.Run) {
		o := newOwners(explored(4096, 2048, 4))
		x, y := o.alloc(r, "setup", 2048), o.alloc(r, "setup", 2048)
		o.free(x)
		o.free(y)
		var b, c Block
		r.Go("owner", func() {
			if b = pop(o.a, 0); b != 0 {
				o.got(r, "owner", b)
			}
		})
		r.Go("thief", func() { c = o.alloc(r, "thief", 4096) })
		r.After(func() {
			o.free(b)
			o.free(c)
			o.whole(r)
		})
	}
}

// TestExploreRobbed takes blocks from a cache that is in use.
func TestExploreRobbed(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, robbed(func(a *Arena, class uint) Block {
		b, _ := a.Alloc(1 << (class + a.least))
		return b
	}))
}

// TestExploreRobbedControl believes a hint.
func TestExploreRobbedControl(t *testing.T) {
	explore.MustFail(t, 2, robbed(func(a *Arena, class uint) Block {
		r := &a.enter().racks[class]
		if r.loaded.empty() {
			return 0
		}
		place := uint64(r.loaded.hints[r.loaded.count.Load()-1].Load())
		s := a.states.at(place)
		if phase(s.Load()&phaseMask) != cached {
			return 0
		}
		b := a.nextBlock(place, s.Load(), class, 0, 0)
		s.Store(b.state(live))
		r.loaded.drop()
		a.count(class, 0, 0, 1)
		return b
	}))
}

// TestExploreFrozen has two threads use at most one block each at a time, and stops each thread for
// good at each of its steps: the other thread must get the other block of two, whatever is cached
// where.
func TestExploreFrozen(t *testing.T) {
	explore.Freeze(t, stands(false))
}

// TestExploreFrozenControl has the two threads take a lock for the arena.
func TestExploreFrozenControl(t *testing.T) {
	explore.MustBlock(t, stands(true))
}

func stands(locking bool) func(r *explore.Run) {
	return func(r *explore.Run) {
		o := newOwners(explored(4096, 2048, 2))
		x, y := o.alloc(r, "setup", 2048), o.alloc(r, "setup", 2048)
		o.free(x)
		o.free(y)
		var lock atomics.Uint32
		for _, who := range []string{"stands", "goes on"} {
			r.Go(who, func() {
				for range 2 {
					for locking && !lock.CompareAndSwap(0, 1) {
						memory.SpinOnce()
					}
					b := o.alloc(r, who, 2048)
					if b == 0 {
						r.Failf("there are two blocks, of which the other thread has one at most, and %s gets none", who)
					}
					o.free(b)
					if locking {
						lock.Store(0)
					}
				}
			})
		}
	}
}

// TestExploreFrozenLarge has three threads use operations of all kinds, and stops each thread for
// good at each of its steps.
func TestExploreFrozenLarge(t *testing.T) {
	explore.Freeze(t, func(r *explore.Run) {
		o := newOwners(explored(16384, 2048, 2))
		for _, who := range []string{"X", "Y"} {
			r.Go(who, func() {
				b := o.alloc(r, who, 2048)
				c := o.alloc(r, who, 2000)
				if b == 0 || c == 0 {
					return
				}
				o.gone(b)
				if next, err := o.a.Resize(b, 4096); err == nil {
					b = next
				}
				o.got(r, who, b)
				o.free(c)
				o.free(b)
			})
		}
		r.Go("trims", func() { o.a.Trim() })
	})
}

// TestExploreResize has a thread resize its block while another allocates around it.
func TestExploreResize(t *testing.T) {
	for _, sizes := range [][2]int{{2048, 4096}, {4096, 2048}, {2048, 8192}, {2048, 2000}} {
		t.Run(fmt.Sprintf("%d→%d", sizes[0], sizes[1]), func(t *testing.T) {
			explore.Exhaustive(t, 2, func(r *explore.Run) {
				o := newOwners(explored(8192, 2048, 2))
				b := o.alloc(r, "setup", sizes[0])
				o.a.Bytes(b)[1999] = 77
				var next, other Block
				resized := false
				r.Go("resizes", func() {
					o.gone(b) // no other thread may get it; the byte 77 tells
					var err error
					if panics(func() { next, err = o.a.Resize(b, sizes[1]) }) {
						return
					}
					resized = err == nil
					if o.got(r, "resizes", next); o.a.Bytes(next)[1999] != 77 {
						r.Failf("the contents are lost")
					}
				})
				r.Go("allocates", func() {
					if other = o.alloc(r, "allocates", 2048); other != 0 {
						clear(o.a.Bytes(other))
					}
				})
				r.After(func() {
					if resized != (next != b) {
						r.Failf("Resize returned %v for %v", next, b)
					}
					if resized && !panics(func() { o.a.Free(b) }) {
						r.Failf("the block from before the resize could be freed")
					}
					o.free(next)
					o.free(other)
					o.whole(r)
				})
			})
		})
	}
}

// TestExploreResizeTwice has one thread resize the block that another frees: one of the two is
// refused, and no other memory is touched.
func TestExploreResizeTwice(t *testing.T) {
	explore.Exhaustive(t, 2, func(r *explore.Run) {
		o := newOwners(explored(8192, 2048, 2))
		b := o.alloc(r, "setup", 2048)
		o.gone(b)
		var next Block
		done := 0
		r.Go("resizes", func() {
			if !panics(func() { next, _ = o.a.Resize(b, 4096) }) {
				done++
			}
		})
		r.Go("frees", func() {
			if !panics(func() { o.a.Free(b) }) {
				done++
			}
		})
		r.After(func() {
			if done != 1 {
				r.Failf("%d of a Resize and a Free of one block were done", done)
			}
			if next != 0 {
				o.a.Free(next)
			}
			o.whole(r)
		})
	})
}

// trimmed has a thread write to blocks that it allocates, while another gives free pages back to
// the system.
func trimmed(trim func(a *Arena)) func(r *explore.Run) {
	return func(r *explore.Run) {
		o := newOwners(explored(8192, 4096, 2))
		b := o.alloc(r, "setup", 8192)
		for i := range o.a.Bytes(b) {
			o.a.Bytes(b)[i] = 99
		}
		o.free(b)
		r.Go("trims", func() { trim(o.a) })
		r.Go("writes", func() {
			for range 2 {
				b, err := o.a.AllocZero(4096)
				if err != nil {
					continue // Trim has it
				}
				o.got(r, "writes", b)
				bytes := o.a.Bytes(b)
				for _, i := range []int{0, 4095} {
					if bytes[i] != 0 {
						r.Failf("byte %d of a block that should be zero is %d", i, bytes[i])
					}
					bytes[i] = 1
				}
				o.a.pages.touched[0].Or(0) // a step, before which the other thread may run
				if bytes[0] != 1 || bytes[4095] != 1 {
					r.Failf("what was written is lost")
				}
				o.free(b)
			}
		})
		r.After(func() { o.whole(r) })
	}
}

// TestExploreTrim trims while others write.
func TestExploreTrim(t *testing.T) {
	explore.Exhaustive(t, 2, trimmed(func(a *Arena) { a.Trim() }))
}

// TestExploreTrimControl gives back pages that are free at one instant and may be allocated at the
// next.
func TestExploreTrimControl(t *testing.T) {
	explore.MustFail(t, 2, trimmed(func(a *Arena) {
		if order, ok := a.space.Largest(); ok && order == 13 {
			a.decommitPages(0, 8192)
		}
	}))
}

// visible has a thread free a block. Another thread that sees the block cached must get it.
func visible(free func(a *Arena, b Block)) func(r *explore.Run) {
	return func(r *explore.Run) {
		o := newOwners(explored(4096, 2048, 2))
		x, y := o.alloc(r, "setup", 2048), o.alloc(r, "setup", 2048)
		o.gone(x)
		var z Block
		r.Go("frees", func() { free(o.a, x) })
		r.Go("looks", func() {
			if phase(o.a.states.at(x.place()).Load()&phaseMask) == cached {
				if z = o.alloc(r, "looks", 2048); z == 0 {
					r.Failf("a block is cached, and there is no memory")
				}
			}
		})
		r.After(func() {
			o.free(y)
			o.free(z)
			o.whole(r)
		})
	}
}

// TestExploreVisible holds that a cached block can be found at once.
func TestExploreVisible(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, visible((*Arena).Free))
}

// TestExploreVisibleControl makes a block cached and shows its hint afterwards: a thread that stops
// in between takes the block along.
func TestExploreVisibleControl(t *testing.T) {
	explore.MustFail(t, 2, visible(func(a *Arena, b Block) {
		s := a.stateOf("Free", b)
		if !s.CompareAndSwap(b.state(live), b.state(cached)) {
			a.misuse("Free", b)
		}
		m := a.depots[b.class()].emptyMagazine()
		m.push(b.place())
		a.count(b.class(), b.fill(), b.tag(), -1)
		a.putMagazine(b.class(), m)
	}))
}
