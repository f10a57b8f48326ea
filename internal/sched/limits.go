//go:build !explore

package sched

import "github.com/freerun-go/freerun/internal/sync/atomics"

const (
	// ringSize is how many tasks fit into the ring of a processor at first, and mostRing, at most. Beyond, they go to the inbox, as lists: to bring such into
	// order touches each task, which is out of the cache by then.
	ringSize = 256
	mostRing = 1 << 16
	// searchRounds is how many times a searcher looks at everybody before it parks. Between rounds it lets Go run somebody
	// else: on a machine with fewer cores than runnable goroutines that is who will bring work.
	searchRounds = 3
	// surplusTurn is how often, in tasks, a busy processor looks whether it is still wanted.
	surplusTurn = 64
)

// diagnostic is a pointer for its owner to write and for others to look at, who are content with any value that it had before
// something they have synchronised with. It costs what a plain pointer costs.
type diagnostic[T any] = atomics.RelaxedPointer[T]
