//go:build !explore

package michaelscott

// batchSize is how many nodes a processor acquires at once.
const batchSize = 16
