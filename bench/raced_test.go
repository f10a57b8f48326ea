//go:build race

package bench

// raced says that the race detector is there. What is simulated is the same with it, a virtual time
// with one goroutine at a time, and takes ten times as long: so tests that hold figures of a
// simulation hold a few of them.
const raced = true
