package layout

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/wire"
)

// Call is what a unit that is not durable is sent from another machine.
type Call struct {
	Kind, Operation []byte
	Key             string
	Arg             []byte // as package codec has it
	// Deadline is until when it may begin; zero for always.
	Deadline time.Time
	Flags    CallFlags
	Values   []Carried // of the context
}

// CallFlags say more of a Call.
type CallFlags byte

const (
	// Told: nobody wants the result.
	Told CallFlags = 1 << iota
	// Revocable: it may be given up before it begins.
	Revocable
)

// Encode returns the bytes of a Call.
func (c *Call) Encode() []byte {
	b := make([]byte, 0, 32+len(c.Kind)+len(c.Key)+len(c.Operation)+len(c.Arg))
	b = append(b, Version, byte(c.Flags))
	until := int64(0)
	if !c.Deadline.IsZero() {
		until = c.Deadline.UnixNano()
	}
	b = binary.AppendVarint(b, until)
	for _, part := range [...][]byte{c.Kind, c.Operation} {
		b = wire.AppendBytes(b, part)
	}
	return append(AppendParts(b, c.Key, joinedValues(c.Values)), c.Arg...)
}

// DecodeCall reads what Encode has written; all but Key are parts of it.
func DecodeCall(b []byte) (c Call, err error) {
	if len(b) < 2 || b[0] != Version {
		return c, errors.New("the call has another form; a newer program has sent it")
	}
	c.Flags = CallFlags(b[1])
	until, used := binary.Varint(b[2:])
	if used <= 0 {
		return c, errDamaged
	}
	if until != 0 {
		c.Deadline = time.Unix(0, until).UTC()
	}
	r := wire.Reader{Rest: b[2+used:]}
	c.Kind, c.Operation, c.Key = r.Bytes(), r.Bytes(), string(r.Bytes())
	values := r.Bytes()
	if c.Arg = r.Rest; r.Bad {
		return c, errDamaged
	}
	c.Values, err = partedValues(string(values))
	return c, err
}
