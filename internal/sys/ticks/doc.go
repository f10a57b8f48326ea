// Package ticks reads a clock that is as cheap as the machine has one: for recording what happens every hundred nanoseconds.
//
// Now returns a number that grows at a steady rate, the same for all processors of the machine: what happened before is not later on it, but for some tens of
// nanoseconds by which the machine may read it early. How long a tick is, is found by reading it beside Go's clock ([Mark]), twice.
//
// # Implementations
//
//	ticks_counter.go, ticks_amd64.s   the time-stamp counter, if the operating system itself tells the time by it: then it has looked
//	                                  whether the counters of all cores agree, and run on in their sleep. Some 8 ns.
//	ticks_clock.go                    elsewhere, Go's monotonic clock, in nanoseconds. Some 25 ns.
//
// Go has no portable access to the counter, and runtime.nanotime, which would need go:linkname, is hardly cheaper than time.Since.
package ticks
