package rivals

import "sync"

// ChannelEntity is a goroutine that receives from a channel with a buffer of 1024.
func ChannelEntity(receive func()) (send, stop func()) {
	messages := make(chan struct{}, 1024)
	var group sync.WaitGroup
	group.Go(func() {
		for range messages {
			receive()
		}
	})
	return func() { messages <- struct{}{} }, func() { close(messages); group.Wait() }
}

// ChannelPair is two goroutines with an unbuffered channel each.
func ChannelPair(hop func() bool) (serve, stop func()) {
	ping, pong := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	play := func(in <-chan struct{}, out chan<- struct{}) {
		for range in {
			if !hop() {
				close(out)
				return
			}
			out <- struct{}{}
		}
	}
	group.Go(func() { play(ping, pong) })
	group.Go(func() { play(pong, ping) })
	return func() { ping <- struct{}{} }, group.Wait
}

// GoPool starts a goroutine for every task.
func GoPool() (submit func(func()), wait, stop func()) {
	var group sync.WaitGroup
	return group.Go, group.Wait, func() {}
}
