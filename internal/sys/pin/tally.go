package pin

import (
	"runtime"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Sketch:     section:    make the word odd; look at the condition; make the word even
//             Rendezvous: barrier; wait until each word is even, or another
// Invariants: I1 a section that begins after the barrier sees the caller's writes before
//             Rendezvous.
//             I2 the word shows a section that began before the barrier.
// Cost:       two plain additions to a word of the holder; in a fenced process (see [Status]) also
//             an atomic addition to another word
// Checked by: TestRendezvous, TestShutdownRunsWhatWasAccepted

// Tally counts the short sections of one P, or of one claimed stripe, and shows [Rendezvous]
// whether a section is under way. A section begins with Begin, looks at a condition, and ends with
// Count or Withdraw. Its holder must be pinned, or have claimed the stripe. Sections of one Tally
// do not overlap. The zero value is ready; it must not be copied after first use.
type Tally struct {
	word  atomics.RelaxedUint64 // bit 0: a section is under way; the others: count of sections
	fence atomics.Uint64        // each addition is a barrier; its value is not used
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

// Load returns the number of counted sections. Any goroutine may call it.
func (t *Tally) Load() uint64 { return t.word.Load() / 2 }

// Rendezvous waits until every section of the tallies at(0) to at(n-1) that began before the call
// has ended. Sections that begin later see the caller's writes before the call. Any goroutine that
// is not pinned may call it. A call takes some ten microseconds. The first in a process takes some
// ten milliseconds, unless [Prepare] was called well before.
func Rendezvous(n int, at func(i int) *Tally) {
	barrier()
	for i := range n {
		t := at(i)
		t.fence.Add(1) // between the caller's earlier writes and the look at the word
		for w := t.word.Load(); w&1 != 0 && t.word.Load() == w; {
			runtime.Gosched()
		}
	}
}

// State describes how [Rendezvous] and [Tally] work in this process.
type State struct {
	Way string // "membarrier", "fenced", "claimed" or "model"
	Why string // the reason, one line
}
