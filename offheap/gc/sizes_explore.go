//go:build explore

package gc

// The sizes are small, so that the explorer reaches all corners.
const (
	chunkBytes   = 1024
	slotsPerPage = 2
	traceBatch   = 2
	mostChunks   = 1 << 8
	leafBits     = 4
)
