//go:build explore

package buddy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// freeBy is Free with one step of its own, so that a control can get it wrong: step takes node n of
// chunk i back, as giveBack does.
func freeBy(step func(s *Space, number, i int, n uint, chunk bool) (left uint64, ok bool)) func(s *Space, offset uint64, order uint) bool {
	return func(s *Space, offset uint64, order uint) bool {
		number, _ := s.inside(offset, order)
		i, n := s.levels[number].place(offset, order)
		for chunk := false; ; chunk = true {
			left, ok := step(s, number, i, n, chunk)
			if !ok || left != 0 || s.levels[number].top {
				s.levels[number].list(i, left)
				s.count(order, -1)
				return ok
			}
			number, i, n = number+1, i/fan, uint(fan+i%fan)
		}
	}
}

// takeBy is Alloc in a space of one word, by a function that says what the word becomes.
func takeBy(taken func(w uint64, n uint) uint64) func(s *Space, order uint) (uint64, bool) {
	return func(s *Space, order uint) (uint64, bool) {
		l := &s.levels[0]
		for {
			w := l.words[0].Load()
			n, ok := fitting(l.free(w), 0, l.depth(order), false)
			if !ok {
				return 0, false
			}
			if l.words[0].CompareAndSwap(w, taken(w, n)) {
				s.count(order, 1)
				return l.offset(0, n), true
			}
		}
	}
}

// TestExploreControls seeds bugs, each of which must be found.
func TestExploreControls(t *testing.T) {
	for _, c := range []struct {
		name string
		play
		variant func(a *actor)
		finds   string // one of these, separated by |
	}{
		{
			name: "coalescing ignores what is split meanwhile", play: play{4, "00", "oo 0f"}, finds: "belongs to|data race|cannot be given back|the blocks are",
			variant: func(a *actor) {
				a.give = freeBy(func(s *Space, number, i int, n uint, chunk bool) (uint64, bool) {
					word := &s.levels[number].words[i]
					left := without(word.Load(), n)
					word.Store(left)
					return left, true
				})
			},
		},
		{
			name: "a chunk is closed without a look whether it is still empty", play: play{64, "0", "o 0f"}, finds: "belongs to|data race|cannot be given back|corrupt",
			variant: func(a *actor) {
				a.give = freeBy(func(s *Space, number, i int, n uint, chunk bool) (uint64, bool) {
					l := &s.levels[number]
					if w := l.words[i].Load(); !chunk && without(w, n) == 0 {
						l.words[i].Store(0)
						return 0, true
					}
					return l.giveBack(i, n, chunk)
				})
			},
		},
		{
			name: "a chunk is given to the level above before it is closed", play: play{64, "0", "o 05ff"}, finds: "belongs to|data race|cannot be given back|corrupt|the blocks are",
			variant: func(a *actor) {
				a.give = freeBy(func(s *Space, number, i int, n uint, chunk bool) (uint64, bool) {
					l := &s.levels[number]
					if w := l.words[i].Load(); number == 0 && without(w, n) == 0 {
						s.levels[1].giveBack(i/fan, uint(fan+i%fan), true)
						_, ok := l.giveBack(i, n, chunk)
						return 1, ok
					}
					return l.giveBack(i, n, chunk)
				})
			},
		},
		{
			name: "a bit is missing on the way up", play: play{8, "", "0f 2f"}, finds: "belongs to|data race",
			variant: func(a *actor) {
				a.take = takeBy(func(w uint64, n uint) uint64 {
					return w | bit(n) | bit(n>>1) // and no further
				})
			},
		},
		{
			name: "one level too few coalesces", play: play{8, "", "0f 0f"}, finds: "the blocks are",
			variant: func(a *actor) {
				a.give = freeBy(func(s *Space, number, i int, n uint, _ bool) (uint64, bool) {
					word := &s.levels[number].words[i]
					for {
						w := word.Load()
						left := w &^ bit(n)
						if !isSet(left, n^1) {
							left &^= bit(n >> 1)
						}
						if word.CompareAndSwap(w, left) {
							return left, true
						}
					}
				})
			},
		},
		{
			name: "a run is divided by a store", play: play{1024, "", "a 0f"}, finds: "belongs to|data race|cannot be given back|corrupt|the blocks are",
			variant: func(a *actor) {
				a.several = func(s *Space, order uint, offsets []uint64) int {
					run := order + 1
					number, _ := s.levelOf(s.region)
					offset, ok := s.alloc(s.lane(), run, s.region, number)
					if !ok {
						return 0
					}
					l := &s.levels[0]
					i, n := l.place(offset, run)
					l.words[i].Store(l.words[i].Load() | l.all(n, order))
					offsets[0], offsets[1] = offset, offset+1<<order
					s.count(run, -1)
					s.count(order, 2)
					return 2
				}
			},
		},
		{
			name: "a chunk is taken off a list without another look", play: play{64, "445", "o 4"}, finds: "at rest Alloc",
			variant: func(a *actor) {
				a.take = func(s *Space, order uint) (uint64, bool) {
					l := &s.levels[0]
					for class := order; class < l.leafDepth; class++ {
						for i, ok := l.listed[class].next(0); ok; i, ok = l.listed[class].next(i + 1) {
							if n, ok := l.take(i, 0, want{l.depth(order), order}, false); ok {
								s.count(order, 1)
								return l.offset(i, n), true
							}
							l.listed[class].remove(i)
						}
					}
					return 0, false
				}
			},
		},
		{
			name: "a chunk is listed before it has something", play: play{64, "445", "o 4"}, finds: "at rest Alloc",
			variant: func(a *actor) {
				a.give = func(s *Space, offset uint64, order uint) bool {
					l := &s.levels[0]
					i, n := l.place(offset, order)
					l.list(i, without(l.words[i].Load(), n))
					_, ok := l.giveBack(i, n, false)
					s.count(order, -1)
					return ok
				}
			},
		},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			explore.Exhaustive(t, 3, c.run(nil)) // without the bug nothing is found
			f := explore.MustFail(t, 3, c.run(c.variant))
			for _, text := range strings.Split(c.finds, "|") {
				if strings.Contains(f.Error(), text) {
					return
				}
			}
			t.Errorf("what was found is something else: %v", f.Err)
		})
	}
}

// TestExploreListing has two threads put a number, and its neighbour in the same word, onto a list
// and take them off, as chunks come and go. It holds that the numbers that are there at the end are
// found. The row above could hide them.
func TestExploreListing(t *testing.T) {
	there := func(remove func(l *listing, i int)) func(r *explore.Run) {
		return func(r *explore.Run) {
			l := newListing(64 * 64 * 2)
			l.insert(64)
			r.Go("off", func() { remove(&l, 64) })
			r.Go("on", func() { l.insert(65) })
			r.Go("far", func() { l.insert(64 * 70); remove(&l, 64*70) })
			r.After(func() {
				found := ""
				for i, ok := l.next(0); ok; i, ok = l.next(i + 1) {
					found += fmt.Sprint(" ", i)
				}
				if found != " 65" {
					r.Failf("found%s, not 65", found)
				}
			})
		}
	}
	explore.Exhaustive(t, 3, there((*listing).remove))
	explore.Freeze(t, there((*listing).remove))
	// The control: no second look at the row below.
	explore.MustFail(t, 3, there(func(l *listing, i int) {
		for row := range l.rows {
			mask := uint64(1) << (i & 63)
			if l.rows[row][i>>6].And(^mask)&^mask != 0 {
				return
			}
			i >>= 6
		}
	}))
}
