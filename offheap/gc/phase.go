package gc

import "fmt"

// state is the heap's one global word: the number of the cycle, which only grows, and its phase. A
// collector that has done, or has seen done, all the work of a phase moves it on by
// compare-and-swap. No state repeats.
type state uint64

const (
	idle     = 0 // no cycle is in progress; the number is that of the last one
	rooting  = 1 // the objects in roots are being painted; none is scanned yet
	tracing  = 2 // grey objects are being scanned
	shut     = 3 // the heap is closed
	sweeping = 4 // white objects are being freed

	phaseBits = 3
	phaseMask = 1<<phaseBits - 1
	paintMask = 3 // no bit of it is set in phases in which mutators need not paint
)

func stateOf(cycle uint64, phase state) state { return state(cycle)<<phaseBits | phase }

func (s state) cycle() uint64 { return uint64(s >> phaseBits) }

func (s state) phase() state { return s & phaseMask }

// paints reports whether mutators must paint the objects that they take or store. It is true for a
// closed heap too, where the attempt panics.
func (s state) paints() bool { return s&paintMask != 0 }

// String names the state in messages.
func (s state) String() string {
	names := [...]string{idle: "idle after", rooting: "rooting", tracing: "tracing", shut: "closed after", sweeping: "sweeping"}
	return fmt.Sprintf("%s cycle %d", names[s.phase()], s.cycle())
}
