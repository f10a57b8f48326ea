//go:build !explore

package sched

import "github.com/freerun-go/freerun/internal/sync/atomics"

const (
	// ringSize is the first capacity of a processor's ring, and mostRing the greatest. Further
	// tasks go to the inbox as a list: to reverse such a list touches each task, which has left
	// the caches by then.
	ringSize = 256
	mostRing = 1 << 16
	// mostLoot is how many tasks of a ring one theft takes at most.
	mostLoot = ringSize / 2
	// searchRounds is how many times a searcher looks at all processors before it parks. Between
	// two rounds it lets Go run other goroutines: on a machine with fewer cores than runnable
	// goroutines they are what brings work.
	searchRounds = 3
	// surplusTurn is how often, in tasks, a busy processor checks whether it is still in service.
	surplusTurn = 64
	// leastSearchers is how many processors may search when few work.
	leastSearchers = 1
	// fetchesLoot says that a thief asks for the memory of what it has stolen. To the explorer each
	// of these reads would be a step.
	fetchesLoot = true
)

// Steps of the parking protocol that controls of the explorations leave out.
const (
	lastLookOfParker  = true // P3
	lastLookOfFinder  = true // F2, by the last searcher
	wakesForOne       = true // S2, for a task that is alone
	wakesForLoot      = true // S2, for what a theft outside a search has queued
	takesAtSecondLook = true // a searcher, what it has passed over before
)

// diagnostic is a pointer that its owner writes and other goroutines read. A reader may get any
// value that the pointer had since the reader last synchronised with the owner. It costs what a
// plain pointer costs.
type diagnostic[T any] = atomics.RelaxedPointer[T]
