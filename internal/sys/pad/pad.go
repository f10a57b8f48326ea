// Package pad keeps words apart that different processors write, so that no two of them share a
// cache line.
package pad

// Size is the distance in bytes that separates two such words: two lines of 64, because the
// adjacent-line prefetcher of current amd64 processors fetches pairs of lines, and some arm64
// processors have lines of 128 bytes. Heap objects are not aligned to lines, so a word is padded on
// both sides.
const Size = 128

// Line is padding for a struct: one Line before and one after the fields that other processors
// write.
type Line [Size]byte
