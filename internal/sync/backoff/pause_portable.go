//go:build (!gc || !(amd64 || arm64) || freerun_portable || go1.27) && !explore

package backoff

// pause takes about as long as n pause instructions.
//
//go:noinline
func pause(n uint32) {
	for i := n * 30; i > 0; i-- {
	}
}
