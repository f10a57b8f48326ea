//go:build gc && !(linux && (amd64 || arm64)) && !race && !freerun_portable && !go1.27 && !explore

package pin

import "runtime"

// fenced is true: no barrier for all threads is known for this system, so each section executes a
// barrier.
const fenced = true

// barrier does nothing: each section executes a barrier.
func barrier() {}

// Prepare does nothing.
func Prepare() {}

// Status returns how the package works in this process, and the reason. Any goroutine may call it.
func Status() State {
	return State{"fenced", "no barrier for all threads is known on " + runtime.GOOS + "/" + runtime.GOARCH + ": each section executes a barrier"}
}
