package cluster

import (
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     an entry says when something is to be removed: the outcome of an operation with an
//             identity, or the record of a unit that was forgotten. The owner of the partition
//             looks for those that are due, now and then
// Invariants: D1 The record of a unit that was forgotten is removed only when nothing in it is
//             needed, and while it is still that record.

// sweepEvery is how often an owner looks.
const sweepEvery = 10 * time.Minute

// sweeps looks for what is due again and again, while the owner is the same.
func (pt *part) sweeps(o *partition.Owner) {
	pt.turn.After(sweepEvery, func() {
		if pt.owner.Load() == o {
			pt.sweep(o)
			pt.sweeps(o)
		}
	})
}

// sweep removes what is due. What does not succeed is due the next time, too.
func (pt *part) sweep(o *partition.Owner) {
	removed := 0
	pt.of.engine.Scan(pt.p, []byte(layout.Expiry), func(key, _ []byte, revision uint64) {
		pt.turn.Run(func() {
			at, of, err := layout.DecodeExpiry(key)
			if err != nil || at.After(pt.turn.Now()) || removed == mostSwept || pt.owner.Load() != o {
				return
			}
			removed++
			if of[0] == layout.Once[0] {
				pt.remove(revision, key, of)
			} else {
				pt.removeForgotten(o, of, key, revision)
			}
		})
	}, func(error) {})
}

// remove removes entries, if the first one has a revision.
func (pt *part) remove(revision uint64, keys ...[]byte) {
	var writes []engine.Write
	for _, key := range keys {
		writes = append(writes, engine.Write{Key: slices.Clone(key)})
	}
	pt.of.engine.Swap(pt.p, writes, revision, func(uint64, error) {})
}

// removeForgotten removes the record of a unit, if that has no state and nothing in it is needed,
// and the entry that says when. If the unit has a state again, that entry alone.
func (pt *part) removeForgotten(o *partition.Owner, unit, expiry []byte, revision uint64) {
	pt.of.engine.Read(pt.p, unit, func(value []byte, at uint64, err error) {
		pt.turn.Run(func() {
			if err != nil || pt.owner.Load() != o {
				return
			}
			if value == nil {
				pt.remove(revision, expiry)
				return
			}
			stored, _, err := decodeStored(value)
			if err != nil {
				return // its unit says so
			}
			o.Trim(&stored.Record)
			switch {
			case stored.state:
				pt.remove(revision, expiry)
			case o.MayGo(&stored.Record) && o.MayWrite():
				pt.remove(at, unit, expiry)
			}
		})
	})
}
