//go:build !explore

package backoff

import "github.com/freerun-go/freerun/internal/sys/yield"

// Backoff counts the attempts of one call. The zero value has made none. It belongs to one
// goroutine and is a local variable.
type Backoff struct {
	turns uint8
}

const (
	// longest is the exponent of the longest pause: 2^longest pause instructions, some 100 ns to 1
	// µs.
	longest = 5
	// spins is the number of turns for which Wait pauses before it yields: together about as long
	// as a goroutine takes to be rescheduled.
	spins = 8
)

// Retry pauses after a failed attempt, twice as long each time up to a limit of about a
// microsecond.
func (b *Backoff) Retry() {
	pause(1 << min(b.turns, longest))
	b.turns++
	if b.turns > spins {
		b.turns = spins
	}
}

// Wait passes time in a loop that waits for another thread. It pauses for the first turns and then
// lets other goroutines run.
func (b *Backoff) Wait() {
	if b.turns < spins {
		pause(1 << min(b.turns, longest))
		b.turns++
		return
	}
	yield.All()
}

// Rest is Wait for a goroutine that competes with another for a word that the other uses again and
// again, or for the items of another that works on. It pauses for about a microsecond at once, so
// that the other gets many turns while the cache lines stay with it.
func (b *Backoff) Rest() {
	if b.turns < spins {
		pause(1 << longest)
		b.turns += spins / 4
		return
	}
	yield.All()
}

// Spent reports whether Wait has begun to yield: the caller has waited as long as it pays to stay
// awake, and should park if it can.
func (b *Backoff) Spent() bool { return b.turns >= spins }
