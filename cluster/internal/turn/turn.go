// Package turn runs the state machines of package partition in the turns of units.
package turn

import (
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Turn is the turn of a unit: a [partition.World]. Any goroutine may call the methods; none waits.
type Turn struct {
	rt   *freerun.Runtime
	unit *freerun.Unit[struct{}]
}

var _ partition.World = (*Turn)(nil)

// run calls a function.
var run = freerun.Op("run", func(_ *freerun.Context, _ *struct{}, f func()) (struct{}, error) {
	f()
	return struct{}{}, nil
})

// New returns the turn of a new unit. Once the runtime ends, it drops what it is given.
func New(rt *freerun.Runtime) *Turn {
	return &Turn{rt: rt, unit: freerun.NewUnit(rt, struct{}{})}
}

// Run implements [partition.World].
func (t *Turn) Run(f func()) { _ = run.Tell(t.rt.Context(), t.unit, f) }

// After implements [partition.World].
func (t *Turn) After(d time.Duration, f func()) { run.SendAfter(t.rt.Context(), d, t.unit, f) }

// Now implements [partition.World].
func (t *Turn) Now() time.Time { return t.rt.Now() }
