package records

import (
	"errors"

	"github.com/freerun-go/freerun/offheap"
)

// arenaStore is the store of the variant offheap.
type arenaStore struct{ *Store }

// perRecord is how many bytes of the arena there are for each record: twice its average, which is a
// block of 221 bytes and 22 to 43 bytes of a table. Untouched memory costs nothing.
const perRecord = 512

// base is the arena's size beside that: for the tables of an empty store, and for blocks in the
// caches of processors.
const base = 16 << 20

func openOffheap(records int) (compared, error) {
	arena, err := offheap.New(int64(records)*perRecord+base, offheap.SmallestBlock(64))
	if err != nil {
		return nil, err
	}
	r, err := NewStore(arena)
	if err != nil {
		return nil, errors.Join(err, arena.Close())
	}
	return arenaStore{r}, nil
}

func (s arenaStore) put(key uint64, value []byte) error { return s.Put(key, value) }

func (s arenaStore) get(key uint64, into []byte) ([]byte, bool) { return s.Get(key, into[:0]) }

func (s arenaStore) remove(key uint64) bool { return s.Delete(key) }

func (s arenaStore) count() int { return s.Len() }

// close fails if a block is left that is not a record of the store.
func (s arenaStore) close() error {
	s.Close()
	return s.arena.Close()
}
