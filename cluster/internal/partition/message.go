package partition

import (
	"encoding/binary"
	"errors"
)

// message is what one machine tells another one, at most once: one of the four.
type message struct {
	kind    byte
	node    string // of a beat and a goodbye
	p       int    // of the others
	session uint64
	n       Number // of an outcome
	value   []byte
}

// The kinds of messages.
const (
	beat    byte = iota + 1 // the machine lives
	goodbye                 // it has left
	outcome                 // of a command
	closed                  // the session is closed
)

var errMessage = errors.New("partition: the message is damaged, or a newer program has sent it")

func (m *message) encode() []byte {
	b := []byte{version, m.kind}
	if m.kind == beat || m.kind == goodbye {
		return append(b, m.node...)
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(m.p)), m.session)
	if m.kind == closed {
		return b
	}
	return append(appendNumber(b, m.n), m.value...)
}

func decodeMessage(b []byte) (message, error) {
	r := reader{rest: b}
	if v := r.byte(); v != version {
		return message{}, errMessage
	}
	m := message{kind: r.byte()}
	switch m.kind {
	case beat, goodbye:
		m.node, r.rest = string(r.rest), nil
	case outcome:
		m.p, m.session, m.n = int(r.uvarint()), r.uvarint(), r.number()
		m.value, r.rest = r.rest, nil
	case closed:
		m.p, m.session = int(r.uvarint()), r.uvarint()
	default:
		r.bad = true
	}
	if r.bad || len(r.rest) > 0 || m.p < 0 {
		return message{}, errMessage
	}
	return m, nil
}
