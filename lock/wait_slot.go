package lock

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sys/yield"
)

// Sketch:     the waiter, in await:    waiting ─→ asleep ─→ left
//             the caller of grant:     waiting ─→ granted, asleep ─→ granted
// Invariants: I1 granted and left are final, and the goroutine that sets one knows it. So a lock
//             that is handed over is taken, and one that is not taken is handed to the next
//             waiter.
//             I2 the parker is set before asleep and stays.
// Progress:   grant is wait-free: it fails against await at most twice. await waits.
// Publish:    parker is written before the word becomes asleep and read after that was loaded
// ABA/memory: a token of the parker may come after its receiver has seen the grant and gone on. So
//             a sleeper that wakes looks at the word again, and a token too many costs a look.
// Cost:       await: one CAS, and the sleep; grant: one CAS, and the wake-up. A parker is
//             allocated once, with the first sleep.
// Checked by: the tests of the locks that wait by it; TestExploreLostWakeUp has a slot without its
//             CAS

// waitSlot is where one waiter waits until it is granted the lock. The word is a multiple of
// slotStates plus one of the states below. The multiple tells one use of the slot from the next;
// locks that use a slot again only when it is at rest reset the word and use 0.
type waitSlot struct {
	word   atomics.Uint64
	parker atomics.Plain[*park.Parker] // of the waiter; kept for later waiters
}

const (
	waiting = iota // the waiter spins, or will come
	asleep         // the waiter sleeps, and must be woken
	granted        // the waiter has the lock
	left           // the waiter has given up

	slotStates
)

// await waits until the slot is granted. If ctx ends before, await returns why, and the slot will
// not be granted. near says that the wait may be short, as only the holder is ahead: then await
// spins for a while, and yields once, before it parks. Other waiters park at once: several turns
// are ahead of them, and a parked goroutine, once woken, comes back sooner than one that has
// yielded to many.
func (t *waitSlot) await(use uint64, near bool, ctx context.Context) error {
	if near {
		for b := (backoff.Backoff{}); !b.Spent(); b.Wait() {
			if t.word.Load() == use+granted {
				return nil
			}
		}
		yield.Local() // the holder may wait for this very processor
	}
	parker := t.parker.Get()
	if parker == nil {
		parker = park.New()
		t.parker.Set(parker)
	}
	if !t.word.CompareAndSwap(use+waiting, use+asleep) {
		return nil
	}
	for t.word.Load() != use+granted {
		if err := sleep(parker, ctx); err != nil {
			if t.word.CompareAndSwap(use+asleep, use+left) {
				return err
			}
			return nil // granted before it could leave: the lock must not be lost
		}
	}
	return nil
}

// grant gives the lock to the waiter that waits, or will wait. It reports false if the waiter has
// left.
func (t *waitSlot) grant(use uint64) bool {
	for {
		w := t.word.Load()
		if w == use+left {
			return false
		}
		var parker *park.Parker
		if w == use+asleep {
			parker = t.parker.Get()
		}
		if t.word.CompareAndSwap(w, use+granted) {
			if parker != nil {
				parker.Unpark()
			}
			return true
		}
	}
}

// forever is the context of Lock.
var forever context.Context

// sleep parks until there is a token, or until ctx ends.
func sleep(p *park.Parker, ctx context.Context) error {
	if ctx == forever {
		p.Park()
		return nil
	}
	return p.ParkContext(ctx)
}
