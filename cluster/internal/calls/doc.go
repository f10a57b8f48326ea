// Package calls brings what is sent to units of other machines there, and its outcome back, beside
// any log: at most once, and in order.
//
//	line   (sender)    numbers calls to the units of one partition, and gets their outcomes; what
//	                   was not taken it sends again, to whichever machine has the partition then
//	gate   (receiver)  takes the calls to the units of one partition, those of each machine in
//	                   their order
//
// Nothing in it waits, and nothing is concurrent: each Line and each Gate is used by one goroutine
// at a time.
package calls
