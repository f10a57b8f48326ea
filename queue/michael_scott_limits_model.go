//go:build explore

package queue

// msBatch is how many nodes a processor acquires at once: few, so that nodes are soon used again.
// Tests may change it.
var msBatch = 2
