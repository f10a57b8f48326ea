//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27 && !explore

package backoff

// pause executes n pause instructions, at least one.
//
//go:noescape
func pause(n uint32)
