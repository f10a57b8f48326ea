//go:build gc && !race && !freerun_portable && !go1.27 && !explore

package pin

import _ "unsafe" // for go:linkname

// Exclusive is true: no two goroutines hold the same index at the same time.
const Exclusive = true

// Pin holds the calling goroutine on its P until Unpin and returns the index of that P. Any
// goroutine may call it. It never waits or allocates. Between Pin and Unpin the rules of the
// package documentation bind the caller.
//
//go:linkname Pin runtime.procPin
//go:nosplit
func Pin() int

// Unpin ends the section that the latest Pin of this goroutine began. An Unpin without its Pin
// corrupts the state of the runtime.
//
//go:linkname Unpin runtime.procUnpin
//go:nosplit
func Unpin()
