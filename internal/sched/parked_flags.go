package sched

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// flags holds a bit for each processor, set while the processor is parked or about to park. The
// array of words only grows, and no word moves.
type flags struct {
	_     pad.Line
	words atomics.Pointer[[]*atomics.Uint64]
}

func newFlags(n int) *flags {
	f := new(flags)
	f.words.Store(new([]*atomics.Uint64))
	f.grow(n)
	return f
}

// grow makes flags for n processors. One goroutine at a time.
func (f *flags) grow(n int) {
	words := *f.words.Load()
	for words = words[:len(words):len(words)]; len(words)*64 < n; {
		words = append(words, new(atomics.Uint64))
	}
	f.words.Store(&words)
}

func (f *flags) word(i int) *atomics.Uint64 { return (*f.words.Load())[i/64] }

// raise sets the flag of processor i (P1).
func (f *flags) raise(i int) {
	w := f.word(i)
	for {
		old := w.Load()
		if w.CompareAndSwap(old, old|1<<(i%64)) {
			return
		}
	}
}

// lower clears the flag of processor i and reports whether it was set (X3, and P3 of the parker
// itself).
func (f *flags) lower(i int) bool {
	w := f.word(i)
	for {
		old := w.Load()
		if old&(1<<(i%64)) == 0 {
			return false
		}
		if w.CompareAndSwap(old, old&^(1<<(i%64))) {
			return true
		}
	}
}

// isUp reports whether the flag of processor i is set.
func (f *flags) isUp(i int) bool { return f.word(i).Load()&(1<<(i%64)) != 0 }

// lowerAny clears some flag and returns its processor's index (W2). The caller has raised the
// census, so there is one.
func (f *flags) lowerAny() int {
	for {
		for k, word := range *f.words.Load() {
			if w := word.Load(); w != 0 {
				if i := k*64 + bits.TrailingZeros64(w); f.lower(i) {
					return i
				}
			}
		}
	}
}
