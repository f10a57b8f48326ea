package hazard

import (
	"iter"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// Words is the number of hazard words, and of pooled nodes, in a record.
const Words = 2

// Domain has the records of all processors, for lists whose nodes are of type N. Lists that
// exchange nodes must share a domain.
//
// The zero value is ready; it must not be copied after first use. Any goroutine may use it. Nothing
// waits. A record takes about 200 bytes.
type Domain[N any] struct {
	// only replaced by a longer one that begins with the same records
	records atomics.Pointer[[]*Record[N]]
}

// Record is one processor's part of a domain. Only the operation that got it from [Domain.Enter]
// may call its methods, until [Domain.Leave].
type Record[N any] struct {
	_ pad.Line

	words  [Words]word[N]            // written by the holder, read by all
	pooled [Words]atomics.Pointer[N] // exchanged by all

	// Chain and Chained are for the holder's own use, for example for nodes that it has acquired
	// and not used yet. They stay with the record.
	Chain   *N
	Chained int
	// Latest is for the holder's own use, for example for the index of a word that its next
	// operation is to keep.
	Latest int

	claimed atomics.Uint32 // where pins do not exclude: 1 while there is a holder
}

// Enter pins the calling goroutine and returns the record of its processor. From here to
// [Domain.Leave] the rules of internal/sys/pin bind the caller. Enter allocates when there are more
// processors than ever before.
func (d *Domain[N]) Enter() *Record[N] {
	i := pin.Pin()
	if all := d.records.Load(); all != nil && i < len(*all) {
		if r := (*all)[i]; pin.Exclusive || r.claim() {
			return r
		}
	}
	pin.Unpin()
	return d.enterSlowly(i)
}

// enterSlowly is Enter where the record with index i does not exist or is taken.
func (d *Domain[N]) enterSlowly(i int) *Record[N] {
	for {
		all := d.grow(i + 1)
		if pin.Exclusive {
			if i = pin.Pin(); i < len(all) {
				return all[i]
			}
			pin.Unpin()
			continue
		}
		for k := range all {
			if r := all[(i+k)%len(all)]; r.claim() {
				return r
			}
		}
		i = len(all)
	}
}

// Leave ends what Enter began. The caller may no longer rely on the nodes that r's words name.
func (d *Domain[N]) Leave(r *Record[N]) {
	if !pin.Exclusive {
		r.claimed.Store(0)
	}
	pin.Unpin()
}

func (r *Record[N]) claim() bool {
	return r.claimed.Load() == 0 && r.claimed.CompareAndSwap(0, 1)
}

// grow adds records until there are at least atLeast of them, and returns all.
func (d *Domain[N]) grow(atLeast int) []*Record[N] {
	for {
		old := d.records.Load()
		var all []*Record[N]
		if old != nil {
			all = *old
		}
		if len(all) >= atLeast {
			return all
		}
		size := max(atLeast, expected())
		longer := make([]*Record[N], size)
		fresh := make([]Record[N], size-copy(longer, all)+1) // the last one is padding only
		for i := len(all); i < size; i++ {
			longer[i] = &fresh[i-len(all)]
		}
		if d.records.CompareAndSwap(old, &longer) {
			return longer
		}
	}
}

// Reserve adds records until there are this many. Enter adds the records that it needs by itself.
func (d *Domain[N]) Reserve(records int) { d.grow(records) }

// Records returns the number of records: the N of the package documentation. It never falls.
func (d *Domain[N]) Records() int {
	if all := d.records.Load(); all != nil {
		return len(*all)
	}
	return 0
}

// Names returns which of the record's words names x, or -1.
func (r *Record[N]) Names(x *N) int {
	if r.words[0].names(x) {
		return 0
	}
	if r.words[1].names(x) {
		return 1
	}
	return -1
}

// Set makes word w name x. Others see it at the latest when the caller's next atomic
// read-modify-write is done. Such an operation must come before the finding of R1 or R2, or be that
// finding. Set costs a sixth of SetNow.
func (r *Record[N]) Set(w int, x *N) { r.words[w&1].set(x) }

// SetNow makes word w name x. Others see it before the caller reads anything else. It is an atomic
// exchange.
func (r *Record[N]) SetNow(w int, x *N) { r.words[w&1].setNow(x) }

// All yields the records, for counting while no operation holds any.
func (d *Domain[N]) All() iter.Seq[*Record[N]] {
	return func(yield func(*Record[N]) bool) {
		all := d.records.Load()
		for i := 0; all != nil && i < len(*all) && yield((*all)[i]); i++ {
		}
	}
}

// Pooled returns the node that is left beside word w, or nil.
func (r *Record[N]) Pooled(w int) *N { return r.pooled[w].Load() }
