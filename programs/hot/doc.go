// Package hot keeps two units under a flood of messages and calls others meanwhile: does a call to a unit that has nothing to do with
// the flood have to wait for it? The flood is messages that the two hot units send to each other, so many that the mailbox
// of each is as deep as the parameter "depth" says, all the time. The callers are ordinary goroutines that send to quiet
// units, wait for the answer, and sleep for a while, so that each call begins with the quiet units at rest.
//
// Each run makes its calls twice: first in an otherwise idle runtime, then under the flood. One operation is one call under the flood;
// the figures after the table have the distribution of both. What should be seen is that the latency under the flood stays within a
// small multiple of the idle one, whatever the depth.
//
// A flood is felt in two places: in the call, and before it, when the caller wants to wake up and Go's threads are all busy. Both are
// reported, the second as how much longer than asked for the caller slept; Go's timers alone make that up to a millisecond.
//
// A run checks that every call is answered once, and that as many messages are left of the flood as were put into it.
//
//	variant    file          how
//	units      units.go      hot and quiet units, the hot ones pass messages on by Tell, calls are Send and Wait
//	channels   channels.go   a goroutine for each, with a buffered channel that its messages come in by
package hot
