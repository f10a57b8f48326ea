package linear

import "math/bits"

// A set is one of indices in a history. It is never changed once it is part of a state or an input.
type set []uint64

// add changes the set.
func (s *set) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

// with returns the set and one more index.
func (s set) with(i int) set {
	more := make(set, max(len(s), i/64+1))
	copy(more, s)
	more[i/64] |= 1 << (i % 64)
	return more
}

// word returns the indices from 64 i on.
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

// and returns what is in both.
func (s set) and(t set) set {
	both := make(set, len(s))
	for i, word := range s {
		both[i] = word & t.word(i)
	}
	return both
}

// count returns how many indices there are.
func (s set) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
