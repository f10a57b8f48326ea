package partition

import "encoding/binary"

// reader reads what was appended. Once something is missing it is bad, and all that it reads is
// zero.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) byte() byte {
	if r.bad || len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	n, used := binary.Uvarint(r.rest)
	if r.bad || used <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[used:]
	return n
}

func (r *reader) varint() int64 {
	n, used := binary.Varint(r.rest)
	if r.bad || used <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[used:]
	return n
}

func (r *reader) number() Number { return Number{r.uvarint(), r.uvarint()} }

// bytes reads what appendBytes has written.
func (r *reader) bytes() []byte {
	size := r.uvarint()
	if r.bad || size > uint64(len(r.rest)) {
		r.bad = true
		return nil
	}
	b := r.rest[:size:size]
	r.rest = r.rest[size:]
	return b
}

// count reads the length of a list whose members take a byte each, or more.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.bad = true
		return 0
	}
	return int(n)
}

// appendBytes appends bytes behind their length.
func appendBytes[B string | []byte](b []byte, s B) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
