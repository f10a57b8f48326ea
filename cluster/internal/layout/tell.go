package layout

import (
	"encoding/binary"
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Tell is what an operation of a durable unit has told a durable unit, by the names that are
// stored.
type Tell struct {
	Kind, Key string // of the unit that it is for
	Operation string
	Arg       []byte // as package codec has it
}

// Encode returns the value of a Tell.
func (t Tell) Encode() []byte {
	b := []byte{Version}
	for _, part := range []string{t.Kind, t.Key, t.Operation, string(t.Arg)} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return b
}

// DecodeTell reads a value, of which it keeps no part but rest: what is behind the Tell.
func DecodeTell(b []byte) (t Tell, rest []byte, err error) {
	if len(b) == 0 || b[0] != Version {
		return t, nil, fmt.Errorf("%w: an entry of what was told has another form; a newer program has written it", engine.ErrStateLost)
	}
	var parts [4]string
	b = b[1:]
	for i := range parts {
		size, used := binary.Uvarint(b)
		if used <= 0 || size > uint64(len(b)-used) {
			return t, nil, fmt.Errorf("%w: an entry of what was told is damaged", engine.ErrStateLost)
		}
		parts[i], b = string(b[used:used+int(size)]), b[used+int(size):]
	}
	return Tell{parts[0], parts[1], parts[2], []byte(parts[3])}, b, nil
}
