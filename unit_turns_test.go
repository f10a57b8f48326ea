package freerun_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// slow is the state of a unit with many messages, each of which takes long.
type slow struct {
	all *slowOnes
	me  int
}

// slowOnes is what several such units share. One processor runs them.
type slowOnes struct {
	units       []*freerun.Unit[slow]
	ran         atomic.Int64
	ended       atomic.Bool
	last        int // the unit that ran last
	row, inARow int // how often in a row it ran, and the most that any did
}

// slowMore takes 50 µs, and sends itself.
var slowMore = freerun.Op[slow, struct{}, struct{}]("slow more", nil)

var (
	_ = freerun.Define(slowMore, freerun.NoResult(func(c *freerun.Context, s *slow, _ struct{}) error {
		all := s.all
		if all.ended.Load() {
			return nil
		}
		all.ran.Add(1)
		if all.last != s.me {
			all.last, all.row = s.me, 0
		}
		all.row++
		all.inARow = max(all.inARow, all.row)
		for begun := time.Now(); time.Since(begun) < 50*time.Microsecond; {
		}
		return slowMore.Tell(c, all.units[s.me], struct{}{})
	}))
	slowRan = freerun.Op("ran of slow", func(_ *freerun.Context, all **slowOnes, _ struct{}) (int64, error) {
		return (*all).ran.Load(), nil
	})
	slowInARow = freerun.Op("in a row of slow", func(_ *freerun.Context, all **slowOnes, _ struct{}) (int, error) {
		n := (*all).inARow
		(*all).inARow = 0
		return n, nil
	})
)

// TestLongOperationsTakeTurns holds that a unit whose operations take long does not keep others
// waiting for as many of them as it may run in a row if they are short: neither those that the
// processor has at hand, nor those that come from outside.
func TestLongOperationsTakeTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rt := runtimetest.Quiet(t, freerun.Processors(1))
	all := &slowOnes{}
	for i := range 3 {
		all.units = append(all.units, freerun.NewUnit(rt, slow{all, i}))
	}
	for range 20 {
		for _, u := range all.units {
			if err := slowMore.Tell(rt.Context(), u, struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	quiet := freerun.NewUnit(rt, all)
	inARow := func() int {
		n, err := slowInARow.Call(t.Context(), quiet, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	time.Sleep(10 * time.Millisecond) // the processor learns that they are long
	inARow()
	const asks = 31
	var between [asks]int64
	for i := range between {
		time.Sleep(time.Millisecond)
		before := all.ran.Load()
		answered, err := slowRan.Call(t.Context(), quiet, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		between[i] = answered - before
	}
	if n := inARow(); n > 4 {
		t.Errorf("a unit ran %d times in a row while others waited", n)
	}
	all.ended.Store(true)
	slices.Sort(between[:])
	if median := between[asks/2]; median > 4 {
		t.Errorf("%d operations ran in the median before a message from outside, from %d to %d",
			median, between[0], between[asks-1])
	}
}
