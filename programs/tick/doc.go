// Package tick does one small task a millisecond and measures the CPU time of the whole process:
// what do wake-ups cost, and does an almost idle runtime keep processors busy looking for work?
//
// One operation is one tick. Its time is CPU time, not the millisecond that it lasts. A ticker
// drops ticks that are not received in time, so a run lasts until it has received its number of
// ticks; the duration is a figure.
//
//	variant      file       how
//	units        units.go   a ticker wakes a goroutine, which sends to a unit by Tell
//	goroutines   plain.go   a ticker wakes a goroutine, which does the task: one wake-up a tick
//	channels     plain.go   a ticker wakes a goroutine, which sends to another without a buffer
//
// The CPU time is that of getrusage (programs/cpu_unix.go) or GetProcessTimes
// (programs/cpu_windows.go). On other systems Go's runtime estimates it (programs/cpu_other.go).
package tick
