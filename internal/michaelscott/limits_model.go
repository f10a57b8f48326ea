//go:build explore

package michaelscott

// batch is how many nodes a processor acquires at once: few, so that nodes are soon used again.
// Tests may change it.
var batch = 2
