// Package poll has what `freerun build` inserts into code that knows nothing of activities: into
// the loops of helpers, of other modules, and into functions that call each other in a circle.
// Programs need not call it.
package poll

import (
	"github.com/freerun-go/freerun/internal/pollpoint"
)

// Here has the activity that runs yield if its time is over. It need not know which that is, and
// any goroutine may call it: on one that runs no activity it has no effect. A call is one load and
// a branch, except about once in a millisecond. In a deterministic runtime, and while the activity
// is locked to its thread, it does not yield.
func Here() {
	if n := pollpoint.Word.Load(); n != 0 {
		due(n)
	}
}

//go:noinline
func due(n uint32) {
	if pollpoint.Due != nil {
		pollpoint.Due(n)
	}
}
