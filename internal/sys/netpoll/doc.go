// Package netpoll makes Go's scheduler look at the network while every P is busy.
//
// Go polls the network when a P has nothing to run. A goroutine that calls runtime.Gosched is
// something to run. So beside goroutines that compute and yield, one for each P, only Go's monitor
// polls, every 10 ms, and a socket waits that long for each of its events.
//
// [Poller.Poll] parks the calling goroutine on a descriptor of its own, which has an event already.
// The P runs what else is runnable, then finds nothing, polls, and finds that event together with
// those of all sockets. The goroutine goes on at once. So a poll is a yield, and takes 2 µs where
// nothing else is runnable.
//
//	poller.go          the wait, the same for every descriptor
//	source.go          the descriptor: an eventfd, with one system call besides the poll, or a pipe,
//	                   with two
//	event_….go         eventfds, which only Linux has
//	poller_none.go     Windows, wasm, and the build tag freerun_portable: no poller can be made
//
// [Way] says which of them a program has, and why.
package netpoll
