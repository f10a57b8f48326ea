package cluster

import (
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/figures"
)

// shown is a figure that is shown with those of the runtime.
type shown struct {
	*figures.Figure
	of func(s *Stats) float64
}

// show declares a figure.
func show(name, unit, help string, of func(s *Stats) float64) shown {
	return shown{figures.Declare(figures.Figure{Name: "durable." + name, Unit: unit, Help: help}), of}
}

// growing declares a figure that counts.
func growing(name, unit, help string, of func(s *Stats) float64) shown {
	return shown{figures.Declare(figures.Figure{Name: "durable." + name, Unit: unit, Help: help, Grows: true}), of}
}

var activeUnits = figures.Declare(figures.Figure{Name: "durable.active_units", Unit: "{unit}", Help: "Durable units that are in memory.", Label: "kind"})

// What a node knows of the machines. No label says which machine it is: each process has a name of
// its own, so each restart would begin a time series more, on every node, and none of them ends.
// Each node shows its own part; [Node.Machines] has the names.
var (
	machinesThere = figures.Declare(figures.Figure{Name: "durable.machines", Unit: "{machine}", Help: "Machines that this node has heard of within the last 1.2 seconds, and itself."})
	partitionsDue = figures.Declare(figures.Figure{Name: "durable.partitions_due", Unit: "{partition}", Help: "Partitions that this node should have."})
)

// allShown are the figures with one value that all nodes have.
var allShown = []shown{
	growing("commits", "{commit}", "Transactions of the store.", func(s *Stats) float64 { return float64(s.Commits) }),
	growing("writes", "{write}", "Entries of the store that commits wrote or removed.", func(s *Stats) float64 { return float64(s.Writes) }),
	growing("written", "By", "Keys and values of these.", func(s *Stats) float64 { return float64(s.Bytes) }),
	show("last_batch", "{write}", "Writes of the last commit.", func(s *Stats) float64 { return float64(s.LastBatch) }),
	show("largest_batch", "{write}", "Writes of the largest commit.", func(s *Stats) float64 { return float64(s.LargestBatch) }),
	growing("commit_time", "s", "Time that commits took, with their syncs.", func(s *Stats) float64 { return s.CommitTime.Seconds() }),
	show("last_commit", "s", "Time of the last commit.", func(s *Stats) float64 { return s.LastCommit.Seconds() }),
	show("longest_commit", "s", "Time of the longest commit.", func(s *Stats) float64 { return s.LongestCommit.Seconds() }),
	show("deliveries", "{message}", "Messages between durable units that are stored and have had no effect so far.", func(s *Stats) float64 { return float64(s.Deliveries) }),
	show("deliveries_waiting", "{message}", "Of these, those that are tried again after a while, and those behind them.", func(s *Stats) float64 { return float64(s.Waiting) }),
	show("failures", "{message}", "Recorded failures: messages between durable units that failed for good.", func(s *Stats) float64 { return float64(s.Failures) }),
	show("opening", "s", "Time that the start took, until messages were taken.", func(s *Stats) float64 { return s.Opening.Seconds() }),
}

// localShown are those of nodes with a store of their own.
var localShown = []shown{
	growing("syncs", "{sync}", "Times that the disk was asked to keep what it has.", func(s *Stats) float64 { return float64(s.Syncs) }),
	growing("sync_time", "s", "Time that syncs took, with the writing of pages before.", func(s *Stats) float64 { return s.SyncTime.Seconds() }),
	show("last_sync", "s", "Time of the last sync.", func(s *Stats) float64 { return s.LastSync.Seconds() }),
	show("longest_sync", "s", "Time of the longest sync.", func(s *Stats) float64 { return s.LongestSync.Seconds() }),
	show("file", "By", "Size of the store's file.", func(s *Stats) float64 { return float64(s.FileSize) }),
	show("left", "{message}", "Messages that earlier processes had left.", func(s *Stats) float64 { return float64(s.Left) }),
	show("left_now", "{message}", "Of these, those that have had no effect so far.", func(s *Stats) float64 { return float64(s.LeftNow) }),
	show("replay", "s", "Time after the start until the last of these had its effect; 0 before.", func(s *Stats) float64 { return s.Replay.Seconds() }),
}

// sharedShown are those of nodes that share their units with others.
var sharedShown = []shown{
	show("partitions", "{partition}", "Partitions whose units this node has.", func(s *Stats) float64 { return float64(s.Partitions) }),
	growing("hand_overs", "{partition}", "Times that this node got a partition.", func(s *Stats) float64 { return float64(s.HandOvers) }),
	growing("conflicts", "{commit}", "Writes that were refused, since another node had written the record.", func(s *Stats) float64 { return float64(s.Conflicts) }),
	growing("unknown", "{commit}", "Writes of which it is not known whether they were made.", func(s *Stats) float64 { return float64(s.Unknown) }),
	show("unsettled", "{message}", "Entries of logs that were read, and have not had their effect, or have one before them that has not.", func(s *Stats) float64 { return float64(s.Unsettled) }),
	show("oldest_unsettled", "s", "Time since the first of these was read.", func(s *Stats) float64 { return s.OldestUnsettled.Seconds() }),
}

// figures returns the figures as they are shown.
func (n *Node) figures() []figures.Value {
	s := n.Stats()
	var all []figures.Value
	for name, units := range s.Active {
		all = append(all, figures.Value{Of: activeUnits, Label: name, Value: float64(units)})
	}
	if m := n.Machines(); m.Self != "" {
		all = append(all,
			figures.Value{Of: machinesThere, Value: float64(len(m.Partitions))},
			figures.Value{Of: partitionsDue, Value: float64(m.Partitions[m.Self])})
	}
	for _, f := range n.shown() {
		all = append(all, figures.Value{Of: f.Figure, Value: f.of(&s)})
	}
	return all
}

// shown returns the figures that the node has.
func (n *Node) shown() []shown {
	if n.shared != nil {
		return slices.Concat(allShown, sharedShown)
	}
	return slices.Concat(allShown, localShown)
}

// show shows the node's figures with those of its runtime, until hide is called. opened is when
// Join began.
func (n *Node) show(opened time.Time) {
	n.opening = time.Since(opened)
	n.hide = figures.Show(n.rt, n.figures)
}
