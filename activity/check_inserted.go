package activity

import "github.com/freerun-go/freerun/internal/sys/blockhook"

// CheckInserted is what `freerun build` inserts: a Check that does not end the activity if the
// runtime gives up what has not ended, for the code around it may hold a lock. The activity goes
// on, without a processor, to its next wait, Yield or Check.
//
//go:norace
func (a *Activity) CheckInserted(n int32) {
	if a != nil {
		if a.quantum -= n; a.quantum < 0 {
			a.expireInserted()
		}
	}
}

// expireInserted is expire for code that knows nothing of its checks: the activity is midway there.
//
//go:norace
func (a *Activity) expireInserted() {
	switch st := a.checked(); {
	case st == nil:
		a.refill()
	case st.discarded:
		a.quantum = 0 // the activity ends at its next Check
	case st.co.Processor().Driven():
		blockhook.NoteCheck()
		a.Yield() // U3
	default:
		st.yieldMidway()
	}
}
