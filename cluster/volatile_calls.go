package cluster

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/calls"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/cluster/internal/turn"
	"github.com/freerun-go/freerun/internal/route"
)

// Sketch:     a message to a unit of a partition that is here goes on as if nothing was shared.
//             Others are calls: through the line of their partition, to the gate of the machine
//             that has it, and from there to the unit
//             the machines change: gates open and close. Units of partitions that are elsewhere
//             are stopped, behind what was sent to them before
// Invariants: C1 A line and a gate have a turn in common.
//             C2 A message goes on here only if no earlier one to its partition is on its way.
// Checked by: of package clustertest TestMachinesGuests; of package nats TestVolatile

// volatileCalls has the volatile units of a node, and its calls to those of others.
type volatileCalls struct {
	of      *shared
	parts   []*callsPart
	sent    atomic.Int64           // calls from here that have no outcome
	bytes   atomic.Int64           // of these
	runs    atomic.Int64           // calls to here that have no outcome
	last    atomic.Pointer[string] // the machine whose message came last
	leaving atomic.Bool
	known   *partition.View // when it has looked last. In the turn of the members
	looks   time.Time
}

// callsPart is a partition of the volatile units, as a node has it.
type callsPart struct {
	of    *volatileCalls
	p     int
	turn  *turn.Turn
	line  *calls.Line
	gate  *calls.Gate
	owner string // in the turn
	// awaited is the machine whose units are to be stopped before the partition is here; empty for
	// none. waits counts how often it was so. releaser is one that said so before, since this one
	// has looked last. In the turn.
	awaited, releaser string
	waits             int
	open              atomic.Bool // the partition is here
	// straight has how many messages were given to the turn and are not in the line yet, twice, and
	// one more if the partition is here, and the line is idle: messages go on here while it is 1.
	straight atomic.Int64
}

// isHere is in straight if messages may go on here.
const isHere = 1

const (
	// mostCalls is how many calls may be under way from a machine, and mostBytes how many bytes
	// they may have.
	mostCalls = 1 << 16
	mostBytes = 256 << 20
)

func newVolatileCalls(s *shared) *volatileCalls {
	c := &volatileCalls{of: s}
	for p := range s.engine.Partitions() {
		t := &callsPart{of: c, p: p, turn: turn.New(s.node.rt)}
		node := s.engine.Name()
		tell := func(to string, f *calls.Frame) { s.machine.SendBeside(to, f) }
		t.line = calls.NewLine(p, node, lineWorld{t}, func() string { return t.owner }, tell)
		t.gate = calls.NewGate(p, node, t.turn, tell, t.take)
		c.parts = append(c.parts, t)
	}
	return c
}

// settle notes whether messages may go on here. It ends each step.
func (t *callsPart) settle() {
	want := int64(0)
	if t.open.Load() && t.line.IsIdle() {
		want = isHere
	}
	for {
		now := t.straight.Load()
		if now&isHere == want || t.straight.CompareAndSwap(now, now&^isHere|want) {
			return
		}
	}
}

// lineWorld is where a line stands. Its times pass also while the runtime drains, which drops
// timers: what is under way has an end then, too.
type lineWorld struct{ *callsPart }

// Run implements [partition.World].
func (w lineWorld) Run(fn func()) { w.turn.Inline(fn) }

// Now implements [partition.World].
func (w lineWorld) Now() time.Time { return w.turn.Now() }

// After implements [partition.World].
func (w lineWorld) After(d time.Duration, fn func()) {
	n, step := w.of.of.node, func() {
		w.turn.Inline(func() {
			fn()
			w.settle()
		})
	}
	n.after(d, func() {
		if n.draining() {
			time.AfterFunc(d, step)
		} else {
			step()
		}
	})
}

// decide decides what becomes of a message.
func (c *volatileCalls) decide(m route.Message, op *route.Operation) (route.Verdict, error) {
	k := c.of.node.volatile[m.Kind()]
	if k == nil {
		return 0, fmt.Errorf("%w: kind %s was declared after cluster.Join; declare it as a package variable", ErrNotSent, shorten(m.Kind()))
	}
	key, err := k.keyText(m.Key())
	if err != nil {
		return 0, err
	}
	o, err := k.operationOf(op.Name, m.Told())
	if err != nil {
		return 0, err
	}
	t := c.parts[partition.Of(k.unit(key), len(c.parts))]
	if t.straight.Load() == isHere {
		return route.Here, nil
	}
	return route.Elsewhere, t.send(m, k, key, o)
}

// send sends a message.
func (t *callsPart) send(m route.Message, k *volatileKind, key string, op *operation) error {
	n := t.of.of.node
	ctx := m.Context()
	call := layout.Call{Kind: []byte(k.given), Key: key, Operation: []byte(op.given), Deadline: engine.DeadlineOf(ctx)}
	sent := &sentCall{part: t, message: m, op: op}
	out := &sent.Outgoing
	out.To, out.Until = sent, n.rt.Now().Add(mostRequest)
	if ctx.Done() != n.rt.Context().Done() {
		out.Context, call.Flags = ctx, layout.Revocable
	}
	if m.Told() {
		call.Flags |= layout.Told
	}
	call.Values = n.carriedBy(ctx, m.Senders(), false)
	if !call.Deadline.IsZero() && call.Deadline.Before(out.Until) {
		out.Until = call.Deadline
	}
	var err error
	if call.Arg, err = op.arg.append(nil, m.Arg()); err != nil {
		return fmt.Errorf("cluster: the argument of %s: %w", shorten(op.name), err)
	}
	if err := mayHave("the argument of "+shorten(op.name), len(call.Arg), t.of.of.room.Argument); err != nil {
		return err
	}
	out.Body = call.Encode()
	if err := t.of.begins(len(out.Body)); err != nil {
		return fmt.Errorf("cluster: %s was not sent: %w", shorten(op.name), err)
	}
	sent.size = len(out.Body)
	t.straight.Add(2)
	t.turn.Inline(func() {
		t.line.Send(out)
		t.settle()
		t.straight.Add(-2)
	})
	return nil
}

// begins counts a call that is about to be sent, or says why it is not.
func (c *volatileCalls) begins(size int) error {
	if n, bytes := c.sent.Add(1), c.bytes.Add(int64(size)); n > mostCalls || bytes > mostBytes && n > 1 {
		c.ends(size)
		return fmt.Errorf("%w: %d messages to other machines are under way, with %d bytes", freerun.ErrFull, n-1, bytes-int64(size))
	}
	return nil
}

// ends counts a call that has its outcome.
func (c *volatileCalls) ends(size int) {
	c.sent.Add(-1)
	c.bytes.Add(-int64(size))
}

// sentCall is a message that was sent.
type sentCall struct {
	calls.Outgoing
	part    *callsPart
	message route.Message
	op      *operation
	size    int
}

// Done implements [calls.Sender].
func (s *sentCall) Done(body []byte, err error) {
	s.part.of.ends(s.size)
	if err != nil {
		err = s.part.of.of.node.orLate(engine.DeadlineOf(s.message.Context()), err)
	}
	resolve(s.message, s.op, body, err)
}

// end fails what is under way.
func (c *volatileCalls) end() {
	for _, t := range c.parts {
		t.turn.Inline(func() {
			t.opens(false)
			t.line.End()
			t.settle()
		})
	}
}
