//go:build !wasm

package filestore

import (
	"encoding/binary"

	bolt "go.etcd.io/bbolt"
)

// A store with Sync other than 0 notes a sum of all entries with each transaction. A loss of power
// may leave pages of different transactions, which agree with each other by chance; then the sum
// does not agree with the entries, or is not that of the newest transaction.

// sumKey is the key, in the bucket about, of the number of the transaction that has written it and
// the sum of the checksums of all entries.
var sumKey = []byte("sum")

// putSum notes a sum with a transaction.
func putSum(tx *bolt.Tx, sum uint64) error {
	value := binary.LittleEndian.AppendUint64(nil, uint64(tx.ID()))
	value = binary.LittleEndian.AppendUint64(value, sum)
	return tx.Bucket(aboutBucket).Put(sumKey, appendRecord(nil, sumKey, value))
}

// change returns a sum after the checksum of one entry has changed; nil stands for no entry.
func change(total uint64, from, to []byte) uint64 {
	if len(from) == checksumSize {
		total -= uint64(binary.LittleEndian.Uint32(from))
	}
	if len(to) == checksumSize {
		total += uint64(binary.LittleEndian.Uint32(to))
	}
	return total
}

// beginSum computes the sum of all entries, and notes it in a transaction that is synced: nothing
// marks the store yet.
func (s *Store) beginSum() error {
	s.db.NoSync = false
	defer func() { s.db.NoSync = true }()
	total := uint64(0)
	err := guarded(nil, func() error {
		return s.db.Update(func(tx *bolt.Tx) error {
			sums := tx.Bucket(indexBucket).Cursor()
			for key, sum := sums.First(); key != nil; key, sum = sums.Next() {
				total = change(total, nil, sum)
			}
			return putSum(tx, total)
		})
	})
	s.batch.sum, s.batch.sums = total, true
	return err
}

// checkEntries reads each entry, and compares all of them with the sum.
func (s *Store) checkEntries() error {
	return s.view(nil, func(tx *bolt.Tx) error {
		total := uint64(0)
		err := scan(tx, nil, nil, func(key, value []byte, lost error) error {
			total += uint64(checksum(key, value))
			return lost
		})
		if err != nil {
			return err
		}
		id, sum, err := sumOf(tx)
		switch {
		case err != nil:
			return err
		case id != tx.ID():
			return lost("the sum of all entries is of transaction %d, and the newest one is %d", id, tx.ID())
		case sum != total:
			return lost("the sum of all entries is %x, and should be %x", total, sum)
		}
		return nil
	})
}

// sumOf is the sum that was noted last, and the transaction that has noted it.
func sumOf(tx *bolt.Tx) (id int, sum uint64, err error) {
	noted, ok := openRecord(sumKey, tx.Bucket(aboutBucket).Get(sumKey))
	if !ok || len(noted) != 16 {
		return 0, 0, lost("the sum of all entries is missing")
	}
	return int(binary.LittleEndian.Uint64(noted)), binary.LittleEndian.Uint64(noted[8:]), nil
}
