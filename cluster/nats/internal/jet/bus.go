package jet

import (
	"encoding/binary"

	"github.com/nats-io/nats.go"
)

// Send sends a message to a machine of the program, or to all of them, this one too, if to is
// empty: each gets it at most once. Without a connection it is lost. It keeps message.
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
	if err == nil { // what waits is what this machine has asked for, above all
		err = mine.SetPendingLimits(-1, mostPending)
	}
	if err != nil {
		_ = all.Unsubscribe()
		return nil, err
	}
	return func() {
		_ = all.Unsubscribe()
		_ = mine.Unsubscribe()
	}, nil
}

// mostPending is how many bytes to a machine may wait there to be read.
const mostPending = 512 << 20

// Messages to one machine that wait together leave together: what a message costs in the server,
// and on the way, is shared by them.

// mostPacked is how many bytes of messages leave together, unless there is one alone that has more.
const mostPacked = 32 << 10

// pack is a message of NATS that has several messages to a machine.
type pack struct {
	subject string
	data    []byte
}

// packs are those of the machines to which something leaves now, by machine. They stay, with their
// memory: what is published is copied.
type packs map[string]*pack

// mostPacks is how many machines have one. Machines come and go.
const mostPacks = 1024

// of returns the pack of a machine.
func (p *packs) of(to string, n names) *pack {
	at := (*p)[to]
	if at == nil {
		if *p == nil || len(*p) >= mostPacks {
			*p = packs{}
		}
		at = &pack{subject: n.bus(to)}
		(*p)[to] = at
	}
	return at
}

// hasRoomFor reports whether a message may leave with those in the pack.
func (p *pack) hasRoomFor(message []byte) bool {
	return len(p.data) == 0 || len(p.data)+len(message) <= mostPacked
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
