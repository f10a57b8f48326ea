package partition

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/wire"
)

// Record is what one write of a unit keeps beside the state.
type Record struct {
	// Last is the place in the log of the last command that has had its effect: all up to it that
	// are the unit's have.
	Last uint64
	// Outcomes are those that may be asked for.
	Outcomes []Outcome
	// Sends are what the operations have sent, in order, as long as a later owner may have to send
	// it again.
	Sends []Send
	// Forgotten is when the unit was forgotten; zero if it was not. Without a state the record
	// stays for a while, so that commands of before do not run again on a new one.
	Forgotten time.Time
	// Write names the write that has made the record, if it has effects of requests: so who does
	// not know whether the write was made finds that out. Empty for others.
	Write string
}

// Outcome is the outcome of a command.
type Outcome struct {
	Session uint64
	N       Number
	Value   []byte // the cell's matter
}

// Send is a message that an operation has sent to a unit.
type Send struct {
	Seq  uint64 // of the entry that has run it
	To   int    // the partition
	Unit string
	Body []byte
}

var errRecord = errors.New("partition: the record is damaged")

// Has reports whether a command has had its effect.
func (r *Record) Has(seq uint64) bool { return seq <= r.Last }

// Outcome returns the outcome of a command, and whether it is there.
func (r *Record) Outcome(session uint64, n Number) (value []byte, there bool) {
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; o.Session == session && o.N == n {
			return o.Value, true
		}
	}
	return nil, false
}

// Ran notes that a command has had its effect, with its outcome and what it has sent.
func (r *Record) Ran(seq uint64, c *Command, outcome []byte, sends []Send) {
	r.Last = seq
	if c.From.Session != 0 && !c.Told {
		r.Outcomes = append(r.Outcomes, Outcome{c.From.Session, c.N, outcome})
	}
	for _, s := range sends {
		s.Seq = seq
		r.Sends = append(r.Sends, s)
	}
}

// sentBy returns what an entry has sent.
func (r *Record) sentBy(seq uint64) (all []Send) {
	for _, s := range r.Sends {
		if s.Seq == seq {
			all = append(all, s)
		}
	}
	return all
}

// Append appends the record; what the cell has of its own is to be appended.
func (r *Record) Append(b []byte) []byte {
	b = append(b, version)
	b = binary.AppendUvarint(b, r.Last)
	forgotten := int64(0)
	if !r.Forgotten.IsZero() {
		forgotten = r.Forgotten.UnixNano()
	}
	b = wire.AppendBytes(binary.AppendVarint(b, forgotten), r.Write)
	b = binary.AppendUvarint(b, uint64(len(r.Outcomes)))
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		b = appendNumber(binary.AppendUvarint(b, o.Session), o.N)
		b = wire.AppendBytes(b, o.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Sends)))
	for i := range r.Sends {
		s := &r.Sends[i]
		b = binary.AppendUvarint(binary.AppendUvarint(b, s.Seq), uint64(s.To))
		b = wire.AppendBytes(wire.AppendBytes(b, s.Unit), s.Body)
	}
	return b
}

// DecodeRecord reads a record, and returns what is behind it. It keeps parts of b.
func DecodeRecord(b []byte) (r Record, rest []byte, err error) {
	in := readerOf(b)
	if v := in.Byte(); in.Bad || v != version {
		return r, nil, fmt.Errorf("partition: a record has form %d, and this program knows %d; a newer one has written it", v, version)
	}
	r.Last = in.Uvarint()
	if nanos := in.Varint(); nanos != 0 {
		r.Forgotten = time.Unix(0, nanos).UTC()
	}
	r.Write = string(in.Bytes())
	for range in.Count() {
		r.Outcomes = append(r.Outcomes, Outcome{in.Uvarint(), in.number(), in.Bytes()})
	}
	for range in.Count() {
		r.Sends = append(r.Sends, Send{in.Uvarint(), int(in.Uvarint()), string(in.Bytes()), in.Bytes()})
	}
	if in.Bad {
		return Record{}, nil, errRecord
	}
	return r, in.Rest, nil
}
