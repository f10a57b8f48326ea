//go:build gc && !freerun_portable && !go1.27

package yield

import _ "unsafe" // for go:linkname

// Way says how Local lets others run, for people.
const Way = "runtime.goyield, by linkname"

// Local lets the goroutines run that wait in the queue of this P, then goes on; goroutines in the queue of all Ps wait longer. Any
// goroutine that is not pinned.
func Local() { goyield() }

//go:linkname goyield runtime.goyield
func goyield()
