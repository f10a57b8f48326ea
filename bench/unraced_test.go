//go:build !race

package bench

// raced says that the race detector is there: see raced_test.go.
const raced = false
