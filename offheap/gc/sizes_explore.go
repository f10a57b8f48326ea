//go:build explore

package gc

// Small, so that the explorer comes to all corners.
const (
	chunkBytes   = 1024
	slotsPerPage = 2
	traceBatch   = 2
	mostChunks   = 1 << 8
	leafBits     = 4
)
