package calls

import (
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/wire"
)

// Frame is a message between a [Line] and a [Gate]. It comes at most once.
type Frame struct {
	Kind Kind
	P    int
	Node string // the machine that sends it
	// First is the number of the first call that the line has sent to this machine in a row.
	First uint64
	N     uint64
	// Body is of a call, and of an outcome; of Ask and Gone it is numbers of calls.
	Body []byte
}

// Kind is the sort of a frame.
type Kind byte

const (
	Call     Kind = iota + 1 // to a unit; N is its number
	Cancel                   // of call N: it need not begin
	Probe                    // N is the number of the last call that was sent
	Taken                    // up to call N
	Refused                  // call N, and all behind it: they were not taken, and will not be
	Outcome                  // of call N
	Released                 // the machine that sends it has stopped the units of the partition
	Ask                      // for calls that were taken, and have no outcome for a while
	Gone                     // the outcomes of calls that were asked for have been sent
)

// IsToGate reports whether a frame is for a gate.
func (k Kind) IsToGate() bool { return k <= Probe || k == Ask }

const version = 1

var errFrame = errors.New("calls: the frame is damaged, or a newer program has sent it")

// Append appends the bytes of a message.
func (f *Frame) Append(b []byte) []byte {
	b = slices.Grow(b, 2+4*binary.MaxVarintLen32+len(f.Node)+len(f.Body))
	b = append(b, version, byte(f.Kind))
	for _, n := range [...]uint64{uint64(f.P), f.First, f.N} {
		b = binary.AppendUvarint(b, n)
	}
	return append(wire.AppendBytes(b, f.Node), f.Body...)
}

// Decode reads what Append has written; Body is a part of it. named returns the name of a machine.
func Decode(b []byte, named func(b []byte) string) (f Frame, err error) {
	if len(b) < 2 || b[0] != version || Kind(b[1]) < Call || Kind(b[1]) > Gone {
		return f, errFrame
	}
	f.Kind = Kind(b[1])
	r := wire.Reader{Rest: b[2:]}
	p, first, n, node := r.Uvarint(), r.Uvarint(), r.Uvarint(), r.Bytes()
	if r.Bad || p > 1<<30 {
		return f, errFrame
	}
	f.P, f.First, f.N = int(p), first, n
	f.Node, f.Body = named(node), slices.Clip(r.Rest)
	return f, nil
}

// numbers yields the numbers of a body, up to one that is damaged.
func numbers(body []byte) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for r := (wire.Reader{Rest: body}); len(r.Rest) > 0; {
			if n := r.Uvarint(); r.Bad || !yield(n) {
				return
			}
		}
	}
}
