//go:build !wasm

package filestore

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// checksumSize is the length of the checksum before each value.
const checksumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is that of an entry. The length of the key is in it, so that no byte can pass from the
// key to the value.
func checksum(key, value []byte) uint32 {
	var length [4]byte
	binary.LittleEndian.PutUint32(length[:], uint32(len(key)))
	sum := crc32.Update(0, castagnoli, length[:])
	sum = crc32.Update(sum, castagnoli, key)
	return crc32.Update(sum, castagnoli, value)
}

// appendRecord appends the record of an entry in the bucket data. Its first bytes, the checksum,
// are the record in the bucket index.
func appendRecord(to, key, value []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, checksum(key, value))
	return append(to, value...)
}

// openRecord is the value of a record, as a part of it; false if it is not the record of the key.
func openRecord(key, record []byte) ([]byte, bool) {
	if len(record) < checksumSize {
		return nil, false
	}
	value := record[checksumSize:]
	return value, binary.LittleEndian.Uint32(record) == checksum(key, value)
}

// agree compares what both buckets hold for a key, of which at least one holds something, and tells
// the value.
func agree(key, record, sum []byte) ([]byte, error) {
	switch {
	case record == nil:
		return nil, lost("the entry of key %q is in the index but not in the data", key)
	case sum == nil:
		return nil, lost("the entry of key %q is in the data but not in the index", key)
	}
	value, ok := openRecord(key, record)
	switch {
	case !ok:
		return nil, lost("the entry of key %q does not match its checksum", key)
	case !bytes.Equal(record[:checksumSize], sum):
		return nil, lost("the entry of key %q is not the one that the index names", key)
	}
	return value, nil
}
