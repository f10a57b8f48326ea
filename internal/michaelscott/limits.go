//go:build !explore

package michaelscott

// batch is how many nodes a processor acquires at once.
const batch = 16
