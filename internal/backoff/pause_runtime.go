//go:build gc && !freerun_portable && !go1.27 && !explore

package backoff

import _ "unsafe" // for go:linkname

// pause executes so many pause instructions.
func pause(n uint32) { procyield(n) }

//go:linkname procyield runtime.procyield
func procyield(cycles uint32)
