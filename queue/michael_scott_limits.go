//go:build !explore

package queue

// msBatch is how many nodes a processor acquires at once.
const msBatch = 16
