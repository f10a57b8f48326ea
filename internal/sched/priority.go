package sched

// Priority says how soon a task runs in comparison with others. It belongs to a queueing, not to a
// task: methods that take no priority mean Normal, the zero value.
type Priority uint8

// The priorities. Normal is the zero value; [Priority.Before] has their order.
const (
	Normal Priority = iota // everything that has no other priority
	High                   // before all others: for short, rare tasks that others wait for
	Low                    // after Normal, but for a share of the operations: turns.go
	Idle                   // after all others, but for a share

	priorities = int(iota)
)

// byRank holds the priorities in the order in which they are served.
var byRank = [priorities]Priority{High, Normal, Low, Idle}

// rank holds the index of each priority in byRank.
var rank = [priorities]uint8{High: 0, Normal: 1, Low: 2, Idle: 3}

// Before reports whether tasks of priority p are served before those of priority q. Both must be
// priorities of this package.
func (p Priority) Before(q Priority) bool { return rank[p] < rank[q] }

// String returns the name of the priority in lower case.
func (p Priority) String() string {
	if !p.valid() {
		return "no priority"
	}
	return [priorities]string{"normal", "high", "low", "idle"}[p]
}

func (p Priority) valid() bool { return int(p) < priorities }

// bit returns the bit of the priority in a word with a bit for each.
func (p Priority) bit() uint32 { return 1 << p }
