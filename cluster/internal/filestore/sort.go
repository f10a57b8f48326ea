//go:build !wasm

package filestore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// place is a write's place among the writes of a batch. Keys mostly differ within the eight bytes
// behind what all of them have in common: so places are small, and most comparisons are of numbers.
type place struct {
	head uint64 // these bytes of the key
	at   int
}

// sort puts all writes in order: by their keys, and those of one key as they came.
func (b *batch) sort() {
	b.order = b.order[:0]
	common := commonPrefix(b.all)
	for at := range b.all {
		b.order = append(b.order, place{headOf(b.all[at].Key[common:]), at})
	}
	slices.SortFunc(b.order, func(x, y place) int {
		if x.head != y.head {
			return cmp.Compare(x.head, y.head)
		}
		return cmp.Or(bytes.Compare(b.all[x.at].Key, b.all[y.at].Key), cmp.Compare(x.at, y.at))
	})
}

// commonPrefix is the number of bytes with which all keys begin.
func commonPrefix(all []engine.Write) int {
	if len(all) == 0 {
		return 0
	}
	first := all[0].Key
	n := len(first)
	for _, w := range all[1:] {
		n = min(n, len(w.Key))
		for !bytes.Equal(w.Key[:n], first[:n]) {
			n--
		}
	}
	return n
}

// headOf is the beginning of a key as a number. Of two keys the lesser one has none that is
// greater.
func headOf(key []byte) uint64 {
	var head [8]byte
	copy(head[:], key)
	return binary.BigEndian.Uint64(head[:])
}
