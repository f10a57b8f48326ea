// Package ticks reads the cheapest clock of the machine, for recording events that happen every
// hundred nanoseconds.
//
// Now returns a number that grows at a steady rate, the same for all processors of the machine. An
// earlier event has an earlier time, or the same, up to some tens of nanoseconds by which the
// machine may read the clock early. The length of a tick follows from two readings beside Go's
// clock ([Mark]).
//
// # Implementations
//
//	ticks_counter.go, ticks_amd64.s   the time-stamp counter, if the operating system itself tells
//	                                  the time by it: then it has checked that the counters of
//	                                  all cores agree, and run on in their sleep. Some 8 ns.
//	ticks_clock.go                    elsewhere, Go's monotonic clock, in nanoseconds. Some 25 ns.
//
// Go has no portable access to the counter, and runtime.nanotime, which would need go:linkname, is
// hardly cheaper than time.Since.
package ticks
