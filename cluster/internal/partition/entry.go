package partition

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/wire"
)

// version is the version of the form of entries, checkpoints and records: the first byte of each.
const version = 1

// Entry is an entry of a log: one of the three.
type Entry struct {
	Opening *Opening
	Closing *Closing
	Command *Command
}

// Opening opens a session. The session is named by the sequence number of this entry: so no other
// one ever has its name, and a command that comes after its end belongs to none.
type Opening struct{ Node string }

// Closing closes a session, unless that has an entry behind the number After: who closes it has not
// read further, and may have slept since.
type Closing struct{ Session, After uint64 }

// Command is a message to a unit.
type Command struct {
	From Source
	// Prev is the number of the sender's command before, to this partition; zero for the first.
	Prev, N Number
	// Known: the sender has the outcomes of its commands up to it.
	Known Number
	// Told: no outcome is wanted.
	Told bool
	// Unit and Body are the cell's matter.
	Unit string
	Body []byte
}

// Source says who has sent a command: a session, or the operations of a partition.
type Source struct {
	Session uint64 // 0 for a partition
	Outbox  int
}

// The kinds of entries: the second byte of each.
const (
	opening byte = iota + 1
	closing
	command
)

var errEntry = errors.New("partition: the entry is damaged")

// Encode returns the entry as it is in the log.
func (e *Entry) Encode() []byte {
	switch {
	case e.Opening != nil:
		return append([]byte{version, opening}, e.Opening.Node...)
	case e.Closing != nil:
		return binary.AppendUvarint(binary.AppendUvarint([]byte{version, closing}, e.Closing.Session), e.Closing.After)
	}
	c := e.Command
	b := make([]byte, 0, 48+len(c.Unit)+len(c.Body))
	b = append(b, version, command)
	b = binary.AppendUvarint(b, c.From.Session)
	b = binary.AppendUvarint(b, uint64(c.From.Outbox))
	b = appendNumber(appendNumber(appendNumber(b, c.Prev), c.N), c.Known)
	told := byte(0)
	if c.Told {
		told = 1
	}
	b = append(b, told)
	b = wire.AppendBytes(b, c.Unit)
	return append(b, c.Body...)
}

// Decode reads an entry of a log. It keeps the parts of b that are bytes.
func Decode(b []byte) (e Entry, err error) {
	r := readerOf(b)
	if v := r.Byte(); r.Bad || v != version {
		return e, fmt.Errorf("partition: an entry of the log has form %d, and this program knows %d; a newer one has written it", v, version)
	}
	switch r.Byte() {
	case opening:
		e.Opening = &Opening{string(r.Rest)}
	case closing:
		e.Closing = &Closing{r.Uvarint(), r.Uvarint()}
		r.Bad = r.Bad || len(r.Rest) > 0
	case command:
		c := &Command{From: Source{r.Uvarint(), int(r.Uvarint())}, Prev: r.number(), N: r.number(), Known: r.number()}
		told := r.Byte()
		c.Told = told == 1
		c.Unit, c.Body = string(r.Bytes()), r.Rest
		e.Command = c
		r.Bad = r.Bad || told > 1 || c.From.Outbox < 0
	default:
		r.Bad = true
	}
	if r.Bad {
		return Entry{}, errEntry
	}
	return e, nil
}
