package layout

import (
	"encoding/binary"
	"errors"
	"time"
)

// Call is what a unit that is not durable is sent from another machine.
type Call struct {
	Kind, Operation []byte
	Key             string
	Arg             []byte // as package codec has it
	// Deadline is until when it may begin; zero for always.
	Deadline time.Time
	Flags    CallFlags
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
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	return append(AppendParts(b, c.Key), c.Arg...)
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
	rest := b[2+used:]
	for _, into := range [...]*[]byte{&c.Kind, &c.Operation} {
		size, used := binary.Uvarint(rest)
		if used <= 0 || size > uint64(len(rest)-used) {
			return c, errDamaged
		}
		end := used + int(size)
		*into, rest = rest[used:end:end], rest[end:]
	}
	var key [1]string
	if c.Arg, err = CutParts(rest, key[:]); err != nil {
		return c, errDamaged
	}
	c.Key = key[0]
	return c, nil
}
