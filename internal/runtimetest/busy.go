package runtimetest

import (
	"runtime"
	"sync/atomic"

	"github.com/freerun-go/freerun"
)

// busy is the state of a unit that always has another operation to run.
type busy struct {
	left *atomic.Int64 // how many operations all units together are still to run
	work int           // turns of the loop in each operation
	sum  uint64        // the loop's result, which keeps the compiler from removing it
}

// busyStep works for a while and sends itself to its unit again.
var busyStep = freerun.Op[busy, *freerun.Unit[busy], int]("busyStep", nil)

var _ = freerun.Define(busyStep, func(c *freerun.Context, b *busy, self *freerun.Unit[busy]) (int, error) {
	for range b.work {
		b.sum = b.sum*6364136223846793005 + 1442695040888963407
	}
	if b.left.Add(-1) < 0 {
		return 0, nil
	}
	return 0, busyStep.Tell(c, self, self)
})

// KeepBusy makes four units of priority p for each P, which run operations of about a microsecond
// each until stop is called. ran returns how many operations have run. Neither call waits.
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
