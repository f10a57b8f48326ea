//go:build !wasm

package transfer

import (
	"fmt"
	"sync"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// sender sends what is under way into the logs.
type sender struct {
	*calls
	logs     Logs
	turn     turn
	carriers map[way]*partition.Carrier
}

// way is a way into a log.
type way struct {
	partition int
	session   bool
}

func newSender(l Logs) *sender {
	return &sender{calls: newCalls(), logs: l, carriers: map[way]*partition.Carrier{}}
}

// send sends a command to a unit, behind what was sent before on the same way. It may return the
// error of one before.
func (s *sender) send(by way, unit string, body []byte, told bool) error {
	c, err := s.carrier(by)
	if err == nil {
		err = s.begin()
	}
	if err != nil {
		return err
	}
	s.turn.Run(func() {
		c.Send(unit, body, told, func(err error) {
			if err != nil {
				err = fmt.Errorf("the log of partition %d: %w", by.partition, err)
			}
			s.end(err)
		})
	})
	if len(body) > large {
		return s.wait()
	}
	return s.err()
}

// carrier returns the carrier of a way, for which it opens a session if it is to have one.
func (s *sender) carrier(by way) (*partition.Carrier, error) {
	if c := s.carriers[by]; c != nil {
		return c, nil
	}
	session := uint64(0)
	if by.session {
		var err error
		// No machine has that name.
		opening := partition.Entry{Opening: &partition.Opening{Node: "copy"}}
		session, err = insist(func(done func(uint64, error)) { s.logs.Append(by.partition, opening.Encode(), done) })
		if err != nil {
			return nil, err
		}
	}
	c := partition.NewCarrier(by.partition, session, s.logs, &s.turn)
	s.carriers[by] = c
	return c, nil
}

// large is a message behind which no more is sent before the logs have it: so not too much is under
// way.
const large = 32 << 20 / mostUnder

// close has nothing be sent any more.
func (s *sender) close() {
	ended := make(chan struct{})
	s.turn.Run(func() {
		for _, c := range s.carriers {
			c.End()
		}
		close(ended)
	})
	<-ended
}

// turn is a [partition.World] of goroutines: what it is given runs one after another.
type turn struct {
	mu   sync.Mutex
	list []func()
	runs bool
}

// Run implements [partition.World].
func (t *turn) Run(fn func()) {
	t.mu.Lock()
	t.list = append(t.list, fn)
	if t.runs {
		t.mu.Unlock()
		return
	}
	t.runs = true
	for len(t.list) > 0 {
		next := t.list[0]
		t.list = t.list[1:]
		t.mu.Unlock()
		next()
		t.mu.Lock()
	}
	t.runs = false
	t.mu.Unlock()
}

// After implements [partition.World].
func (t *turn) After(d time.Duration, fn func()) { time.AfterFunc(d, func() { t.Run(fn) }) }

// Now implements [partition.World].
func (t *turn) Now() time.Time { return time.Now() }
