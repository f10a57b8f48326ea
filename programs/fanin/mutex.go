package fanin

import (
	"strconv"
	"sync"

	"github.com/freerun-go/freerun/programs"
)

func runMutex(cfg programs.Config) (programs.Result, error) {
	var mu sync.Mutex
	t := newTally(cfg)
	result, err := run(cfg, t.finish, func(m message) {
		mu.Lock()
		t.receive(m)
		mu.Unlock()
	})
	result.Checksum = strconv.Itoa(t.sum)
	return result, err
}
