package runtimetest

import (
	"runtime"
	"sync/atomic"

	"github.com/freerun-go/freerun"
)

// busy is the state of a unit that always has another operation to run.
type busy struct {
	left *atomic.Int64 // how many operations are to be run
	work int
	sum  uint64
}

var busyStep *freerun.Operation[busy, *freerun.Unit[busy], int]

func init() {
	busyStep = freerun.Op("test.busyStep", func(c *freerun.Context, b *busy, self *freerun.Unit[busy]) (int, error) {
		for range b.work {
			b.sum = b.sum*6364136223846793005 + 1442695040888963407
		}
		if b.left.Add(-1) < 0 {
			return 0, nil
		}
		return 0, busyStep.Tell(c, self, self)
	})
}

// KeepBusy has four units for each P run operations of about a microsecond each, until stop is
// called. ran returns how many they were.
func KeepBusy(rt *freerun.Runtime, p freerun.Priority) (ran func() int64, stop func()) {
	const endless = 1 << 60
	left := new(atomic.Int64)
	left.Store(endless)
	for range 4 * runtime.GOMAXPROCS(0) {
		u := freerun.NewUnit(rt, busy{left: left, work: 1000}, freerun.UnitPriority(p))
		if err := busyStep.Tell(rt.Context(), u, u); err != nil {
			panic(err)
		}
	}
	return func() int64 { return endless - left.Load() }, func() { left.Store(0) }
}
