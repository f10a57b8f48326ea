//go:build explore

package buddy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// A play lists the calls of threads on a space with a number of leaves of order 0. Each letter of a
// thread is a call:
//
//	0 to 9   takes a block of that order
//	f        gives back the block that the thread has had longest
//	o        gives back the oldest block that was taken before the threads began and is not
//	         given back yet
//	g        grows the block it took last
//	s        shrinks it, by one order
//	S        shrinks it to a leaf
//	a        takes three leaves at once
//	r        takes four blocks of order 4 at once, as a run where a chunk and its leaves are
//	         on two levels
//	T        takes the first leaf
//	t        takes a free block of any order, as for trimming
//	l        asks for the largest block
type play struct {
	leaves  uint64
	before  string // orders of the blocks taken before
	threads string // calls, a thread each, separated by spaces
}

// stage is one execution of a play. The leaves have owners, as plain fields: two blocks that
// overlap are a data race, or one thread sees the other's mark.
type stage struct {
	r      *explore.Run
	s      *Space
	leaves []atomics.Plain[int]
	old    []Block
	given  atomics.Uint32 // of the old ones
}

func (c *stage) mark(b Block, from, to int) {
	for i := b.Offset; i < b.End(); i++ {
		if got := c.leaves[i].Get(); got != from {
			c.r.Failf("leaf %d of %v belongs to %d, not to %d", i, b, got, from)
		}
		c.leaves[i].Set(to)
	}
}

// actor is a thread of a play.
type actor struct {
	*stage
	me   int
	live []Block
	give func(s *Space, offset uint64, order uint) bool // Free
	take func(s *Space, order uint) (uint64, bool)      // Alloc

	several func(s *Space, order uint, offsets []uint64) int // AllocSome
}

func (a *actor) took(b Block) {
	a.mark(b, 0, a.me)
	a.live = append(a.live, b)
}

func (a *actor) back(b Block, from int) {
	a.mark(b, from, 0)
	if !a.give(a.s, b.Offset, b.Order) {
		a.r.Failf("%v cannot be given back", b)
	}
}

func (a *actor) do(call rune) {
	last := len(a.live) - 1
	switch call {
	case 'f':
		if last >= 0 {
			b := a.live[0]
			a.live = a.live[1:]
			a.back(b, a.me)
		}
	case 'o':
		if k := int(a.given.Add(1)) - 1; k < len(a.old) {
			a.back(a.old[k], -1)
		}
	case 'g':
		if last >= 0 && a.s.Grow(a.live[last].Offset, a.live[last].Order) {
			a.mark(Block{a.live[last].End(), a.live[last].Order, Handed}, 0, a.me)
			a.live[last].Order++
		}
	case 's', 'S':
		if last < 0 || a.live[last].Order == 0 {
			return
		}
		b, to := a.live[last], a.live[last].Order-1
		if call == 'S' {
			to = 0
		}
		a.live[last].Order = to
		for at := a.live[last].End(); at < b.End(); at++ {
			a.mark(Block{at, 0, Handed}, a.me, 0)
		}
		if !a.s.Shrink(b.Offset, b.Order, to) {
			a.r.Failf("%v cannot be shrunk to order %d", b, to)
		}
	case 't':
		if offset, order, ok := a.s.TakeFree(0, 0, 10); ok {
			a.took(Block{offset, order, Handed})
		}
	case 'a':
		a.some(0, 3)
	case 'r':
		a.some(4, 4)
	case 'T':
		if a.s.Take(0, 0) {
			a.took(Block{0, 0, Handed})
		}
	case 'l':
		a.s.Largest()
	default:
		order := uint(call - '0')
		if offset, ok := a.take(a.s, order); ok {
			a.took(Block{offset, order, Handed})
		}
	}
}

// some takes several blocks at once.
func (a *actor) some(order uint, n int) {
	offsets := make([]uint64, n)
	for _, offset := range offsets[:a.several(a.s, order, offsets)] {
		a.took(Block{offset, order, Handed})
	}
}

// run returns the explored body: the threads make their calls; when all have ended, every block is
// given back, and the space must be as new.
func (p play) run(variant func(a *actor)) func(r *explore.Run) {
	return func(r *explore.Run) {
		c := &stage{r: r, s: New(p.leaves, 0), leaves: make([]atomics.Plain[int], p.leaves)}
		for _, order := range p.before {
			offset, ok := c.s.Alloc(uint(order - '0'))
			if !ok {
				r.Failf("no room for what comes before")
			}
			b := Block{offset, uint(order - '0'), Handed}
			c.mark(b, 0, -1)
			c.old = append(c.old, b)
		}
		var actors []*actor
		for i, calls := range strings.Fields(p.threads) {
			a := &actor{stage: c, me: i + 1, give: (*Space).Free, take: (*Space).Alloc, several: (*Space).AllocSome}
			if variant != nil {
				variant(a)
			}
			actors = append(actors, a)
			r.Go(fmt.Sprintf("%c (%s)", 'A'+i, calls), func() {
				for _, call := range calls {
					a.do(call)
				}
			})
		}
		r.After(func() {
			c.found()
			for k := int(c.given.Load()); k < len(c.old); k++ {
				c.mark(c.old[k], -1, 0)
				if !c.s.Free(c.old[k].Offset, c.old[k].Order) {
					r.Failf("%v, from before, cannot be given back", c.old[k])
				}
			}
			for _, a := range actors {
				for _, b := range a.live {
					c.mark(b, a.me, 0)
					if !c.s.Free(b.Offset, b.Order) {
						r.Failf("%v cannot be given back at the end", b)
					}
				}
			}
			c.whole()
		})
	}
}

// found checks that Alloc finds a block of each order that exists, and of no other, wherever it
// begins to look.
func (c *stage) found() {
	largest := -1
	for b := range c.s.All() {
		if b.State == Changing {
			c.r.Failf("%v has not changed at the end", b)
		}
		if b.State == Free {
			largest = max(largest, int(b.Order))
		}
	}
	for _, first := range []bool{false, true} { // blocks that are found by a guess are listed again
		for order := range c.s.most + 2 {
			c.guess(first)
			offset, ok := c.s.Alloc(order)
			if ok != (int(order) <= largest) {
				c.r.Failf("at rest Alloc(%d) says %v; the largest free block is of order %d", order, ok, largest)
			}
			if ok {
				c.s.Free(offset, order)
			}
		}
	}
}

// guess makes the code that runs alone at the end, on lane 0, guess that the first, or the last,
// chunk has a free block.
func (c *stage) guess(first bool) {
	for order := range c.s.most + 1 {
		number, _ := c.s.levelOf(order)
		chunk := 0
		if !first {
			chunk = len(c.s.levels[number].words) - 1
		}
		for k := range recents {
			c.s.lanes[0].orders[order].recent.chunks[k].Store(uint64(chunk) + 1)
		}
	}
}

// whole checks that the space is as it was when it was new, and that Alloc finds all of it, largest
// blocks first.
func (c *stage) whole() {
	all := slices.Collect(c.s.All())
	if want := slices.Collect(New(c.s.Size(), 0).All()); !slices.Equal(all, want) {
		c.r.Failf("the blocks are %v at the end, not %v", all, want)
	}
	if free := c.s.FreeBytes(); free != c.s.Size() {
		c.r.Failf("%d bytes are free at the end", free)
	}
	slices.SortFunc(all, func(a, b Block) int { return int(b.Order) - int(a.Order) })
	for _, b := range all {
		if _, ok := c.s.Alloc(b.Order); !ok {
			c.r.Failf("no block of order %d is found at the end", b.Order)
		}
	}
}

// Spaces: of one word; of two levels, where a chunk has 32 leaves; of two levels with a chunk in
// part; of three, where two chunks of chunks have 512 leaves each.
var plays = []struct {
	name        string
	preemptions int
	play
}{
	{"alloc and alloc in one word", explore.Unbounded, play{4, "", "0 0"}},
	{"alloc and alloc of different orders", explore.Unbounded, play{8, "", "00 1"}},
	{"the last block", explore.Unbounded, play{4, "10", "0 0"}},
	{"alloc and free of buddies", explore.Unbounded, play{4, "00", "o 0f"}},
	{"two frees that coalesce", explore.Unbounded, play{4, "00", "o o"}},
	{"three frees that coalesce", explore.Unbounded, play{4, "000", "o o o"}},
	{"split against coalesce", explore.Unbounded, play{4, "00", "oo 1f"}},
	{"grow against alloc", explore.Unbounded, play{8, "", "0gg 0f"}},
	{"shrink against alloc", explore.Unbounded, play{8, "", "3Sf 0f"}},

	{"two chunks are opened", 4, play{64, "", "0f 0f"}},
	{"a chunk closes while another allocs", 5, play{64, "0", "o 0"}},
	{"a chunk closes while another frees", explore.Unbounded, play{64, "00", "o o"}},
	{"a chunk closes, and opens again", 3, play{64, "0", "o0f 0f"}},
	{"a chunk is opened while all of it is asked for", 4, play{64, "5", "0f 5f"}},
	{"a chunk is opened while the space is asked for", 4, play{64, "", "0f 6f"}},
	{"three and one chunk", 2, play{32 + 3, "5", "0f 0f 1f"}},
	{"grow to a chunk and beyond", 4, play{64, "", "4gg 4f"}},
	{"grow while the buddy goes", 5, play{64, "44", "o 4gf"}},
	{"shrink a chunk and beyond", 4, play{64, "", "6Sf 0f"}},
	{"shrink while another allocs", 5, play{64, "5", "5s 4f"}},
	{"a chunk in part", 4, play{48, "", "0f 4f"}},
	{"trim against alloc", 4, play{64, "", "tf 0f"}},
	{"trim against free", 4, play{64, "04", "t oo"}},
	{"several at once", explore.Unbounded, play{8, "", "aff 1f"}},
	{"several at once of a chunk that closes", 3, play{64, "05", "o af"}},
	{"runs of two threads", 3, play{1024, "", "aff aff"}},
	{"a run in a region where another allocs", 3, play{1024, "", "aa 00f"}},
	{"a run while its region is asked for", 3, play{1024, "9", "af 9f"}},
	{"a run of chunks", 3, play{4096, "", "rff 0f"}},
	{"a run of chunks and a chunk that closes", 3, play{4096, "0", "rf o4f"}},
	{"a particular block against any", 4, play{64, "", "Tf 0f"}},
	{"a particular block while its chunk closes", 4, play{64, "00", "oo TfT"}},
	{"the only free block", 5, play{64, "445", "o 4"}},
	{"the only free chunk", 4, play{1024, "9444444444444444", "o 4f 0f"}},
	{"largest", 4, play{96, "4", "l o"}},

	{"three levels open", 2, play{1024, "", "0f 0f"}},
	{"three levels close", 4, play{1024, "0", "o 0f"}},
	{"three levels close together", 5, play{1024, "00", "o o"}},
	{"three levels, grow and shrink", 3, play{1024, "", "9gSf 0f"}},
}

// TestExplore runs plays through all interleavings.
func TestExplore(t *testing.T) {
	for _, p := range plays {
		t.Run(strings.ReplaceAll(p.name, " ", "_"), func(t *testing.T) { explore.Exhaustive(t, p.preemptions, p.run(nil)) })
	}
}

// TestExploreRandom runs larger plays.
func TestExploreRandom(t *testing.T) {
	for _, p := range []play{
		{8, "", "0f1f00ff 1f0f 01ff 0gf"},
		{64, "0", "o0f5f 05ff 4ggf t"},
		{96, "05", "oo0f 0gfl 5S0ff"},
		{96, "0", "oafff TfTf a5fff"},
		{1024, "0", "o0f9f 9Sf 0f tf"},
		{4096, "0", "oraff raff aarff 6f0f"},
	} {
		t.Run(strings.ReplaceAll(p.threads, " ", "-"), func(t *testing.T) { explore.Random(t, 2000, p.run(nil)) })
	}
}

// TestExploreFrozen stops each thread for good at each of its steps: the others end.
func TestExploreFrozen(t *testing.T) {
	for _, p := range []play{
		{4, "00", "o0f 1f o"},
		{64, "0", "o0f 05ff 4gg"},
		{64, "", "6Sf 0f tf"},
		{1024, "0", "o 0f 9gf"},
		{4096, "0", "or raf 0f"},
	} {
		t.Run(strings.ReplaceAll(p.threads, " ", "-"), func(t *testing.T) { explore.Freeze(t, p.run(nil)) })
	}
}
