package main

import (
	"encoding/binary"
	"fmt"
)

// state is what each key has: 112 bytes, of which the first word counts.
type state struct{ words [14]int64 }

// AppendBinary implements [encoding.BinaryAppender].
func (s *state) AppendBinary(dst []byte) ([]byte, error) {
	for _, w := range s.words {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(w))
	}
	return dst, nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (s *state) UnmarshalBinary(src []byte) error {
	if len(src) != 8*len(s.words) {
		return fmt.Errorf("a state of %d bytes", len(src))
	}
	for i := range s.words {
		s.words[i] = int64(binary.LittleEndian.Uint64(src[8*i:]))
	}
	return nil
}

// encoded returns the bytes of a state.
func (s *state) encoded() []byte {
	b, _ := s.AppendBinary(nil) // never an error
	return b
}

// raised returns a state, as it is stored, whose count is greater by 1.
func raised(stored []byte) ([]byte, error) {
	var s state
	if err := s.UnmarshalBinary(stored); err != nil {
		return nil, err
	}
	s.words[0]++
	return s.encoded(), nil
}

// countOf returns the count of a state as it is stored.
func countOf(stored []byte) (int64, error) {
	var s state
	err := s.UnmarshalBinary(stored)
	return s.words[0], err
}
