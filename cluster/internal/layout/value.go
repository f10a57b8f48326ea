package layout

import "encoding/binary"

// AppendVersion appends the beginning of a value: the version of its type. What package codec makes
// of it comes behind.
func AppendVersion(b []byte, version int) []byte { return binary.AppendUvarint(b, uint64(version)) }

// CutVersion reads what AppendVersion has written, and returns what is behind.
func CutVersion(value []byte) (version int, encoded []byte, err error) {
	v, used := binary.Uvarint(value)
	if used <= 0 || v > mostVersion {
		return 0, nil, errDamaged
	}
	return int(v), value[used:], nil
}

const mostVersion = 1 << 30
