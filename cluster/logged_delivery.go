package cluster

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     the owner of a partition makes a delivery of each command of its log, which knows the
//             one before to each of its units (H2)
//             one that has overtaken another one on a unit comes again once that is done

// logged is what a delivery has that comes from a log.
type logged struct {
	part    *part
	owner   *partition.Owner
	command *partition.Command
	before  []uint64  // the number of the one before to each unit; 0 without one
	once    string    // its identity
	until   time.Time // it may begin; zero for always
	refused error     // it is not to run; nil for others
	// outrun: it was too early for its units, and all before it are done. One of those was written
	// without its units (logged_refuse.go), while a unit had its state.
	outrun atomic.Bool
	early  int // how often it was, so far. The turn
}

// mostEarly is how often a delivery may be too early for a unit of which all before it are done.
// Some may be: the unit had its state, and loads it again. The pauses take half a minute by then.
const mostEarly = 14

// errHalf is what is wrong with the record of a unit for which a delivery is too early so often.
var errHalf = fmt.Errorf("%w: a record lacks the effect of a command that was done; a server alone, without room, has made a write by half, and the machine has ended before it had completed that", ErrStateLost)

// isOver reports whether a delivery is dropped, since its owner has ended.
func (d *delivery) isOver() bool {
	return d.logged != nil && d.logged.part.owner.Load() != d.logged.owner
}

// isEarly reports whether one before the delivery has not run on the state of a unit, one of its
// units by number.
func (d *delivery) isEarly(c *cell, unit int) bool { return d.logged.before[unit] > c.logged.ran }

// reloads reports whether a unit is to load its state again for the delivery, once: the record is
// further than the state. In the unit's turn.
func (d *delivery) reloads(c *cell, unit int) bool {
	return d.isEarly(c, unit) && d.logged.outrun.Swap(false)
}

// identity returns the identity that the sender has given a delivery; empty without one.
func (d *delivery) identity() string {
	if d.logged == nil {
		return ""
	}
	return d.logged.once
}

// wantsOutcome reports whether the sender of a delivery waits for the outcome.
func (d *delivery) wantsOutcome() bool {
	return d.logged != nil && !d.logged.command.Told && d.logged.command.From.Session != 0
}

// delivery makes the delivery of a command.
func (s *shared) delivery(o *partition.Owner, seq uint64, c *partition.Command) (*delivery, error) {
	t, body, err := s.decode(c.Unit, c.Body)
	if err != nil {
		return nil, err
	}
	if t.op != nil && t.op.reads {
		return nil, fmt.Errorf("cluster: the log has a read of kind %s, %s", t.Kind, t.Operation)
	}
	pt := s.parts[o.P()]
	d := &delivery{tell: t, number: seq, logged: &logged{part: pt, owner: o, command: c, once: body.Once, until: body.Deadline}}
	if d.places, err = s.placesOf(&t); err != nil {
		return nil, err
	}
	for _, unit := range d.units() {
		d.logged.before = append(d.logged.before, pt.lastOf[unit])
		pt.lastOf[unit] = seq
	}
	pt.open[seq] = nil
	return d, nil
}

// comesLater has a delivery that is too early come once the one before it is done.
func (pt *part) comesLater(d *delivery) {
	pt.turn.Run(func() {
		if d.isOver() {
			pt.of.node.outbox.drops([]*delivery{d})
			return
		}
		for _, number := range d.logged.before {
			if waiting, open := pt.open[number]; open {
				pt.open[number] = append(waiting, d)
				return
			}
		}
		if d.logged.early++; d.logged.early == mostEarly {
			d.warns(errHalf)
		}
		d.logged.outrun.Store(true)
		pt.of.node.outbox.tryAgain(d, false)
	})
}

// units names the units of a delivery that comes from a log.
func (d *delivery) units() []string {
	if len(d.Units) > 0 {
		return d.Units
	}
	return []string{d.logged.command.Unit}
}

// decode reads what was sent to a unit. A tell without an operation wakes it.
func (s *shared) decode(unit string, body []byte) (t tell, c layout.Command, err error) {
	k, key, err := s.unitOf(unit)
	if err != nil {
		return t, c, err
	}
	if c, err = layout.DecodeCommand(body); err != nil {
		return t, c, err
	}
	t = tell{Tell: layout.Tell{Kind: k.stored, Key: key, Operation: c.Operation, Arg: c.Arg, Reply: c.Reply, Units: c.Units, Values: c.Values}, to: k}
	switch {
	case c.Operation == "":
	case len(c.Units) > 0:
		t.op = s.several.stored[severalName{k, c.Operation}]
	default:
		t.op = k.named(c.Operation)
	}
	if t.op == nil && c.Operation != "" {
		return t, c, fmt.Errorf("cluster: a message is to kind %s with operation %s, which this program does not have", k.given, c.Operation)
	}
	if t.isQuestion() {
		_, _, err = s.node.named(&t.Reply.Kind, t.Reply.Operation)
	}
	return t, c, err
}

// unitOf returns the kind and the key of a unit with a name.
func (s *shared) unitOf(name string) (k *kind, key string, err error) {
	given, key, err := layout.UnitOf([]byte(name))
	if err != nil {
		return nil, "", err
	}
	if k = s.node.stored[given]; k == nil {
		return nil, "", fmt.Errorf("cluster: a message is to kind %s, which this program does not have", given)
	}
	return k, key, nil
}

// leaves notes that a delivery has had its effect. The turn of its partition.
func (d *delivery) leaves() {
	pt := d.logged.part
	if d.isOver() {
		return
	}
	for _, unit := range d.units() {
		if pt.lastOf[unit] == d.number {
			delete(pt.lastOf, unit)
		}
	}
	waiting := pt.open[d.number]
	delete(pt.open, d.number)
	for _, next := range waiting {
		pt.of.node.outbox.deliver(next)
	}
}
