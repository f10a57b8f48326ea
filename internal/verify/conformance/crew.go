package conformance

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// patience is the time without any progress after which a crew gives up. It does not bound the time
// that progress takes.
var patience = 20 * time.Second

// A crew is a group of goroutines that begin at the same instant and end with an error or without
// one. Between beginning and end they synchronise as little as possible: more would hide from the
// race detector that the container fails to synchronise them.
type crew struct {
	hands    []*hand
	jobs     []func(h *hand) error
	arrived  atomic.Int64
	counted  int64        // number of hands that count, see add
	finished atomic.Int64 // number of these that have ended
	giveUp   atomic.Bool  // a hand has failed; the others must not wait for it
}

// A hand is one goroutine of a crew.
type hand struct {
	_     pad.Line
	crew  *crew
	ends  bool         // counts
	moved atomic.Int64 // number of steps it got done; stuck hands look at it
	fails int          // calls since then that got nothing done
	last  int64        // steps of all hands together when it last looked
	since time.Time    // when that changed
	_     pad.Line
}

var errGivenUp = errors.New("gave up because another goroutine has failed")

// add adds a hand to the crew. allFinished asks whether all hands that count have finished.
func (c *crew) add(counts bool, job func(h *hand) error) {
	c.hands = append(c.hands, &hand{crew: c, ends: counts})
	if counts {
		c.counted++
	}
	c.jobs = append(c.jobs, job)
}

// run starts all hands, waits for them, and returns the first error. The error of a hand that only
// gave up comes last.
func (c *crew) run() error {
	var group sync.WaitGroup
	errs := make([]error, len(c.hands))
	for i, h := range c.hands {
		group.Go(func() {
			for c.arrived.Add(1); c.arrived.Load() < int64(len(c.hands)); {
				runtime.Gosched()
			}
			if errs[i] = c.jobs[i](h); errs[i] != nil {
				c.giveUp.Store(true)
			}
			if h.ends {
				c.finished.Add(1)
			}
		})
	}
	group.Wait()
	var first error
	for _, err := range errs {
		if err != nil && (first == nil || first == errGivenUp) {
			first = err
		}
	}
	return first
}

// allFinished reports whether all hands that count have finished.
func (c *crew) allFinished() bool { return c.finished.Load() == c.counted }

// did notes that the hand got something done.
func (h *hand) did() {
	h.moved.Store(h.moved.Load() + 1)
	h.fails = 0
}

// pause lets others run after a call that got nothing done. It returns an error if the hand should
// give up.
func (h *hand) pause() error {
	const yields, look = 50, 64
	if h.fails++; h.fails < yields {
		runtime.Gosched()
		return nil
	}
	if h.crew.giveUp.Load() {
		return errGivenUp
	}
	time.Sleep(20 * time.Microsecond)
	if h.fails%look != 0 {
		return nil
	}
	sum := h.crew.finished.Load()
	for _, other := range h.crew.hands {
		sum += other.moved.Load()
	}
	if now := time.Now(); h.since.IsZero() || sum != h.last {
		h.last, h.since = sum, now
	} else if now.Sub(h.since) > patience {
		return fmt.Errorf("stuck: no goroutine got anything done for %v", patience)
	}
	return nil
}
