package records

import "github.com/freerun-go/freerun/offheap"

// table finds records by the hashes of their keys. It is an open-addressing table with linear
// probing in one block of an arena. So Go's collector has nothing to scan in it, and a look-up
// mostly reads one cache line of it. One goroutine at a time uses it.
//
// A record is in the first free slot from its home on, so a search ends at the first free slot. To
// keep that true, a removal moves later records up into the gap instead of leaving a mark. So a
// table that has lost many records is as fast as one that never had them (D. E. Knuth, The Art of
// Computer Programming 3, section 6.4, algorithm R).
//
//	home of a, b and c
//	     │
//	┌────┬────┬────┬────┬────┐          ┌────┬────┬────┬────┬────┐
//	│    │ a  │ b  │ c  │    │   -a →   │    │ b  │ c  │    │    │
//	└────┴────┴────┴────┴────┘          └────┴────┴────┴────┴────┘
type table struct {
	view offheap.View[slot]
	ref  offheap.Ref[slot]
	// The memory of ref: a power of two of slots, at least one of them free.
	slots []slot
	used  int // slots that are not free
}

// slot is a place for a record. It has no pointers: a Block is not one.
type slot struct {
	hash   uint64        // the key's hash, which no other key has
	record offheap.Block // none if the slot is free
}

// leastSlots is the number of slots of a new table.
const leastSlots = 16

func newTable(view offheap.View[slot]) (table, error) {
	t := table{view: view}
	err := t.grow(leastSlots)
	return t, err
}

// grow moves the records to a table with as many slots as fit into a block of a power of two. A new
// block is zeroed, so its slots are free. Without memory nothing changes.
func (t *table) grow(slots int) error {
	ref, err := t.view.NewSlice(slots)
	if err != nil {
		return err
	}
	before := *t
	t.ref, t.slots = ref, t.view.Slice(ref)[:slots]
	for _, s := range before.slots {
		if s.record != 0 {
			t.slots[t.find(s.hash)] = s
		}
	}
	before.free()
	return nil
}

// free gives back the memory of the table, but not that of the records.
func (t *table) free() {
	if t.slots != nil {
		t.view.Free(t.ref)
	}
	t.ref, t.slots, t.used = 0, nil, 0
}

// next returns the slot after slot i.
func (t *table) next(i int) int { return (i + 1) & (len(t.slots) - 1) }

// home returns the slot at which the search for a hash begins.
func (t *table) home(hash uint64) int { return int(hash & uint64(len(t.slots)-1)) }

// find returns the slot of a hash, or the free slot where it would be.
func (t *table) find(hash uint64) int {
	i := t.home(hash)
	for t.slots[i].record != 0 && t.slots[i].hash != hash {
		i = t.next(i)
	}
	return i
}

// get returns the record of a hash, or none.
func (t *table) get(hash uint64) offheap.Block { return t.slots[t.find(hash)].record }

// put makes record the record of a hash. It returns a record that is no longer needed, if there is
// one: the earlier record of the hash, or record itself beside an error.
func (t *table) put(hash uint64, record offheap.Block) (unused offheap.Block, err error) {
	i := t.find(hash)
	if unused = t.slots[i].record; unused != 0 {
		t.slots[i].record = record
		return unused, nil
	}
	if (t.used+1)*4 > len(t.slots)*3 { // beyond three quarters, searches become long
		if err := t.grow(2 * len(t.slots)); err != nil {
			return record, err
		}
		i = t.find(hash)
	}
	t.slots[i] = slot{hash, record}
	t.used++
	return unused, nil
}

// remove takes the record of a hash out of the table and returns it, or none.
func (t *table) remove(hash uint64) offheap.Block {
	gap := t.find(hash)
	record := t.slots[gap].record
	if record == 0 {
		return record
	}
	t.used--
	for i := t.next(gap); t.slots[i].record != 0; i = t.next(i) {
		// Its search passes the gap.
		if t.distance(t.home(t.slots[i].hash), i) >= t.distance(gap, i) {
			t.slots[gap] = t.slots[i]
			gap = i
		}
	}
	t.slots[gap] = slot{}
	return record
}

// distance returns the number of steps from one slot to another.
func (t *table) distance(from, to int) int { return (to - from) & (len(t.slots) - 1) }
