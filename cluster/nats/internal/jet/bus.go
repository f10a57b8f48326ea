package jet

import (
	"encoding/binary"

	"github.com/nats-io/nats.go"
)

// Send sends a message to a machine of the program, or to all of them, this one too, if to is
// empty: each gets it at most once. Without a connection it is lost. It does not keep message.
func (e *Engine) Send(to string, message []byte) {
	e.outlet.put(parcel{bus: true, to: to, message: message})
}

// Listen calls each with the messages to a machine, and with those to all, on two goroutines, until
// stop is called. name is a token of a subject.
func (e *Engine) Listen(name string, each func(message []byte)) (stop func(), err error) {
	unpacks := func(m *nats.Msg) { unpack(m.Data, each) }
	all, err := e.nc.Subscribe(e.bus(""), unpacks)
	if err != nil {
		return nil, err
	}
	mine, err := e.nc.Subscribe(e.bus(name), unpacks)
	if err != nil {
		_ = all.Unsubscribe()
		return nil, err
	}
	return func() {
		_ = all.Unsubscribe()
		_ = mine.Unsubscribe()
	}, nil
}

// Messages to one machine that wait together leave together: what a message costs in the server,
// and on the way, is shared by them.

// mostPacked is how many bytes of messages leave together, unless there is one alone that has more.
const mostPacked = 32 << 10

// pack is a message of NATS that has several messages to a machine.
type pack struct {
	to   string
	data []byte
}

// packs are those of the machines to which something leaves now.
type packs struct{ all []pack }

// add adds a message. It returns what leaves before: nil if there is room.
func (p *packs) add(to string, message []byte) (full *pack) {
	for i := range p.all {
		if at := &p.all[i]; at.to == to {
			if len(at.data) > 0 && len(at.data)+len(message) > mostPacked {
				full = &pack{to, at.data}
				at.data = nil
			}
			at.data = appendPacked(at.data, message)
			return full
		}
	}
	p.all = append(p.all, pack{to, appendPacked(nil, message)})
	return nil
}

func appendPacked(b, message []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(message))), message...)
}

// unpack calls each with the messages of a pack. What is damaged is dropped.
func unpack(b []byte, each func(message []byte)) {
	for len(b) > 0 {
		size, used := binary.Uvarint(b)
		if used <= 0 || size > uint64(len(b)-used) {
			return
		}
		end := used + int(size)
		each(b[used:end:end])
		b = b[end:]
	}
}
