package ddb

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
)

// testClock is a clock that the test sets.
type testClock struct{ nanoseconds atomic.Int64 }

func newTestClock() *testClock {
	c := &testClock{}
	c.nanoseconds.Store(time.Unix(1_700_000_000, 0).UnixNano())
	return c
}

func (c *testClock) now() time.Time          { return time.Unix(0, c.nanoseconds.Load()) }
func (c *testClock) advance(d time.Duration) { c.nanoseconds.Add(int64(d)) }

// countWithoutSweeping returns how many keys are stored, due or not.
func countWithoutSweeping(s *Server) int {
	n := 0
	for _, unit := range s.units {
		stored, _ := freerun.Do(s.outside, unit, func(_ *freerun.Context, s *shard) (int, error) {
			return len(s.entries), nil
		}).Wait(context.Background())
		n += stored
	}
	return n
}
