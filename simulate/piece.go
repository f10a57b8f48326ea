package simulate

import (
	"cmp"
	"fmt"
)

// edge is what a piece of a processor's time begins or ends with: the instants at which a deterministic runtime asks its schedule.
type edge uint8

const (
	passing edge = iota // between two operations, or where one would let others go on
	begun               // an operation has begun
	sending             // it sends: others may see that from here on
	ending              // it has ended: likewise
)

var edgeNames = [...]string{"passing", "begun", "sending", "ending"}

// MarshalText implements [encoding.TextMarshaler].
func (e edge) MarshalText() ([]byte, error) { return []byte(edgeNames[e]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (e *edge) UnmarshalText(text []byte) error {
	for i, name := range edgeNames {
		if name == string(text) {
			*e = edge(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no edge of a piece; there are %v", text, edgeNames)
}

// piece is a kind of piece: all of one kind are taken to cost the same. A leaf of a tree thus differs from a node, which sends, and what follows an operation from what
// precedes it.
type piece struct {
	operation int // that runs, or ran last; an index into names
	from, to  edge
}

// lane is what a processor is doing.
type lane struct {
	piece
	resting bool // it has run out of what is at hand
}

// idle reports whether the processor has nothing to do yet, or none any more.
func (l *lane) idle() bool { return l.resting || l.operation == 0 }

// turn begins the next piece where the last one has ended.
func (l *lane) turn() { l.from, l.to = l.to, passing }

// names numbers the operations.
type names struct {
	number map[string]int
	all    []string
}

func newNames() names { return names{map[string]int{"": 0}, []string{""}} } // 0: none has begun yet

func (n *names) of(name string) int {
	i, known := n.number[name]
	if !known {
		i = len(n.all)
		n.number[name] = i
		n.all = append(n.all, name)
	}
	return i
}

func comparePieces(a, b Piece) int {
	return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}
