package keytable

import (
	"hash/maphash"
	"runtime"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// A level is a directory: a slot for each value of the uppermost bits of a hash.
type level struct {
	slots  []atomics.Pointer[place]
	seed   maphash.Seed
	shift  uint // from a hash to the index of its slot
	counts []stripe

	next atomics.Pointer[level] // nil until all moves there

	_       pad.Line
	tries   atomics.Int64 // how many goroutines have begun to make the next
	claimed atomics.Int64 // how many units were given to goroutines to move
	checked atomics.Int64 // so many units, from the first, have moved
	_       pad.Line
}

// A stripe counts the entries that goroutines on some Ps have put in, less those that they have
// taken out.
type stripe struct {
	n atomics.Int64
	_ pad.Line
}

const (
	fewestBits  = 1                        // of the smallest directory
	deepestBits = 24 + 18*(^uint(0)>>32&1) // of the largest that memory could have
	fullest     = 5                        // entries a slot: more, on the average, make it grow
	sparsest    = 1                        // fewer make it shrink
	mostStripes = 64
)

// newLevel returns a level whose slots are all nil.
func newLevel(bits uint, seed maphash.Seed, counts []stripe) *level {
	return &level{slots: make([]atomics.Pointer[place], 1<<bits), seed: seed, shift: 64 - bits, counts: counts}
}

// firstLevel returns the level of an empty table.
func firstLevel() *level {
	stripes := 1
	for stripes < min(runtime.GOMAXPROCS(0), mostStripes) {
		stripes *= 2
	}
	l := newLevel(fewestBits, maphash.MakeSeed(), make([]stripe, stripes))
	for i := range l.slots {
		l.slots[i].Store(placeOf(&none))
	}
	return l
}

// slot returns the slot of a hash.
func (l *level) slot(hash uint64) *atomics.Pointer[place] { return &l.slots[hash>>(l.shift&63)] }

// add counts entries.
func (l *level) add(n int64) {
	i := pin.Pin()
	pin.Unpin()
	l.counts[i&(len(l.counts)-1)].n.Add(n)
}

// len returns the number of entries.
func (l *level) len() int {
	n := int64(0)
	for i := range l.counts {
		n += l.counts[i].n.Load()
	}
	return int(max(n, 0))
}

// A place is what a slot leads to, used as a pointer only: the address of a bucket; when the slot
// is frozen, the address of the bucket's second byte, which keeps it alive just as well. A slot of
// a new level is nil.
type place struct{ _ byte }

// frozenBit is the bit of the address that differs.
const frozenBit = 1

// gone is what a frozen slot leads to when its entries are in the next level.
var gone = placeOf(&absent).freeze()

var absent bucket

func placeOf(b *bucket) *place { return (*place)(unsafe.Pointer(b)) }

func (p *place) frozen() bool { return uintptr(unsafe.Pointer(p))&frozenBit != 0 }

// freeze returns the place for a slot that is frozen.
func (p *place) freeze() *place { return (*place)(unsafe.Add(unsafe.Pointer(p), frozenBit)) }

// bucket returns the bucket.
func (p *place) bucket() *bucket {
	a := unsafe.Pointer(p)
	return (*bucket)(unsafe.Add(a, -int(uintptr(a)&frozenBit)))
}
