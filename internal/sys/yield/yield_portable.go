//go:build !gc || freerun_portable || go1.27

package yield

import "runtime"

// Way says how Local lets others run, for people.
const Way = "runtime.Gosched"

// Local lets other goroutines run, then goes on. Any goroutine that is not pinned.
func Local() { runtime.Gosched() }
