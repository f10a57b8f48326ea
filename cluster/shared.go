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
	calls   *volatileCalls
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
	s := &shared{node: n, engine: e, room: room(layout.RoomOf(e.Largest()))}
	for p := range e.Partitions() {
		s.parts = append(s.parts, &part{of: s, p: p, turn: turn.New(n.rt), lastOf: map[string]uint64{}, open: map[uint64][]*delivery{}})
	}
	s.machine = partition.NewMachine(e.Name(), len(s.parts), e, e, turn.New(n.rt), func(p int) partition.World { return s.parts[p].turn }, s)
	s.calls = newVolatileCalls(s)
	s.machine.Watch(s.calls.looked, s.calls.received)
	return s
}

// begin has the node be one of the machines.
func (s *shared) begin() (err error) {
	if n := s.engine.Largest(); n < layout.LeastLargest {
		return errors.Join(fmt.Errorf("cluster: the store takes %d bytes in one piece, and durable units need %d", n, layout.LeastLargest), s.engine.Close())
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
// for that, some seconds at most. Operations run meanwhile.
func (s *shared) leaves() {
	if s.node.draining() {
		return // its timers have ended
	}
	_, _ = await(context.Background(), s.node, func(left func(struct{}, error)) {
		open := &atomic.Int64{}
		open.Store(2)
		over := func() {
			if open.Add(-1) == 0 {
				left(struct{}{}, nil)
			}
		}
		over1, ended := s.calls.within(mostLeave, over), &atomic.Bool{}
		s.calls.leave(func() {
			s.machine.Leave(func() {
				s.saysGoodbye(ended)
				s.node.after(lingers, over1)
			})
		}, func() {
			ended.Store(true)
			over()
		})
	})
}

// saysGoodbye says goodbye again and again until the operations have ended that others wait for.
func (s *shared) saysGoodbye(ended *atomic.Bool) {
	if ended.Load() || s.isEnding() {
		return
	}
	s.machine.SayGoodbye()
	s.node.after(partition.BeatEvery, func() { s.saysGoodbye(ended) })
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
	s.calls.end()
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
	s.parts[o.P()].guard.acquits(func() { o.Fail(err) })
}

// failsIfNewer ends an owner that has come to something that a newer program has stored. In any
// turn. It reports whether it is so.
func (s *shared) failsIfNewer(o *partition.Owner, err error) bool {
	if !errors.Is(err, ErrNewer) {
		return false
	}
	pt := s.parts[o.P()]
	pt.turn.Run(func() {
		if pt.owner.Load() == o {
			s.fails(o, err)
		}
	})
	return true
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
	case r.of.reloads(c, 0):
		c.breaks(append(c.takePending(), r))
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
