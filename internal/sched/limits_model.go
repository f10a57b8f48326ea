//go:build explore

package sched

// Small limits, so that few steps exceed them.
const (
	ringSize    = 2
	mostRing    = 4
	mostLoot    = 2
	surplusTurn = 1
	fetchesLoot = false
)

// Variables here, for explorations that set them.
var (
	leastSearchers    = 1
	searchRounds      = 1
	lastLookOfParker  = true
	lastLookOfFinder  = true
	wakesForOne       = true
	wakesForLoot      = true
	takesAtSecondLook = true
)

// diagnostic is a pointer that the explorer spends no steps on.
type diagnostic[T any] struct{ p *T }

func (d *diagnostic[T]) Store(v *T) { d.p = v }

func (d *diagnostic[T]) Load() *T { return d.p }
