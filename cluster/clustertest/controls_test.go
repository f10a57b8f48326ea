package clustertest

import "testing"

// flaws are all that may be wrong with a disk.
var flaws = map[string]flaw{
	"answers before the write":                tellsEarly,
	"removes what was told before its effect": removesEarly,
	"forgets the outbox at a crash":           forgets,
	"delivers twice":                          duplicates,
	"a message overtakes in its unit":         overtakes,
	"loses a write that it has told":          loses,
	"writes take effect out of order":         disorders,
	"half a write at a crash":                 halves,
	"makes a write that has failed":           resurrects,
	"does not record a failure":               omits,
	"reads what was overwritten":              stale,
}

// TestControls holds that the simulation finds each flaw within the usual number of schedules, and
// that it finds it again by the seed.
func TestControls(t *testing.T) {
	for name, is := range flaws {
		t.Run(name, func(t *testing.T) {
			x := newSearch(t, Options{Seeds: usualSeeds, conduct: newFlawed(is)}, runBooks)
			for seed := range uint64(x.options.Seeds) {
				s := x.run(seed, &plan{}, false)
				if !s.recorder.failed {
					continue
				}
				if again := x.run(seed, &plan{}, false); again.trace.sum != s.trace.sum || !again.recorder.failed {
					t.Errorf("seed %d fails, and does not fail again", seed)
				}
				small := x.shrink(s)
				t.Logf("seed %d, with %d lives and %d faults; smaller: %d and %d: %s", seed, s.number, len(s.faults), small.number, len(small.faults), small.recorder.said[0])
				return
			}
			t.Error("it is not found")
		})
	}
}
