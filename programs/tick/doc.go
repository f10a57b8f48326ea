// Package tick does one small task a millisecond and measures the CPU time that takes, of the whole process: what do wake-ups cost, and
// does a runtime that has next to nothing to do keep processors busy looking for more?
//
// One operation is one tick, and its time is CPU time, not the millisecond that it lasts. A ticker drops ticks when
// nobody comes for them, so a run lasts until so many were received; how long that took is a figure.
//
//	variant      file       how
//	units        units.go   a ticker wakes a goroutine, which sends to a unit by Tell
//	goroutines   plain.go   a ticker wakes a goroutine, which does the task itself: one wake-up a tick
//	channels     plain.go   a ticker wakes a goroutine, which sends to another on a channel without a buffer
//
// The CPU time is that of getrusage (programs/cpu_unix.go) or GetProcessTimes (programs/cpu_windows.go); elsewhere it is what Go's runtime
// estimates (programs/cpu_other.go).
package tick
