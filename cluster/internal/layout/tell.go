package layout

import (
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Tell is what an operation of a durable unit has told a durable unit, by the names that are
// stored.
type Tell struct {
	Kind, Key string // of the unit that it is for
	Operation string
	Arg       []byte // a value
	// Reply is where the outcome goes; zero if nowhere.
	Reply Reply
	// Units are the names of all units of an operation on several; nil for one on one. Kind and Key
	// are those of the first.
	Units  []string
	Values []Carried // of the context
}

// Reply is an operation that is told the outcome of another one.
type Reply struct{ Kind, Key, Operation string }

// Encode returns the value of a Tell.
func (t Tell) Encode() []byte {
	return AppendParts([]byte{Version}, t.Kind, t.Key, t.Operation, string(t.Arg), t.Reply.Kind, t.Reply.Key, t.Reply.Operation, joined(t.Units), joinedValues(t.Values))
}

// DecodeTell reads a value, of which it keeps no part but rest: what is behind the Tell.
func DecodeTell(b []byte) (t Tell, rest []byte, err error) {
	if len(b) == 0 || b[0] != Version {
		return t, nil, fmt.Errorf("%w: an entry of what was told has another form; a newer program has written it", engine.ErrStateLost)
	}
	var parts [9]string
	if rest, err = CutParts(b[1:], parts[:]); err != nil {
		return t, nil, fmt.Errorf("%w: an entry of what was told: %w", engine.ErrStateLost, err)
	}
	units, err := parted(parts[7])
	if err != nil {
		return t, nil, fmt.Errorf("%w: an entry of what was told: %w", engine.ErrStateLost, err)
	}
	values, err := partedValues(parts[8])
	if err != nil {
		return t, nil, fmt.Errorf("%w: an entry of what was told: %w", engine.ErrStateLost, err)
	}
	return Tell{parts[0], parts[1], parts[2], []byte(parts[3]), Reply{parts[4], parts[5], parts[6]}, units, values}, rest, nil
}

// joined returns names as one part.
func joined(names []string) string { return string(AppendParts(nil, names...)) }

// parted reads what joined has made.
func parted(part string) (names []string, err error) {
	for rest := []byte(part); len(rest) > 0; {
		var name [1]string
		if rest, err = CutParts(rest, name[:]); err != nil {
			return nil, err
		}
		names = append(names, name[0])
	}
	return names, nil
}
