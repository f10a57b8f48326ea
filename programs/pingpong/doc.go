// Package pingpong passes one message to and fro between two parties. There is never more than one message under way, so
// there is nothing to run in parallel and nothing to batch: what is measured is the cost of handing over, one hop after
// the other. One operation is one hop.
//
//	variant    file          how
//	units      units.go      two units; each operation tells the other unit
//	channels   channels.go   two goroutines and two unbuffered channels
package pingpong
