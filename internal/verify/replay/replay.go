// Package replay runs a failed randomized test again with the same random numbers. Only tests
// import it.
package replay

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Variable is the name of the environment variable that sets the seed.
const Variable = "FREERUN_SEED"

// Seed returns the seed for this run of a test: the value of [Variable] if it is set, and otherwise
// a random number. If the test fails, the test logs the seed and the command that repeats the run.
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
