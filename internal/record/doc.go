// Package record is how a running program is recorded: tapes, of which each processor writes one, and the stream that they are copied to.
//
// A tape has words of 64 bits, and an event is one to three of them. The first says what it is, of which operation, and when; the others are addresses, of
// messages and of units, as they are: what costs time is left to whoever reads the recording, above all to find out which two addresses are the same
// message. So nothing in a message or a unit is there for the sake of recording.
//
// Package trace reads a stream.
package record
