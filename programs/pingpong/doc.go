// Package pingpong passes one message to and fro between two parties. There is never more than one
// message under way, so nothing runs in parallel and nothing can be batched: the program measures
// the cost of handing over, hop by hop. One operation is one hop.
//
//	variant    file          how
//	units      units.go      two units; each operation tells the other unit
//	channels   channels.go   two goroutines and two unbuffered channels
package pingpong
