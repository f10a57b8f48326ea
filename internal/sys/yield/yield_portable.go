//go:build !gc || freerun_portable || go1.27

package yield

// Way is a text for reports: how this build lets other goroutines run.
const Way = "runtime.Gosched"

// Local lets other goroutines run, then goes on. Any goroutine that is not pinned may call it.
func Local() { All() }
