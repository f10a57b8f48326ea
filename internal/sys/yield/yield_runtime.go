//go:build gc && !freerun_portable && !go1.27

package yield

import _ "unsafe" // for go:linkname

// Way is a text for reports: how this build lets other goroutines run.
const Way = "runtime.goyield, by linkname"

// Local lets the goroutines in the queue of this P run, then goes on. Goroutines in the queue of
// all Ps wait longer. Any goroutine that is not pinned may call it.
func Local() { goyield() }

//go:linkname goyield runtime.goyield
func goyield()
