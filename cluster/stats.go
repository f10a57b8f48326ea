package cluster

import (
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Stats are the figures of a node since [Join]. While operations run, figures of different
// fields may be of slightly different times. Package httpview and package otelfreerun show them
// with those of the runtime.
type Stats struct {
	// Active has how many units are in memory, or about to be, by the names of their kinds in the
	// store; none once the node is closed. How many are stored is known only to who counts the keys
	// ([Keys]).
	Active map[string]int

	// Of the store. What waits for the disk at the same time is one commit: Writes by Commits is
	// how large that is. A write is a record, a message that was told, or what removes one. Over
	// logs that machines share a commit is the write of one unit, from its call until it is known,
	// and there are no syncs, no file, and nothing that earlier processes have left.
	Commits, Writes         uint64
	Bytes                   uint64 // of the writes: their keys and values
	LastBatch, LargestBatch int    // writes of a commit
	// How long commits took, in all, the last one, and at most. An operation on a durable unit
	// waits for one commit, or for the rest of one and the next one.
	CommitTime, LastCommit, LongestCommit time.Duration
	// Syncs count how often the disk was asked to keep what it has: once with each commit, whose
	// pages are written then, too; with [SyncEvery] once in a while.
	Syncs                           uint64
	SyncTime, LastSync, LongestSync time.Duration
	// FileSize is that of the store, in bytes; 0 if the file cannot be asked.
	FileSize int64

	// Deliveries are the messages of durable units to durable units that are stored, and have had
	// no effect so far. Waiting are those of them that are tried again after a while, because the
	// unit could not be loaded or its write has failed, those behind them, and those that are left
	// of an earlier process and have not begun.
	Deliveries, Waiting int
	// Failures are recorded: see [Node.Failures]. Over logs those that this node has recorded.
	Failures int

	// Over logs: of how many partitions this node has the units, and how often it has got one.
	Partitions int
	HandOvers  uint64
	// Conflicts are writes that were refused, since another node had written the record, and
	// Unknown those of which it is not known whether they were made. What they had runs again.
	Conflicts, Unknown uint64
	// Unsettled are the entries of the logs of these partitions that were read, and have not had
	// their effect, or have one before them that has not. OldestUnsettled is for how long the first
	// of them was: if it grows, a unit cannot be loaded or written, which the node logs, and the
	// log is kept from there on.
	Unsettled       int
	OldestUnsettled time.Duration

	// Opening is how long Join took. Left is how many messages earlier processes had left, and
	// LeftNow how many of them have had no effect so far. Replay is the time from the end of Join
	// until the last of them had, 0 before, and if there were none.
	Opening       time.Duration
	Left, LeftNow int
	Replay        time.Duration
}

// Stats returns the figures of the node. Any goroutine may call it, also after Close; it does not
// wait for the disk's writes.
//
// Cost: a few locks that are held for a moment, and a question to the system, for the file's size.
func (n *Node) Stats() Stats {
	s := Stats{Active: make(map[string]int, len(n.kinds)), Opening: n.opening}
	for _, k := range n.kinds {
		s.Active[k.given] = 0
		if nodeOf(n.rt) == n { // a runtime that has ended still counts its units
			s.Active[k.given] = k.active(n.rt)
		}
	}
	if e, counts := n.engine.(engine.Counting); counts {
		s.store(e.Stats())
	}
	if n.shared != nil {
		n.shared.tell(&s)
	}
	n.outbox.tell(&s)
	return s
}

// store has the figures of a store.
func (s *Stats) store(of engine.Stats) {
	s.Commits, s.Writes, s.Bytes, s.LastBatch, s.LargestBatch = of.Commits, of.Writes, of.Bytes, of.LastBatch, of.LargestBatch
	s.CommitTime, s.LastCommit, s.LongestCommit = of.CommitTime, of.LastCommit, of.LongestCommit
	s.Syncs, s.SyncTime, s.LastSync, s.LongestSync = of.Syncs, of.SyncTime, of.LastSync, of.LongestSync
	s.FileSize = of.FileSize
}

// counts are what an outbox counts.
type counts struct {
	open     atomic.Int64 // deliveries that are stored, and have had no effect
	failures atomic.Int64 // that are recorded
	left     int          // by earlier processes; does not change after Join
	leftOpen atomic.Int64 // of these
	joined   time.Time    // when Join ended
	replayed atomic.Int64 // how long after that leftOpen became 0; 0 before
}

// tell tells the figures of an outbox.
func (o *outbox) tell(s *Stats) {
	s.Deliveries, s.Failures = int(o.counts.open.Load()), int(o.counts.failures.Load())
	s.Left, s.LeftNow = o.counts.left, int(o.counts.leftOpen.Load())
	s.Replay = time.Duration(o.counts.replayed.Load())
	s.Waiting = o.lines.count()
}

// begin counts what earlier processes have left. What a second process has ended under is recorded
// as failed, and not delivered.
func (c *counts) begin(left []*delivery, notes map[uint64]suspicion) {
	c.left = len(left)
	for _, d := range left {
		if notes[d.number] != alone {
			c.opens(1)
			c.leftOpen.Add(1)
		}
	}
}

// opens counts deliveries that are stored.
func (c *counts) opens(n int) { c.open.Add(int64(n)) }

// closes counts a delivery that has had its effect, or was recorded as failed.
func (c *counts) closes(d *delivery) {
	c.open.Add(-1)
	if d.left && c.leftOpen.Add(-1) == 0 {
		c.replayed.Store(max(1, int64(time.Since(c.joined))))
	}
}

// stored counts the recorded failures that writes, which are stored, add and remove.
func (c *counts) stored(writes []engine.Write) {
	for _, w := range writes {
		switch {
		case w.Key[0] != layout.Failure[0]:
		case w.Value == nil:
			c.failures.Add(-1)
		default:
			c.failures.Add(1)
		}
	}
}
