// Package replay lets a randomized test that failed be run again with the same random numbers. Only
// tests import it.
package replay

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Variable is the environment variable that a seed is given in.
const Variable = "FREERUN_SEED"

// Seed returns the seed for this run of a test: a random one, or the one that is given in
// [Variable]. Should the test fail, it prints the seed, and the line that runs the test with it
// again.
func Seed(t testing.TB) uint64 {
	seed := rand.Uint64()
	if text, given := os.LookupEnv(Variable); given {
		parsed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
		seed = parsed
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d; to replay, in this package's folder: %s=%d go test -run '^%s$' .", seed, Variable, seed, t.Name())
		}
	})
	return seed
}
