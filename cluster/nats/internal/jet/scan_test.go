package jet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPages holds that the pages of subjects, which come and go meanwhile, have each one once that
// is there all the time.
func TestPages(t *testing.T) {
	t.Parallel()
	const size = 4 * overlap
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		stays := map[string]bool{}
		var there []string
		for n := range 3 * size {
			subject := fmt.Sprintf("%06d", n)
			stays[subject] = random.IntN(2) == 0
			if stays[subject] || random.IntN(2) == 0 {
				there = append(there, subject)
			}
		}
		var p pages
		asked := 0
		for offset, more := 0, true; more; asked++ {
			if asked > 100 {
				t.Fatal("it does not end")
			}
			at := min(offset, len(there))
			page := there[at:min(at+size, len(there))]
			offset, more = p.add(offset, len(there), page)
			there = slices.DeleteFunc(slices.Clone(there), func(subject string) bool { return !stays[subject] && random.IntN(2) == 0 })
			for range random.IntN(size) {
				subject := fmt.Sprintf("%06d", random.IntN(3*size))
				if at, found := slices.BinarySearch(there, subject); !found {
					there = slices.Insert(there, at, subject)
				}
			}
		}
		if asked < 2 || !slices.IsSorted(p.subjects) || len(slices.Compact(slices.Clone(p.subjects))) != len(p.subjects) {
			t.Fatalf("%d pages have %d subjects, some twice, or in no order", asked, len(p.subjects))
		}
		for subject, all := range stays {
			if _, found := slices.BinarySearch(p.subjects, subject); all && !found {
				t.Fatalf("%s was there for the whole time, and is in none of %d pages", subject, asked)
			}
		}
	}
	var none pages
	if _, more := none.add(0, 0, nil); more || len(none.subjects) > 0 {
		t.Errorf("without subjects: %v, %v", more, none.subjects)
	}
}
