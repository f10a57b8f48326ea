//go:build !explore

package gc

const (
	chunkBytes   = 32 << 10 // the least size of a chunk
	slotsPerPage = 128
	traceBatch   = 64 // objects that are looked into before the state is asked again
	mostChunks   = 1 << 24
	leafBits     = 12 // chunks that the directory has room made for at once
)
