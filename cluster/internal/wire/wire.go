// Package wire reads and writes the parts that stored forms and messages between machines consist
// of.
package wire

import "encoding/binary"

// Reader reads what was appended. Once something is missing it is Bad, and all that it reads is
// zero.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if r.Bad || len(r.Rest) == 0 {
		r.Bad = true
		return 0
	}
	b := r.Rest[0]
	r.Rest = r.Rest[1:]
	return b
}

// Uvarint reads a number.
func (r *Reader) Uvarint() uint64 {
	n, used := binary.Uvarint(r.Rest)
	if r.Bad || used <= 0 {
		r.Bad = true
		return 0
	}
	r.Rest = r.Rest[used:]
	return n
}

// Varint reads a number that may be negative.
func (r *Reader) Varint() int64 {
	n, used := binary.Varint(r.Rest)
	if r.Bad || used <= 0 {
		r.Bad = true
		return 0
	}
	r.Rest = r.Rest[used:]
	return n
}

// Bytes reads what AppendBytes has written.
func (r *Reader) Bytes() []byte {
	size := r.Uvarint()
	if r.Bad || size > uint64(len(r.Rest)) {
		r.Bad = true
		return nil
	}
	b := r.Rest[:size:size]
	r.Rest = r.Rest[size:]
	return b
}

// Count reads the length of a list whose members take a byte each, or more.
func (r *Reader) Count() int {
	n := r.Uvarint()
	if n > uint64(len(r.Rest)) {
		r.Bad = true
		return 0
	}
	return int(n)
}

// AppendBytes appends bytes behind their length.
func AppendBytes[B string | []byte](b []byte, s B) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
