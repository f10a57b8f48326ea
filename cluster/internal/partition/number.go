package partition

import (
	"cmp"
	"encoding/binary"
)

// Number numbers the commands of one sender to one partition, in the order in which they are sent.
// A session counts with Seq. What the operations of a partition send has the sequence number of
// the entry that has run it, and counts with Index from 1: so an owner that comes later gives it
// the same number.
type Number struct {
	Seq   uint64
	Index uint64
}

// Compare returns which of two numbers is the later one, as [cmp.Compare] does.
func (n Number) Compare(m Number) int {
	if c := cmp.Compare(n.Seq, m.Seq); c != 0 {
		return c
	}
	return cmp.Compare(n.Index, m.Index)
}

// after reports whether n is later than m.
func (n Number) after(m Number) bool { return n.Compare(m) > 0 }

func appendNumber(b []byte, n Number) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, n.Seq), n.Index)
}
