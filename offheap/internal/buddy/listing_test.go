package buddy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// TestListing compares a listing with a sorted slice.
func TestListing(t *testing.T) {
	random := rand.New(rand.NewPCG(replay.Seed(t), 2))
	for _, limit := range []int{1, 2, 63, 64, 65, 4096, 4097, 300_000} {
		l := newListing(limit)
		var in []int
		for range 2000 {
			i := random.IntN(limit)
			if random.IntN(4) == 0 {
				i = min(limit-1, random.IntN(130))
			}
			at, found := slices.BinarySearch(in, i)
			switch random.IntN(3) {
			case 0:
				l.insert(i)
				if !found {
					in = slices.Insert(in, at, i)
				}
			case 1:
				l.remove(i)
				if found {
					in = slices.Delete(in, at, at+1)
				}
			default:
				got, ok := l.next(i)
				if ok != (at < len(in)) || ok && got != in[at] {
					t.Fatalf("limit %d: next(%d) = %d, %v; the set is %v", limit, i, got, ok, in)
				}
			}
		}
		if _, ok := l.next(limit); ok {
			t.Errorf("limit %d: there is something at the limit", limit)
		}
	}
}
