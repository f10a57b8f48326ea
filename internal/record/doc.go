// Package record records a running program: each processor writes a tape, and a stream copies the
// tapes to a writer.
//
// A tape has words of 64 bits, and an event takes one to three of them. The first says what
// happened, in which operation, and when. The others are plain addresses of messages and units.
// Finding out which addresses mean the same message takes time, so it is left to the reader of the
// recording, and neither messages nor units have fields for recording.
//
// Package recording reads a stream.
package record
