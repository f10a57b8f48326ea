package fanin

import (
	"strconv"
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// buffer is how many messages the channel holds before a sender waits: the usual generous choice.
const buffer = 1024

func runChannels(cfg programs.Config) (programs.Result, error) {
	t := newTally(cfg)
	messages := make(chan message, buffer)
	var receiver sync.WaitGroup
	receiver.Go(func() {
		for m := range messages {
			t.receive(m)
		}
	})
	result, err := run(cfg, t.finish, func(m message) { messages <- m })
	close(messages)
	receiver.Wait()
	result.Checksum = strconv.Itoa(t.sum)
	return result, err
}
