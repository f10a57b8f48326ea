//go:build !gc || freerun_portable || go1.27

package yield

import "runtime"

// Way says for people how Local lets others run.
const Way = "runtime.Gosched"

// Local lets other goroutines run, then goes on. Any goroutine that is not pinned.
func Local() { runtime.Gosched() }
