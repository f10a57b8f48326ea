package linear

import "math/bits"

// A set holds indices of a history. It is immutable once it is part of a state or an input.
type set []uint64

// add adds i to the set in place.
func (s *set) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

// with returns a copy of the set with i added.
func (s set) with(i int) set {
	more := make(set, max(len(s), i/64+1))
	copy(more, s)
	more[i/64] |= 1 << (i % 64)
	return more
}

// word returns the indices from 64·i to 64·i+63, as bits.
func (s set) word(i int) uint64 {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// covers reports whether all indices of t are in s.
func (s set) covers(t set) bool {
	for i, word := range t {
		if word&^s.word(i) != 0 {
			return false
		}
	}
	return true
}

// and returns the indices that are in both sets.
func (s set) and(t set) set {
	both := make(set, len(s))
	for i, word := range s {
		both[i] = word & t.word(i)
	}
	return both
}

// count returns the number of indices.
func (s set) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
