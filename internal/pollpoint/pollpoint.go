// Package pollpoint joins the polls that `freerun build` inserts (package activity/poll), which
// need no activity, with package activity, which knows what runs, and with package beat, which sets
// the word that polls look at.
//
// What has polls imports this package, and nothing here is initialized by code, nor in what it
// imports: so polls change nothing in the order in which a program's packages are initialized.
package pollpoint

import (
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Word is 0, or the number of a beat that nobody has taken. A beat stores its number if the word is
// 0, and otherwise leaves the word as it is. Numbers grow by 1 with each beat, taken or not, and
// leave out 0 when they wrap around. Any goroutine may load the word, and may take beat n by
// CompareAndSwap(n, 0). Nothing else may be stored. It must not be copied. It is in cache lines of
// its own: what is polled often is beside nothing that others write.
var Word struct {
	_ pad.Line
	atomic.Uint32
	_ pad.Line
}

// Due is called at a poll while beat n is set: package activity sets it when it is initialized.
var Due func(n uint32)
