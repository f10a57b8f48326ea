// Package netpoll has Go's scheduler look at the network while every P is busy.
//
// Go polls the network when a P has nothing to run. A goroutine that calls runtime.Gosched is something to run: so
// beside goroutines that compute and yield, one for each P, only Go's monitor polls, every 10 ms, and a socket waits
// that long for each of its events.
//
// [Poller.Poll] parks the calling goroutine on a descriptor of its own, which has an event already. The P runs what
// else is runnable, then finds nothing, polls, and finds that event, with those of all sockets. The goroutine goes on
// at once. So a poll is a yield, for 2 µs where nothing else is to be run.
//
//	poller.go          the wait, the same for every descriptor
//	source.go          the descriptor: an eventfd, which takes one system call besides the poll, or a pipe, which takes two
//	event_….go         eventfds, which only Linux has
//	poller_none.go     Windows, wasm, and builds with the tag freerun_portable: no poller can be made
//
// [Way] tells which of them a program has, and why.
package netpoll
