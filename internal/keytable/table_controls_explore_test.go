//go:build explore

package keytable

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// halves returns the two parts of a bucket that moves from slot i of l to n.
func halves(b *bucket, n *level) (low, high *place) {
	var parts [2]maker
	for ; b != nil; b = b.next() {
		for i := range b.len() {
			e := *b.at(i)
			parts[spread((*Entry[int])(e).Key)>>(n.shift&63)&1].add(b.tag(i), e)
		}
	}
	return placeOf(parts[0].bucket()), placeOf(parts[1].bucket())
}

// splitBy is split, with what a control does in place of freezing a slot, of filling one, and of
// leaving one.
func splitBy(
	freeze func(*atomics.Pointer[place]) *place,
	fill func(s *atomics.Pointer[place], p *place),
	late bool, // leave the old slot when the new ones are filled
) func(*Table[int]) *hooks[int] {
	return func(t *Table[int]) *hooks[int] {
		return &hooks[int]{hash: spread, move: func(l, n *level, i int) {
			if l.shift < n.shift {
				t.merge(l, n, i)
				return
			}
			s := &l.slots[i]
			p := freeze(s)
			if p == gone {
				return
			}
			low, high := halves(p.bucket(), n)
			if !late {
				leave(s, p)
			}
			fill(&n.slots[2*i], low)
			fill(&n.slots[2*i+1], high)
			leave(s, p)
		}}
	}
}

// mergeBy is merge with another way to freeze the second slot.
func mergeBy(second func(*atomics.Pointer[place]) *place) func(*Table[int]) *hooks[int] {
	return func(t *Table[int]) *hooks[int] {
		return &hooks[int]{hash: spread, move: func(l, n *level, i int) {
			if l.shift > n.shift {
				t.split(l, n, i)
				return
			}
			lows, highs := &l.slots[2*i], &l.slots[2*i+1]
			low, high := frozen(lows), second(highs)
			if low != gone && high != gone {
				fillNil(&n.slots[i], placeOf(joined(low.bucket(), high.bucket())))
			}
			leave(lows, low)
			leave(highs, high)
		}}
	}
}

func fillNil(s *atomics.Pointer[place], p *place) { s.CompareAndSwap(nil, p) }

func look(s *atomics.Pointer[place]) *place { return s.Load() }

// TestExploreTableControl seeds bugs, each of which must be found; the same programs find none in
// the moves as they are, made of the same parts.
func TestExploreTableControl(t *testing.T) {
	for _, c := range []struct {
		name    string
		more    int
		threads string
		test    func(*Table[int]) *hooks[int]
	}{
		{"a slot is split that is not frozen", 0, "d g4d", splitBy(look, fillNil, true)},
		{"a new slot is filled again by a late call", 1, "d 1s", splitBy(frozen, func(s *atomics.Pointer[place], p *place) { s.Store(p) }, true)},
		{"an empty new slot is taken for one that is not filled", 1, "4s d4d", splitBy(frozen, func(s *atomics.Pointer[place], p *place) {
			if !s.CompareAndSwap(nil, p) {
				s.CompareAndSwap(placeOf(&none), p)
			}
		}, true)},
		{"an old slot is left before the new ones are filled", 1, "d 4l", splitBy(frozen, fillNil, false)},
		{"one of two slots is merged that is not frozen", 0, "1d h4d", mergeBy(look)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var j judge
			explore.MustFail(t, 2, play{more: c.more, threads: c.threads, test: c.test}.program(&j))
		})
	}
	for name, test := range map[string]func(*Table[int]) *hooks[int]{"split": splitBy(frozen, fillNil, true), "merge": mergeBy(frozen)} {
		t.Run(name, func(t *testing.T) {
			for _, p := range []play{{0, "d g4d", test}, {1, "d 1s", test}, {1, "4s d4d", test}, {1, "d 4l", test}, {0, "1d h4d", test}} {
				var j judge
				explore.Exhaustive(t, 2, p.program(&j))
			}
		})
	}
}
