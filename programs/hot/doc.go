// Package hot keeps two units under a flood of messages and meanwhile calls other units: does a
// call to a unit that has nothing to do with the flood have to wait for it? In the flood, the two
// hot units send messages to each other, so many that each mailbox is as deep as the parameter
// "depth" says, all the time. The callers are ordinary goroutines. They send to quiet units, wait
// for the answer, and sleep for a while, so that each call begins with the quiet units at rest.
//
// A run makes its calls twice: first in an otherwise idle runtime, then under the flood. One
// operation is one call under the flood; the figures after the table have the distributions of
// both. The latency under the flood should stay within a small multiple of the idle one, whatever
// the depth.
//
// A flood can delay a call in two places: in the call itself, and before it, when the caller wakes
// up while all of Go's threads are busy. Both are reported, the second as how much longer than
// asked for the caller slept; Go's timers alone make that up to a millisecond.
//
// A run checks that every call is answered once, and that the flood has as many messages at the end
// as were put into it.
//
//	variant    file          how
//	units      units.go      hot units pass messages on by Tell; a call is Send and Wait
//	channels   channels.go   a goroutine for each, with a buffered channel for its messages
package hot
