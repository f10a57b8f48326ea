package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/cluster/internal/turn"
)

// Sketch:     what is sent to a durable unit from outside goes into the log of its partition
//             (logged_send.go). The machine that owns the partition delivers it to its unit, in
//             the order of the log, and the unit runs it as it runs what units have told each other
//             on one machine (outbox.go)
//             the record of a unit has how far it is in the log, and what its operations have told:
//             the owner sends that when it is written (logged_cell.go)
//             a request goes to the owner beside the log (asked.go)
// Invariants: H1 What a unit runs for an owner is run for that owner alone: when it has ended, what
//             is not written is dropped, and the next one delivers it again.
//             H2 Deliveries to a unit run in the order of the log, whatever fails in between: each
//             knows the one before.

// shared is what a node has that shares its units with other machines.
type shared struct {
	node    *Node
	engine  engine.Shared
	machine *partition.Machine
	parts   []*part
	stop    func() // it listens no more
	leave   sync.Once
	closed  atomic.Bool
	named   atomic.Uint64 // writes that have a name
	several severalNames
	room    room
	counts  sharedCounts
}

var _ partition.Cells = (*shared)(nil)

// part is what this machine has of a partition.
type part struct {
	of    *shared
	p     int
	turn  *turn.Turn
	owner atomic.Pointer[partition.Owner] // nil while another machine owns it
	cells sync.Map                        // *cell → nothing: those that have a state
	// lastOf has the number of the last command that was delivered to a unit and has had no effect.
	// The turn.
	lastOf map[string]uint64
	// open has the commands that were delivered and have had no effect, by number, each with those
	// that have overtaken it on one of their units, and come once it is done. The turn.
	open  map[uint64][]*delivery
	guard *guard // of the owner. The turn
	// hopeless has since when states could not be made of units to which something was told.
	hopeless sync.Map // unit → time.Time
}

// errOver is the outcome of what an owner has delivered that has ended since.
var errOver = errors.New("cluster: another machine owns the partition now")

// newShared makes what a node shares.
func newShared(n *Node, e engine.Shared) *shared {
	s := &shared{node: n, engine: e, room: roomOf(e.Largest())}
	for p := range e.Partitions() {
		s.parts = append(s.parts, &part{of: s, p: p, turn: turn.New(n.rt), lastOf: map[string]uint64{}, open: map[uint64][]*delivery{}})
	}
	s.machine = partition.NewMachine(e.Name(), len(s.parts), e, e, turn.New(n.rt), func(p int) partition.World { return s.parts[p].turn }, s)
	return s
}

// begin has the node be one of the machines.
func (s *shared) begin() (err error) {
	if n := s.engine.Largest(); n < leastLargest {
		return errors.Join(fmt.Errorf("cluster: the store takes %d bytes in one piece, and durable units need %d", n, leastLargest), s.engine.Close())
	}
	if err := s.settleNames(); err != nil {
		return errors.Join(err, s.engine.Close())
	}
	if s.several, err = s.node.nameSeveral(seam.Kinds(), seam.Operations()); err != nil {
		return errors.Join(err, s.engine.Close())
	}
	if s.stop, err = s.engine.Listen(s.engine.Name(), s.machine.Receive); err != nil {
		return errors.Join(err, s.engine.Close())
	}
	s.node.isIn(s.engine)
	nodes.Store(s.node.rt, s.node)
	sharers.Add(1)
	s.machine.Begin()
	return nil
}

// leaves leaves what this machine owns to the others, which have nothing to do again then. It waits
// for that, a second at most. Operations run meanwhile.
func (s *shared) leaves() {
	if s.node.draining() {
		return // its timers have ended
	}
	_, _ = await(context.Background(), s.node, func(left func(struct{}, error)) {
		over := sync.OnceFunc(func() { left(struct{}{}, nil) })
		s.machine.Leave(func() { s.node.after(lingers, over) })
		s.node.after(mostLeave, over) // at once if the runtime drains
	})
}

const (
	// lingers is how long a machine that has left still says so to those that send it requests, as
	// they have not heard of it yet.
	lingers = 100 * time.Millisecond
	// mostLeave is how long it takes at most to leave.
	mostLeave = 2 * time.Second
)

// isEnding reports whether nothing is to be waited for any more.
func (s *shared) isEnding() bool { return s.closed.Load() || s.node.draining() }

// notOwned is why this machine does not have the units of a partition.
func (s *shared) notOwned() error {
	if s.closed.Load() {
		return ErrClosed
	}
	return errOver
}

// close ends what begin has begun.
func (s *shared) close() error {
	s.closed.Store(true)
	sharers.Add(-1)
	s.machine.End()
	s.stop()
	return s.engine.Close()
}

// partOf returns the partition of a unit. Its name is the key of its record.
func (s *shared) partOf(unit string) *part { return s.parts[partition.Of(unit, len(s.parts))] }

// Began implements [partition.Cells].
func (s *shared) Began(o *partition.Owner) {
	pt := s.parts[o.P()]
	clear(pt.lastOf)
	clear(pt.open)
	pt.guard = &guard{part: pt, owner: o, from: o.Stored() + 1}
	pt.owner.Store(o)
	s.counts.owns()
	s.node.wakes.readOf(pt, o)
	pt.sweeps(o)
}

// Ended implements [partition.Cells].
func (s *shared) Ended(o *partition.Owner) {
	pt := s.parts[o.P()]
	if !pt.owner.CompareAndSwap(o, nil) {
		return // it had not begun
	}
	pt.hopeless.Clear()
	dropped := s.node.outbox.lines.drop(pt)
	for _, waiting := range pt.open {
		dropped = append(dropped, waiting...)
	}
	clear(pt.open)
	s.node.outbox.drops(dropped)
	s.node.wakes.dropsOf(pt)
	var active []*cell
	for c := range pt.cells.Range {
		active = append(active, c.(*cell))
	}
	// In one order, so that a seed repeats it.
	slices.SortFunc(active, func(a, b *cell) int { return bytes.Compare(a.key, b.key) })
	for _, c := range active {
		pt.cells.Delete(c)
		c.isOver()
	}
}

// Deliver implements [partition.Cells].
func (s *shared) Deliver(o *partition.Owner, seq uint64, c *partition.Command) {
	d, err := s.delivery(o, seq, c)
	if err != nil {
		s.fails(o, err)
		return
	}
	d.logged.part.guard.deliver(d)
}

// fails ends an owner that does not know what its log has.
func (s *shared) fails(o *partition.Owner, err error) {
	slog.Error("cluster: a partition stops here, until a machine owns it whose program knows what its log has", "partition", o.P(), "error", err)
	o.Fail(err)
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
		pt.of.node.outbox.tryAgain(d, false) // its unit has not loaded that yet
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
	t = tell{Tell: layout.Tell{Kind: k.stored, Key: key, Operation: c.Operation, Arg: c.Arg, Reply: c.Reply, Units: c.Units}, to: k}
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

// named returns the operation, or the read, with a name in the store; nil if there is none.
func (k *kind) named(given string) *operation {
	if o := k.ops[given]; o != nil {
		return o
	}
	return k.reads[given]
}

// Repeat implements [partition.Cells].
func (s *shared) Repeat(o *partition.Owner, c *partition.Command) {
	pt := s.parts[o.P()]
	s.engine.Read(pt.p, []byte(c.Unit), func(value []byte, _ uint64, err error) {
		if err != nil || value == nil {
			return // it is asked for again, or not written yet
		}
		record, _, err := partition.DecodeRecord(value)
		if err != nil {
			return // its unit says so
		}
		if outcome, there := record.Outcome(c.From.Session, c.N); there {
			pt.turn.Run(func() { s.machine.Answer(o, c, outcome) })
		}
	})
}

// logged is what a delivery has that comes from a log.
type logged struct {
	part    *part
	owner   *partition.Owner
	command *partition.Command
	before  []uint64  // the number of the one before to each unit; 0 without one
	once    string    // its identity
	until   time.Time // it may begin; zero for always
	refused error     // it is not to run; nil for others
}

// isOver reports whether a delivery is dropped, since its owner has ended.
func (d *delivery) isOver() bool {
	return d.logged != nil && d.logged.part.owner.Load() != d.logged.owner
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

// wakeUp gives the unit of a delivery without an operation its turn.
func (s *shared) wakeUp(d *delivery) error {
	return s.inTurnOf(d, func(c *cell, state any) {
		if r := c.ownRun(d); c.takes(r) {
			c.tellDue(r)
			c.isPending(r)
			c.settle(state)
		}
	})
}

// refuse has a delivery fail for good that is refused.
func (s *shared) refuse(d *delivery) {
	if len(d.Units) > 0 {
		s.refuseSeveral(d)
		return
	}
	err := s.inTurnOf(d, func(c *cell, state any) {
		r := c.ownRun(d)
		if r.refused = d.logged.refused; c.takes(r) {
			c.isPending(r)
			c.settle(state)
		}
	})
	if err != nil && !errors.Is(err, freerun.ErrClosed) {
		s.fails(d.logged.owner, err)
	}
}

// ownRun returns a step of the unit itself that a delivery is.
func (c *cell) ownRun(d *delivery) *run {
	return &run{cell: c, of: d, logged: &loggedRun{}, own: func(err error) { c.kind.node.outbox.ended(d, err) }}
}

// takes reports whether a step of the unit itself may run now. If not, it comes again, or its
// outcome is decided.
func (c *cell) takes(r *run) bool {
	switch {
	case c.isBroken(), c.isLookingUp(), c.hasBehind():
		c.comesBehind(r) // which begins it anew, unless it is refused
		return false
	}
	return !c.settledBefore(r)
}

// inTurnOf has fn called in the turn of the unit that a delivery is for.
func (s *shared) inTurnOf(d *delivery, fn func(c *cell, state any)) error {
	u, err := seam.Find(s.node.rt, d.to.name, func(at any) error { return d.to.readKey(d.Key, at) })
	if err != nil {
		return err
	}
	u.Run(func(_ *freerun.Context, state any) {
		if d.isOver() {
			s.node.outbox.ended(d, errOver)
			return
		}
		fn(u.Local().(*cell), state)
	}, func(err error) {
		s.node.outbox.ended(d, err) // the state cannot be loaded
	})
	return nil
}

// sharers counts the nodes of this process that share their units.
var sharers atomic.Int32

// mostRequest is how long a request is waited for.
const mostRequest = 30 * time.Second
