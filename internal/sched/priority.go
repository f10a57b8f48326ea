package sched

// Priority says how soon a task is to be run, in comparison with others. A task has none of its own: each queueing names one, and
// methods that take no priority mean Normal. The zero value is Normal.
type Priority uint8

// The priorities. They are numbered so that the zero value is the usual one; [Priority.Before] has their order.
const (
	Normal Priority = iota // what is not said to be anything else
	High                   // before all others: short, rare, and somebody waits for it
	Low                    // when there is nothing of Normal to do
	Idle                   // when there is nothing else to do

	priorities = int(iota)
)

// byRank has the priorities in the order in which they are served.
var byRank = [priorities]Priority{High, Normal, Low, Idle}

// rank has the place of each priority in byRank.
var rank = [priorities]uint8{High: 0, Normal: 1, Low: 2, Idle: 3}

// Before reports whether tasks of priority p are served before those of priority q. Both must be among those that this package
// names.
func (p Priority) Before(q Priority) bool { return rank[p] < rank[q] }

// String returns the name of the priority, in lower case.
func (p Priority) String() string {
	if !p.valid() {
		return "no priority"
	}
	return [priorities]string{"normal", "high", "low", "idle"}[p]
}

func (p Priority) valid() bool { return int(p) < priorities }

// bit is the place of a priority in a word that has a bit for each.
func (p Priority) bit() uint32 { return 1 << p }
