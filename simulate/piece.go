package simulate

import (
	"cmp"
	"slices"
)

// edge is the kind of event that begins or ends a piece of a processor's time. At each edge a
// deterministic runtime asks its schedule.
type edge uint8

const (
	// passing is any other instant: between two operations, or in the middle of one where it would
	// let others go on but does none of what follows. A goroutine outside passes where it reads the
	// time or waits.
	passing edge = iota
	begun        // an operation has begun
	sending      // it sends: others observe that from here on
	ending       // it has ended: others observe that from here on
	forking      // it forks or joins, or a branch of it begins or ends on another processor
)

// branchName stands for the operation of a branch that another processor has taken.
const branchName = "a branch"

var edgeNames = [...]string{"passing", "begun", "sending", "ending", "forking"}

func (e edge) String() string { return edgeNames[e] }

// edgeOf returns the edge of a name.
func edgeOf(name string) (e edge, known bool) {
	i := slices.Index(edgeNames[:], name)
	return edge(max(0, i)), i >= 0
}

// piece is a kind of piece. All pieces of one kind cost the same. So a leaf of a tree differs from
// a node, which sends, and what follows an operation from what precedes it.
type piece struct {
	operation int // the operation that runs, or ran last: an index into names
	from, to  edge
}

// presentPiece is the piece of a processor that is under way.
type presentPiece struct {
	piece
	resting bool // it has run all that is at hand
}

// idle reports whether the processor has nothing to do, yet or any more.
func (l *presentPiece) idle() bool { return l.resting || l.operation == 0 }

// turn begins the next piece where the last one has ended.
func (l *presentPiece) turn() { l.from, l.to = l.to, passing }

// names numbers the operations.
type names struct {
	number map[string]int
	all    []string
}

// newNames returns names with one number, 0, which means that no operation has begun yet.
func newNames() names { return names{map[string]int{"": 0}, []string{""}} }

func (n *names) of(name string) int {
	i, known := n.number[name]
	if !known {
		i = len(n.all)
		n.number[name] = i
		n.all = append(n.all, name)
	}
	return i
}

// compare orders pieces by the names of their operations, and by their edges.
func (n *names) compare(a, b piece) int {
	return cmp.Or(cmp.Compare(n.all[a.operation], n.all[b.operation]), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
}
