package magazine

import (
	_ "sync/atomic" // lets the compiler inline the operations of internal/sync/atomics

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Source:     the depot of Bonwick and Adams, without its lock and without its lists
// Sketch:     Put:   CAS(slot: nil → batch) at the first empty slot
//             Take:  Swap(slot: nil) at the first full slot
// Invariants: I1 A batch is in one slot at most. The goroutine that takes it out has it alone.
//             I2 Slots bound what is retained: a batch that does not fit is left to the collector.
// Progress:   wait-free but for the mark (mark.go): each call looks at each slot once
// Linearize:  Put at its compare-and-swap, Take at its swap
// Publish:    The nodes of a batch are linked before Put, and read after Take.
// ABA/memory: No link leads from batch to batch, so there is no ABA.
// Cost:       one compare-and-swap or swap a batch
// Checked by: TestExploreDepot, TestDepot…

// Depot holds full batches of messages of one operation, and their [Mark]. Any goroutine may use
// it. Make it with [NewDepot].
type Depot struct {
	slots [depotSlots]atomics.Pointer[mailbox.Node]
	Mark
}

// NewDepot returns an empty depot. low is its mark when that is not raised: see [LowMark].
func NewDepot(low int64) *Depot {
	d := &Depot{}
	d.notice = make(chan struct{}, 1)
	d.low = low
	return d
}

// Put takes back a batch of messages that were run. The batch is left to the collector if the depot
// is full, or if the mark asks for that.
func (d *Depot) Put(batch *mailbox.Node) {
	if d.sinks() {
		d.Add(-BatchSize)
		d.Returned()
		return
	}
	d.Keep(batch)
}

// Keep puts a batch into a slot, or leaves it to the collector if the depot is full.
func (d *Depot) Keep(batch *mailbox.Node) {
	defer d.Returned()
	for i := range d.slots {
		if d.slots[i].Load() == nil && d.slots[i].CompareAndSwap(nil, batch) {
			return
		}
	}
	d.dropped()
}

// Take returns a batch, nil if there is none.
func (d *Depot) Take() *mailbox.Node {
	for i := range d.slots {
		if d.slots[i].Load() != nil {
			if batch := d.slots[i].Swap(nil); batch != nil {
				return batch
			}
		}
	}
	return nil
}

// TakeOne returns one message of a batch, for a sender that has no magazine to keep the others.
// Those are left to the collector. It returns nil if there is no batch.
func (d *Depot) TakeOne() *mailbox.Node {
	batch := d.Take()
	if batch != nil {
		d.Add(1 - BatchSize)
	}
	return batch
}

// Empty reports whether there is no batch.
func (d *Depot) Empty() bool {
	for i := range d.slots {
		if d.slots[i].Load() != nil {
			return false
		}
	}
	return true
}

// BeginWait counts the caller as a sender that waits for a batch, and reports whether it has to:
// false if there is a batch. The caller calls EndWait in the end.
//
// The sender misses no batch:
// the sender counts itself as waiting before it looks into the depot again;
// a receiver puts a batch into the depot before it looks for waiting senders.
func (d *Depot) BeginWait() bool {
	d.waiting.Add(1)
	return d.Empty()
}
