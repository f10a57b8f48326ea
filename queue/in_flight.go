package queue

import (
	"runtime"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// inFlight counts the calls that have begun and not ended, where many run at once and nobody asks until late: each processor counts on
// a line of its own. A call that begins while none is asking may therefore be missed; so those who ask first raise a flag
// that calls look at after begin, and turn back if it is up. Then what none reports is true for good of all calls that did
// not turn back.
//
// Progress: all wait-free. Linearize: a call at its begin and end; none at no single point, but see above: with the flag up, calls
// that do not turn back only end, so each line that was seen at zero stays there.
type inFlight struct {
	lines []inFlightLine // as many as a power of two
}

type inFlightLine struct {
	calls atomics.Int64
	_     [pad.Size - 8]byte
}

// maxInFlightLines bounds what none has to look at, and the space.
const maxInFlightLines = 32

func newInFlight() inFlight {
	n := 1
	for n < runtime.GOMAXPROCS(0) && n < maxInFlightLines {
		n *= 2
	}
	return inFlight{lines: make([]inFlightLine, n)}
}

// begin counts a call, and returns what its end must be told. Any goroutine.
func (f *inFlight) begin() (line int) {
	if len(f.lines) == 0 { // in place of the check of the index below
		panic(zeroBlocking)
	}
	line = pin.Pin() & (len(f.lines) - 1)
	pin.Unpin()
	f.lines[line].calls.Add(1)
	return line
}

// end takes the call off the count. Any goroutine.
func (f *inFlight) end(line int) { f.lines[line].calls.Add(-1) }

// none reports whether each line was at zero at some instant of the call. Any goroutine.
func (f *inFlight) none() bool {
	for i := range f.lines {
		if f.lines[i].calls.Load() != 0 {
			return false
		}
	}
	return true
}
