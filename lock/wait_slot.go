package lock

import (
	"context"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sys/yield"
)

// Sketch:     waiting ─→ asleep ─→ left       by the one who waits: await
//             waiting ─→ granted, asleep ─→ granted    by the one who hands the lock over: grant
// Invariants: I1 granted and left are final, and who brings one about knows it: so a lock that is handed over is taken, and
//             one that is not taken is handed to the next. I2 the parker is set before asleep and stays.
// Progress:   grant is wait-free: it fails against await at most twice. await waits.
// Publish:    parker is written before the word becomes asleep and read after that was loaded
// ABA/memory: a token of the parker may come after its receiver has seen the grant and gone on: so whoever sleeps looks at
//             the word again, whatever woke it, and a token too many is a look too many
// Cost:       await: one CAS, and the sleep; grant: one CAS, and the wake-up. A parker is allocated once, with the first sleep.
// Checked by: the tests of the locks that wait by it; what a turn without its CAS would come to is TestExploreLostWakeUp

// turn is where one waits for its turn. The word is a multiple of turnStates, which tells one use of the same turn from the
// next (the locks that make new use of a turn at rest reset the word, and use 0), plus one of the states below.
type waitSlot struct {
	word   atomics.Uint64
	parker atomics.Plain[*park.Parker] // of the one who waits; kept for those who will
}

const (
	waiting = iota // somebody waits awake, or will come
	asleep         // somebody waits, and must be woken
	granted        // the lock is that of the one who waits
	left           // nobody waits any more

	slotStates
)

// await waits until the turn is granted. If ctx ends before, await returns why, and nobody will be granted the turn. near says that
// the wait may be short, as only the holder is ahead: then it spins for a while, and yields once, before it parks. Others park at
// once: they have a wait of several turns ahead, and a goroutine that is parked comes back sooner, once it is woken, than one that
// has yielded to a crowd.
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
			return nil // it was granted before we could leave: the lock must not be lost
		}
	}
	return nil
}

// grant makes it the turn of the one who waits, or will wait, and reports false if nobody does as they have left.
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
