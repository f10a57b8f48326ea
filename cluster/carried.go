package cluster

import (
	"context"
	"strings"

	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/travel"
)

// What goes along with a message to another machine, and is stored with one: values of its context,
// and the operations that have sent it.

// How many bytes that has at most: with a message, stored with one, and the last senders of that.
const (
	mostCarried = 8 << 10
	mostStored  = 2 << 10
	mostSenders = 256
)

// carriedSenders is the name of the chain of senders, which goes along as values do.
const carriedSenders = "freerun.senders"

// ofMachine is between the name of a sender and that of its machine.
const ofMachine = " of machine "

// encodeSenders returns a chain of senders, of which those of this machine get its name, cut to
// some bytes; nil for none.
func (n *Node) encodeSenders(senders []string, room int) (b []byte) {
	for _, name := range senders {
		if n.shared != nil && !strings.Contains(name, ofMachine) {
			name += ofMachine + n.shared.engine.Name()
		}
		more := layout.AppendParts(b, name)
		if len(more) > room {
			break
		}
		b = more
	}
	return b
}

// decodeSenders reads what encodeSenders has made.
func decodeSenders(b []byte) (senders []string) {
	for rest := b; len(rest) > 0; {
		var name [1]string
		var err error
		if rest, err = layout.CutParts(rest, name[:]); err != nil {
			return nil
		}
		senders = append(senders, name[0])
	}
	return senders
}

// carriedBy returns what goes along with a message: the values of its context, and its chain of
// senders. stored says that a durable unit sends it, or is to get it.
func (n *Node) carriedBy(ctx context.Context, senders []string, stored bool) (all []layout.Carried) {
	room := mostCarried
	if stored {
		room = mostStored
	}
	for _, v := range travel.All() {
		if stored && v.Volatile {
			continue
		}
		value := ctx.Value(v.Key)
		if value == nil {
			continue
		}
		if b := v.Encode(value); b != nil && len(b) <= room {
			room -= len(b)
			all = append(all, layout.Carried{Name: v.Name, Value: b})
		}
	}
	if b := n.encodeSenders(senders, min(mostSenders, room)); b != nil {
		all = append(all, layout.Carried{Name: carriedSenders, Value: b})
	}
	return all
}

// sendersOf returns the chain of senders of what has come along with a message.
func sendersOf(came []layout.Carried) []string {
	for _, c := range came {
		if c.Name == carriedSenders {
			return decodeSenders(c.Value)
		}
	}
	return nil
}

// carries has a delivery have what has come along with its message, as far as it is known here.
func carries(d *route.Delivery, came []layout.Carried) {
	d.Senders = sendersOf(came)
	for _, c := range came {
		for _, v := range travel.All() {
			if v.Name != c.Name {
				continue
			}
			if value := v.Decode(c.Value); value != nil {
				d.Values = append(d.Values, route.Value{Key: v.Key, Value: value})
			}
		}
	}
}
