package pin

import (
	"runtime"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Sketch:     section:    make the word odd; look at the condition; make the word even
//             Rendezvous: barrier; wait until each word is even, or another
// Invariants: I1 a section that begins after the barrier sees what was written before Rendezvous.
//             I2 a section that began before the barrier is seen in the word.
// Cost:       two plain additions to a word of the holder's, and an atomic one to another where
//             there is no barrier (see [Status])
// Checked by: TestRendezvous, TestShutdownRunsWhatWasAccepted

// Tally counts the short sections of one P, or of one claimed stripe, and shows whether a section
// is under way, for [Rendezvous]. A section begins with Begin, looks at a condition, and ends with
// Count or Withdraw. Its holder must be pinned, or have claimed the stripe; one at a time. The zero
// value is ready; it must not be copied after first use.
type Tally struct {
	word  atomics.RelaxedUint64 // bit 0: a section is under way; the others: how many were counted
	fence atomics.Uint64        // only ever added to, as a barrier of the section's own
}

// Begin begins a section.
func (t *Tally) Begin() {
	t.word.Add(1)
	if fenced {
		t.fence.Add(1) // before the condition is looked at
	}
}

// Count ends the section and counts it.
func (t *Tally) Count() { t.word.Add(1) }

// Withdraw ends the section and does not count it.
func (t *Tally) Withdraw() { t.word.Add(^uint64(0)) }

// Load returns how many sections were counted. Any goroutine.
func (t *Tally) Load() uint64 { return t.word.Load() / 2 }

// Rendezvous returns when every section of the tallies at(0) to at(n-1) that had begun before has
// ended. Sections that begin later see what the caller wrote before. Any goroutine that is not
// pinned. Each process pays some ten milliseconds once, unless [Prepare] was called well before;
// then it takes some ten microseconds.
func Rendezvous(n int, at func(i int) *Tally) {
	barrier()
	for i := range n {
		t := at(i)
		t.fence.Add(1) // between what the caller has written and the look at the word
		for w := t.word.Load(); w&1 != 0 && t.word.Load() == w; {
			runtime.Gosched()
		}
	}
}

// State says how [Rendezvous] and [Tally] work in this process.
type State struct {
	Way string // "membarrier", "fenced", "claimed" or "model"
	Why string // one line
}
