// Package pad keeps words that different processors write out of each other's cache lines.
package pad

// Size is what separates two such words, in bytes: two lines of 64, because the adjacent-line
// prefetcher of current amd64 processors and the 128-byte lines of some arm64 ones make neighbours
// travel together. Heap objects are not aligned to lines, so a word is padded on both sides.
const Size = 128

// Line is padding for a struct: put one before and one after what is written by others.
type Line [Size]byte
