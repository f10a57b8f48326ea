//go:build !explore

package sched

const (
	// ringSize is how many tasks fit into the ring of a processor.
	ringSize = 256
	// searchRounds is how many times a searcher looks at everybody before it parks. Between rounds it lets Go run somebody
	// else: on a machine with fewer cores than runnable goroutines that is who will bring work.
	searchRounds = 3
)
