// Package netpoll makes Go's scheduler look at the network while every P is busy.
//
// Go polls the network when a P has no goroutine to run. A goroutine that calls runtime.Gosched
// stays runnable. So where every P has a goroutine that computes and yields, only Go's monitor
// polls, every 10 ms, and a socket waits that long for each of its events.
//
// [Poller.Poll] parks the calling goroutine on a descriptor of its own, which has an event already.
// The P runs its other runnable goroutines. When there is none left it polls, and finds that event
// together with those of all sockets, and the caller goes on. So a poll is a yield, and takes 2 µs
// where no other goroutine is runnable.
//
//	poller.go          the wait, the same for every descriptor
//	source.go          the descriptor: an eventfd, with one system call besides the poll, or a pipe,
//	                   with two
//	event_….go         eventfds, which only Linux has
//	look_….go          on Linux, whether a poll would find anything
//	poller_none.go     Windows, wasm, and the build tag freerun_portable: no poller can be made
//
// [Way] returns the way that a program has, and the reason.
package netpoll
