package cluster

import (
	"errors"
	"sync/atomic"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Machines are the machines that share the durable units, as one of them knows it: others may know
// something else for a second or two. The units are in partitions; each machine has some.
type Machines struct {
	// Self is the name of this machine. No process has the name of another one, nor its own one
	// again when it starts again. It is empty where one process has the store.
	Self string
	// Partitions has how many partitions each machine should have, by its name: of those that were
	// heard of within the last 1.2 seconds, this one too.
	Partitions map[string]int
	// Owned is how many this machine has now, and Taken how often it took one, from nobody or from
	// another machine.
	Owned int
	Taken uint64
	// Conflicts are writes of units that were refused, since another machine had written the unit's
	// record: it believed to have the partition, too. What was in them runs again.
	Conflicts uint64
}

// Machines returns the machines that this one knows. Any goroutine may call it; it does not wait.
func (n *Node) Machines() Machines {
	s := n.shared
	if s == nil {
		return Machines{}
	}
	m := Machines{
		Self: s.engine.Name(), Partitions: map[string]int{},
		Owned: int(s.counts.owned.Load()), Taken: s.counts.taken.Load(), Conflicts: s.counts.conflicts.Load(),
	}
	members := s.machine.Seen()
	for _, name := range members {
		m.Partitions[name] = 0
	}
	for p := range s.parts {
		if owner := partition.OwnerOf(p, members); owner != "" {
			m.Partitions[owner]++
		}
	}
	return m
}

// sharedCounts are what a machine counts.
type sharedCounts struct {
	owned            atomic.Int64
	taken, conflicts atomic.Uint64
}

// takes counts a partition that this machine has from now on.
func (c *sharedCounts) takes() {
	c.owned.Add(1)
	c.taken.Add(1)
}

// loses counts one that it has no more.
func (c *sharedCounts) loses() { c.owned.Add(-1) }

// wrote counts the end of a write.
func (c *sharedCounts) wrote(err error) {
	if errors.Is(err, engine.ErrConflict) {
		c.conflicts.Add(1)
	}
}
