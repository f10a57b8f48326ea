package partition

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/wire"
)

// message is what one machine tells another one, at most once: one of these.
type message struct {
	kind    byte
	node    string // of a beat, a goodbye, a request and whether it is run
	p       int    // of the others
	session uint64
	n       Number // of an outcome
	call    uint64 // of a request and a reply: the number that the asking machine has given it
	status  byte   // of a reply
	unit    string // of a request
	value   []byte // of an outcome, a request and a reply
	// declined are the partitions that the machine of a beat does not want, in order.
	declined []int
}

// The kinds of messages.
const (
	beat    byte = iota + 1 // the machine lives
	goodbye                 // it has left
	outcome                 // of a command
	closed                  // the session is closed
	request                 // to a unit, beside the log
	reply                   // to a request
	beside                  // beside this protocol: package calls
	whether                 // a request is run
)

// The statuses of replies.
const (
	replied   byte = iota // value is the outcome, which is stored
	notOwner              // it was not run: the machine does not own the partition
	uncertain             // it may have had its effect
	absent                // it is not run now: to whether
)

var errMessage = errors.New("partition: the message is damaged, or a newer program has sent it")

func (m *message) encode() []byte {
	b := []byte{version, m.kind}
	switch m.kind {
	case beat:
		for _, p := range m.declined {
			b = binary.AppendUvarint(b, uint64(p)+1)
		}
		return append(append(b, 0), m.node...)
	case goodbye:
		return append(b, m.node...)
	case request:
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(m.p)), m.call)
		return append(wire.AppendBytes(wire.AppendBytes(b, m.node), m.unit), m.value...)
	case reply:
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(m.p)), m.call)
		return append(append(b, m.status), m.value...)
	case whether:
		return append(binary.AppendUvarint(binary.AppendUvarint(b, uint64(m.p)), m.call), m.node...)
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(m.p)), m.session)
	if m.kind == closed {
		return b
	}
	return append(appendNumber(b, m.n), m.value...)
}

func decodeMessage(b []byte) (message, error) {
	r := readerOf(b)
	if v := r.Byte(); v != version {
		return message{}, errMessage
	}
	m := message{kind: r.Byte()}
	switch m.kind {
	case beat:
		for n := r.partition(); n > 0; n = r.partition() {
			m.declined = append(m.declined, n-1)
		}
		r.Bad = r.Bad || !slices.IsSorted(m.declined)
		m.node, r.Rest = string(r.Rest), nil
	case goodbye:
		m.node, r.Rest = string(r.Rest), nil
	case outcome:
		m.p, m.session, m.n = r.partition(), r.Uvarint(), r.number()
		m.value, r.Rest = r.Rest, nil
	case closed:
		m.p, m.session = r.partition(), r.Uvarint()
	case request:
		m.p, m.call, m.node, m.unit = r.partition(), r.Uvarint(), string(r.Bytes()), string(r.Bytes())
		m.value, r.Rest = r.Rest, nil
	case reply:
		m.p, m.call, m.status = r.partition(), r.Uvarint(), r.Byte()
		m.value, r.Rest = r.Rest, nil
		r.Bad = r.Bad || m.status > absent
	case whether:
		m.p, m.call = r.partition(), r.Uvarint()
		m.node, r.Rest = string(r.Rest), nil
	default:
		r.Bad = true
	}
	if r.Bad || len(r.Rest) > 0 {
		return message{}, errMessage
	}
	return m, nil
}

// BeatOf returns the machine that a message says of that it lives; false if it says something else.
func BeatOf(b []byte) (node string, beats bool) {
	m, err := decodeMessage(b)
	return m.node, err == nil && m.kind == beat
}
