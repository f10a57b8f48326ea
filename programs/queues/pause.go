package queues

import (
	"runtime"

	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// pause passes time after a call that found a queue full or empty. All queues that do not wait by
// themselves have the same: pauses of a microsecond, in which the other side works on, and then
// other goroutines run. Where both sides looked again at once, each item would move the queue's
// cache lines to and fro. It belongs to one goroutine.
type pause struct {
	alone bool // with one processor there is no other side that works meanwhile
	rest  backoff.Backoff
}

func newPause() pause { return pause{alone: runtime.GOMAXPROCS(0) == 1} }

// miss passes some time.
func (p *pause) miss() {
	if p.alone {
		runtime.Gosched()
		return
	}
	p.rest.Rest()
}

// hit says that a call has succeeded.
func (p *pause) hit() { p.rest = backoff.Backoff{} }
