//go:build !race

package partition

// usualSeeds is how many schedules each run of the tests tries.
const usualSeeds = 200
