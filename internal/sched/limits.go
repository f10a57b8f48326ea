//go:build !explore

package sched

import "github.com/freerun-go/freerun/internal/sync/atomics"

const (
	// ringSize is the first capacity of a processor's ring, and mostRing the greatest. Further
	// tasks go to the inbox as a list: to reverse such a list touches each task, which has left
	// the caches by then.
	ringSize = 256
	mostRing = 1 << 16
	// searchRounds is how many times a searcher looks at all processors before it parks. Between
	// two rounds it lets Go run other goroutines: on a machine with fewer cores than runnable
	// goroutines they are what brings work.
	searchRounds = 3
	// surplusTurn is how often, in tasks, a busy processor checks whether it is still in service.
	surplusTurn = 64
)

// diagnostic is a pointer that its owner writes and other goroutines read. A reader may get any
// value that the pointer had since the reader last synchronised with the owner. It costs what a
// plain pointer costs.
type diagnostic[T any] = atomics.RelaxedPointer[T]
