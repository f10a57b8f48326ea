package memory

import (
	"maps"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestVariants lets a rival's task allocate blocks of its own, and free blocks of others, of sizes
// that the rival treats in different ways.
func TestVariants(t *testing.T) {
	values, err := Program.Values(true, map[string]int{"blocks": 2000})
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []programs.Values{
		{programs.Size: 10, "tasks": 1, "foreign": 0},
		{programs.Size: 1000, "tasks": 3, "foreign": 0},
		{programs.Size: 1000, "tasks": 3, "foreign": 40},
		{programs.Size: 40_000, "tasks": 2, "foreign": 100, "batch": 3},
	} {
		v := maps.Clone(values) // all bytes are touched
		maps.Copy(v, set)
		for name, r := range programtest.Run(t, Program, v) {
			if r.Operations != 2000 {
				t.Errorf("%s with %v: %d operations", name, set, r.Operations)
			}
		}
	}
}
