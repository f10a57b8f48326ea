package records

import (
	"fmt"

	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramTasks   = "tasks"
	paramLookups = "lookups"
	paramRounds  = "rounds"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "records",
	Doc:       "a store of small records is filled, and tasks look up, insert and delete",
	Source:    "isolates what many records cost the collector and the memory",
	Operation: "insertion, look-up or deletion",
	Params: []programs.Param{
		{Name: programs.Size, Letter: "records", Doc: "records that the store is filled with", Default: 10_000_000, Quick: 20_000, Min: 10, Max: 1_000_000_000},
		{Name: paramTasks, Doc: "tasks that use the store, 0 for one on each processor", Default: 0, Quick: 0, Min: 0, Max: 1000},
		{Name: paramLookups, Doc: "look-ups among 100 operations; the others insert and delete", Default: 80, Quick: 80, Min: 0, Max: 100},
		{Name: paramRounds, Doc: "operations for each record after the filling", Default: 1, Quick: 1, Min: 0, Max: 1000},
	},
	Variants: []programs.Variant{
		variant("offheap", programs.Freerun, "values in blocks of an offheap.Arena, and an index without pointers", openOffheap),
		variant("make", programs.PlainGo, "map[uint64][]byte", openMaps),
	},
	Expected: func(v programs.Values) string {
		t := newTraffic(v)
		for _, l := range t.lanes {
			for l.filling() {
				l.fill()
			}
			for l.running() {
				l.step()
			}
		}
		return t.checksum(t.present())
	},
}

// compared is a store as the program uses it. Any number of goroutines may use it at the same time,
// each with keys of its own.
type compared interface {
	// put makes a copy of value the key's value.
	put(key uint64, value []byte) error
	// get returns the key's value and whether there is one. The value is in memory of the store,
	// which the caller must not write and which does not change while the key does not; or it is in
	// the memory of into, if that is large enough.
	get(key uint64, into []byte) (value []byte, found bool)
	// remove deletes a key and returns whether it had a value.
	remove(key uint64) bool
	// count returns how many keys have a value. No other goroutine may use the store meanwhile.
	count() int
	// close gives back all memory of the store, which may not be used any more.
	close() error
}

// opener makes a store for about this many records.
type opener func(records int) (compared, error)

func variant(name string, kind programs.Kind, doc string, open opener) programs.Variant {
	return programs.Variant{Name: name, Kind: kind, Doc: doc, Run: func(cfg programs.Config) (programs.Result, error) {
		return run(open, cfg)
	}}
}

// checksum formats the result of a run: the records at the end, and the look-ups that found one.
func (t *traffic) checksum(count int) string {
	var found uint64
	for _, l := range t.lanes {
		found += l.found
	}
	return fmt.Sprintf("%d records, %d found", count, found)
}
