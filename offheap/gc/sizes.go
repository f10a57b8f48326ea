//go:build !explore

package gc

const (
	chunkBytes   = 32 << 10 // the least size of a chunk
	slotsPerPage = 128
	traceBatch   = 64 // objects that are scanned before the state is read again
	mostChunks   = 1 << 24
	leafBits     = 12 // log2 of the chunks for which the directory makes room at once
)
