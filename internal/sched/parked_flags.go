package sched

import (
	"math/bits"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// flags has a bit for each processor, up while it is parked or about to be. There are never fewer of them, and none moves.
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

// raise puts up the flag of processor i (P1).
func (f *flags) raise(i int) {
	w := f.word(i)
	for {
		old := w.Load()
		if w.CompareAndSwap(old, old|1<<(i%64)) {
			return
		}
	}
}

// lower takes the flag of processor i down and reports whether it was up.
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

// isUp reports whether the flag of processor i is up.
func (f *flags) isUp(i int) bool { return f.word(i).Load()&(1<<(i%64)) != 0 }

// lowerAny takes some flag down and returns whose it was (W2). The caller has raised the census, so there is one.
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
