package buddy

import (
	"math/bits"
	"slices"
	"testing"
)

// TestRuns has blocks of all orders handed out several at a time, in spaces with room for runs. The
// blocks lie side by side, each is a block of its own, and they come back one by one until the
// space is whole.
func TestRuns(t *testing.T) {
	for _, least := range []uint{0, 5} {
		for size := uint(12); size <= 20; size++ {
			for order := least; order < size; order++ {
				for log := uint(1); log <= 5; log++ {
					s := New(1<<size, least)
					offsets := make([]uint64, 1<<log)
					if order+log > s.region || s.AllocSome(order, offsets) != len(offsets) {
						continue
					}
					for i, offset := range offsets {
						if want := offsets[0] + uint64(i)<<order; offset != want || offsets[0]&(1<<(order+log)-1) != 0 {
							t.Fatalf("%d blocks of order %d, of %d: number %d is at %#x, not %#x", len(offsets), order, size, i, offset, want)
						}
						if b := s.At(offset); b != (Block{offset, order, Handed}) {
							t.Fatalf("%d blocks of order %d, of %d: at %#x there is %v", len(offsets), order, size, offset, b)
						}
					}
					if s.Free(offsets[0], order+log) || s.Free(offsets[0], order+1) {
						t.Fatalf("%d blocks of order %d, of %d: several were taken back as one", len(offsets), order, size)
					}
					if free := s.FreeBytes(); free != 1<<size-1<<(order+log) || s.HandedOut(order) != 1<<log || s.HandedOut(order+log) != 0 {
						t.Fatalf("%d blocks of order %d, of %d: %d bytes are free, %d blocks are handed out, and %d runs", len(offsets), order, size, free, s.HandedOut(order), s.HandedOut(order+log))
					}
					for _, offset := range offsets {
						if !s.Free(offset, order) {
							t.Fatalf("%d blocks of order %d, of %d: %#x cannot be given back", len(offsets), order, size, offset)
						}
					}
					if got, want := slices.Collect(s.All()), slices.Collect(New(1<<size, least).All()); !slices.Equal(got, want) {
						t.Fatalf("%d blocks of order %d, of %d: in the end there are %v", len(offsets), order, size, got)
					}
				}
			}
		}
	}
}

// TestRunsLieApart has two processors take runs in turns: each goes through regions of its own,
// from one end to the other, and uses all of them.
func TestRunsLieApart(t *testing.T) {
	s := New(1<<26, 5)
	const order, log = 10, 4
	regions := [2]map[uint64]int{{}, {}}
	last := [2]uint64{}
	for i := range 64 {
		lane := i % 2
		offset, ok := s.allocRun(&s.lanes[lane], order, order+log)
		if !ok {
			t.Fatalf("run %d: there is none", i)
		}
		region := offset >> s.region
		if last[lane]>>s.region == region && regions[lane][region] > 0 && offset != last[lane]+1<<(order+log) {
			t.Errorf("run %d: after %#x processor %d gets %#x", i, last[lane], lane, offset)
		}
		last[lane] = offset
		regions[lane][region]++
		if n := regions[1-lane][region]; n > 0 {
			t.Errorf("run %d: processors share the region at %#x", i, region<<s.region)
		}
	}
	for lane, of := range regions {
		if want := 32 >> (s.region - order - log); len(of) > max(1, want) {
			t.Errorf("processor %d has begun %d regions for 32 runs", lane, len(of))
		}
	}
}

// TestRunsUseWhatIsLeft has the space in use except for blocks that lie apart: these are handed
// out, several at a time, and none is missed.
func TestRunsUseWhatIsLeft(t *testing.T) {
	const size, least, order = 20, 5, 7
	s := New(1<<size, least)
	all := make([]uint64, 1<<(size-order))
	if n := s.AllocSome(order, all); n != len(all) {
		t.Fatalf("%d of %d blocks", n, len(all))
	}
	holes := 0
	for i, offset := range all {
		if bits.OnesCount(uint(i))%2 == 0 { // nowhere more than two side by side
			s.Free(offset, order)
			holes++
		}
	}
	got := 0
	for {
		var offsets [16]uint64
		n := s.AllocSome(order, offsets[:])
		if got += n; n < len(offsets) {
			break
		}
	}
	if got != holes || s.FreeBytes() != 0 {
		t.Errorf("%d of %d blocks were found, and %d bytes are left", got, holes, s.FreeBytes())
	}
}
