package lock

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// Source:     the answer to "how does one make a fair lock of a stack": take all of it and turn it
//             over. The list is R. K. Treiber's, Systems programming: coping with parallelism, IBM
//             RJ 5118, 1986.
// Sketch:     top ─→ w5 ─→ w4 ─→ w3       taken, oldest first: todo ─→ w1 ─→ w2
//             push: w.below = top; CAS(top: below→w)
//             take: from todo; if it is empty, swap(top, nil), and turn it over into todo
// Invariants: I1 a waiter is in one of the two lists at most.
//             I2 all in todo came before all in top.
// Progress:   push is lock-free: a failed CAS means that another push or take took effect. take is
//             wait-free, and touches each waiter twice in all.
// Linearize:  push at L1; take at L2 of the batch that it came in
// Publish:    below is written before L1 and read after L2; todo is the taker's, and handed from
//             one taker to the next by what makes them take turns
// ABA/memory: if the waiter that a push has read from top is taken, and is on top again when the
//             push goes on, its CAS succeeds, and rightly: it links to the waiter that is on top
//             now. No other CAS compares.
// Checked by: TestLock…, TestFIFOForgets, TestExploreLock…, TestExploreOrder

// waiterStack is the queue of a FIFO that was given none. Any goroutine may push, one at a time
// may take. The zero value is empty.
type waiterStack struct {
	top  atomics.Pointer[Waiter]
	todo atomics.Plain[*Waiter]
}

func (p *waiterStack) push(w *Waiter) {
	for b := (backoff.Backoff{}); ; b.Retry() {
		top := p.top.Load()
		w.below.Set(top)
		if p.top.CompareAndSwap(top, w) { // L1
			return
		}
	}
}

// take removes and returns the oldest waiter. There must be one.
func (p *waiterStack) take() *Waiter {
	w := p.todo.Get()
	if w == nil {
		for top := p.top.Swap(nil); top != nil; { // L2
			below := top.below.Get()
			top.below.Set(w)
			w, top = top, below
		}
	}
	p.todo.Set(w.below.Take())
	return w
}
