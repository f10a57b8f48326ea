package freerun

import "github.com/freerun-go/freerun/internal/sync/atomics"

// inside says what runs with a [Context] now. Its lowest two bits say what that is, or that nothing
// runs; above them is how many inlined operations run in it, one inside another. The context's
// goroutine writes it. Others read it, to name what does not return.
//
//	begin, end       what runs has begun, or come to run again; or it has ended, or is left
//	inline, outline  an inlined operation has begun, or has ended
//
// An activity is not left in an inlined operation: it inlines none, as it has no credit for that.
type inside struct{ word atomics.RelaxedUintptr }

// What may run with a context.
const (
	anOperation = 1 + iota
	anActivity
	aBranch // that a thief has; not one that its own operation or activity runs

	whatBits   = 3
	oneInlined = whatBits + 1
)

func (i *inside) begin(what uintptr) { i.word.Store(what) }
func (i *inside) end()               { i.word.Store(0) }
func (i *inside) inline()            { i.word.Store(i.word.Load() + oneInlined) }
func (i *inside) outline()           { i.word.Store(i.word.Load() - oneInlined) }

// inlined returns how many inlined operations run.
func (i *inside) inlined() int { return int(i.word.Load() / oneInlined) }

// read returns what runs, 0 if nothing does, and how many inlined operations run in it.
func (i *inside) read() (what, inlined uintptr) {
	word := i.word.Load()
	return word & whatBits, word / oneInlined
}
