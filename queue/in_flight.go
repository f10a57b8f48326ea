package queue

import (
	"runtime"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// inFlight counts the calls that have begun and not ended. Many calls run at once, and only a
// closing queue asks for the count. So each processor counts on a cache line of its own, as far as
// maxInFlightLines goes.
//
// none looks at one line after another, so it may miss a call that begins meanwhile. Callers of
// none therefore raise a flag first. A call looks at that flag after begin, and turns back if the
// flag is up. Once none has reported true with the flag up, every call that did not turn back has
// ended, for good.
//
// Progress:  all wait-free.
// Linearize: a call at its begin and its end. none has no single point: with the flag up, calls
// that do not turn back only end, so a line that was seen at zero stays there.
type inFlight struct {
	lines []inFlightLine // as many as a power of two
}

type inFlightLine struct {
	calls atomics.Int64
	_     [pad.Size - 8]byte
}

// maxInFlightLines bounds the space, and how many lines none looks at.
const maxInFlightLines = 32

func newInFlight() inFlight {
	n := 1
	for n < runtime.GOMAXPROCS(0) && n < maxInFlightLines {
		n *= 2
	}
	return inFlight{lines: make([]inFlightLine, n)}
}

// begin counts a call, and returns the line to be given to end. Any goroutine.
func (f *inFlight) begin() (line int) {
	if len(f.lines) == 0 { // instead of a check of the index below
		panic(zeroBlocking)
	}
	line = pin.Pin() & (len(f.lines) - 1)
	pin.Unpin()
	f.lines[line].calls.Add(1)
	return line
}

// end takes the call off the count. Any goroutine.
func (f *inFlight) end(line int) { f.lines[line].calls.Add(-1) }

// none reports whether each line was at zero when none looked at it. Any goroutine.
func (f *inFlight) none() bool {
	for i := range f.lines {
		if f.lines[i].calls.Load() != 0 {
			return false
		}
	}
	return true
}
