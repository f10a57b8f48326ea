// Package fanin lets four ordinary goroutines send to one receiver that counts. It measures what a
// message from outside the runtime costs, sender and receiver together: the clock stops when the
// last message was received, not when it was sent. One operation is one message received.
//
// The receiver checks that no message is lost or doubled, and that those of one sender arrive in
// order.
//
//	variant    file          how
//	units      units.go      the goroutines tell a unit; its mailbox has no bound
//	channels   channels.go   a channel with a buffer of 1024; a fifth goroutine receives
//	mutex      mutex.go      the goroutines count for themselves, under a lock
package fanin
