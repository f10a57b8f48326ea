package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Command is what a unit of one of several machines is sent, beside its name: the body of an entry
// of a log, or of a request. Without an operation it wakes the unit, for its timers.
type Command struct {
	Operation string
	Arg       []byte // a value
	// Reply is where the outcome goes; zero if nowhere.
	Reply Reply
	// Once is the identity that the sender has given it; empty without one.
	Once string
	// Units are the names of all units of an operation on several; nil for one on one.
	Units []string
	// Deadline is until when it may begin; zero for always.
	Deadline time.Time
	Values   []Carried // of the context
}

// Encode returns the bytes of a Command.
func (c Command) Encode() []byte {
	var until []byte
	if !c.Deadline.IsZero() {
		until = binary.BigEndian.AppendUint64(nil, uint64(c.Deadline.UnixNano()))
	}
	return AppendParts([]byte{Version}, c.Operation, string(c.Arg), c.Reply.Kind, c.Reply.Key, c.Reply.Operation, c.Once, string(until), joined(c.Units), joinedValues(c.Values))
}

// DecodeCommand reads what Encode has written, of which it keeps no part.
func DecodeCommand(b []byte) (c Command, err error) {
	if len(b) == 0 || b[0] != Version {
		return c, errors.New("the command has another form; a newer program has sent it")
	}
	var parts [9]string
	rest, err := CutParts(b[1:], parts[:])
	units, bad := parted(parts[7])
	values, worse := partedValues(parts[8])
	until := []byte(parts[6])
	if err != nil || bad != nil || worse != nil || len(rest) > 0 || len(until) != 0 && len(until) != 8 {
		return c, fmt.Errorf("%w: a command is damaged", engine.ErrStateLost)
	}
	c = Command{Operation: parts[0], Arg: []byte(parts[1]), Reply: Reply{parts[2], parts[3], parts[4]}, Once: parts[5], Units: units, Values: values}
	if len(until) > 0 {
		c.Deadline = time.Unix(0, int64(binary.BigEndian.Uint64(until))).UTC()
	}
	return c, nil
}

// Result is the outcome of a Command, as its sender gets it.
type Result struct {
	Value []byte // as package codec has it
	Err   []byte // JSON, as package errorcode has it; empty for none
	// Refused: the command has had no effect.
	Refused bool
	// Cut: there was no room to keep the value, or the error.
	Cut bool
}

const (
	isRefused = 1 << iota
	isCut
)

// CutResult returns the bytes of a Result that is cut.
func CutResult(b []byte) []byte {
	r, _ := DecodeResult(b)
	return Result{Refused: r.Refused, Cut: true}.Encode()
}

// Encode returns the bytes of a Result.
func (r Result) Encode() []byte {
	b := AppendParts([]byte{Version}, string(r.Value), string(r.Err))
	flags := byte(0)
	if r.Refused {
		flags |= isRefused
	}
	if r.Cut {
		flags |= isCut
	}
	if flags != 0 {
		b = append(b, flags)
	}
	return b
}

// DecodeResult reads what Encode has written, of which it keeps no part.
func DecodeResult(b []byte) (r Result, err error) {
	if len(b) == 0 || b[0] != Version {
		return r, errors.New("the outcome has another form; a newer program has sent it")
	}
	var parts [2]string
	rest, err := CutParts(b[1:], parts[:])
	if err != nil || len(rest) > 1 {
		return r, errDamaged
	}
	flags := byte(0)
	if len(rest) > 0 {
		flags = rest[0]
	}
	return Result{[]byte(parts[0]), []byte(parts[1]), flags&isRefused != 0, flags&isCut != 0}, nil
}
