//go:build race

package partition

// usualSeeds is how many schedules each run of the tests tries: fewer, since each takes ten times
// as long.
const usualSeeds = 10
