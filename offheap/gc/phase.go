package gc

import "fmt"

// state is the heap's one global word: the number of the cycle, which only grows, and the phase it is in. Whoever has done, or has seen done, all that
// a phase is for moves it on by compare-and-swap; a state never comes back.
type state uint64

const (
	idle     = 0 // no cycle is in progress; the number is that of the last one
	rooting  = 1 // the roots are being painted; nothing is looked into yet
	tracing  = 2 // what is grey is being looked into
	shut     = 3 // the heap is closed
	sweeping = 4 // what is white is being freed

	phaseBits = 3
	phaseMask = 1<<phaseBits - 1
	paintMask = 3 // no bit of it is set where mutators need not paint
)

func stateOf(cycle uint64, phase state) state { return state(cycle)<<phaseBits | phase }

func (s state) cycle() uint64 { return uint64(s >> phaseBits) }

func (s state) phase() state { return s & phaseMask }

// paints reports whether mutators must paint what they get hold of; in a heap that is closed, too, where the attempt panics.
func (s state) paints() bool { return s&paintMask != 0 }

// String names the state in messages.
func (s state) String() string {
	names := [...]string{idle: "idle after", rooting: "rooting", tracing: "tracing", shut: "closed after", sweeping: "sweeping"}
	return fmt.Sprintf("%s cycle %d", names[s.phase()], s.cycle())
}
