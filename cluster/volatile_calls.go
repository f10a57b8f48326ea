package cluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/calls"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/cluster/internal/turn"
	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/travel"
)

// Sketch:     a message to a unit of a partition that is here goes on as if nothing was shared.
//             Others are calls: through the line of their partition, to the gate of the machine
//             that has it, and from there to the unit
//             the machines change: gates open and close. Units of partitions that are elsewhere
//             are stopped, behind what was sent to them before
// Invariants: C1 A line and a gate have a turn in common.
//             C2 A message goes on here only if no earlier one to its partition is on its way.
// Checked by: of package clustertest TestMachinesGuests; of package nats TestVolatile

// volatileCalls is what a node has of units that machines share, and that are not durable.
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

// callsPart is what a node has of a partition.
type callsPart struct {
	of    *volatileCalls
	p     int
	turn  *turn.Turn
	line  *calls.Line
	gate  *calls.Gate
	owner string // in the turn
	// awaited is the machine whose units are to be stopped before the partition is here; empty for
	// none. releaser is one that said so before. In the turn.
	awaited, releaser string
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
	for _, v := range travel.All() {
		if value := ctx.Value(v.Key); value != nil {
			if b := v.Encode(value); b != nil && len(b) <= mostTravels {
				call.Values = append(call.Values, layout.CallValue{Name: v.Name, Value: b})
			}
		}
	}
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
	resolve(s.message, s.op, body, err)
}

// received takes what another machine has sent.
func (c *volatileCalls) received(b []byte) {
	came, err := calls.Decode(b, c.machineNamed)
	if err != nil || came.P >= len(c.parts) {
		return // of a newer program, which finds out by other means
	}
	t := c.parts[came.P]
	t.turn.Inline(func() {
		f := came // on the stack
		switch {
		case f.Kind <= calls.Probe:
			t.gate.Receive(&f)
			return
		case f.Kind == calls.Released:
			t.released(f.Node)
		default:
			t.line.Receive(&f)
		}
		t.settle()
	})
}

// machineNamed returns the name of a machine, which most messages come from that came before.
func (c *volatileCalls) machineNamed(b []byte) string {
	last := c.last.Load()
	if last == nil || *last != string(b) {
		name := string(b)
		last = &name
		c.last.Store(last)
	}
	return *last
}

// take has a call run that has come.
func (t *callsPart) take(c *calls.Incoming) error {
	t.of.runs.Add(1)
	ends := func(body []byte) {
		t.turn.Inline(func() {
			c.End(body)
			t.of.runs.Add(-1)
		})
	}
	call, err := layout.DecodeCall(c.Body)
	if err != nil {
		ends(encodeResult(nil, err))
		return nil
	}
	k, op, err := t.of.called(&call)
	rt := t.of.of.node.rt
	if err == nil && !call.Deadline.IsZero() && rt.Now().After(call.Deadline) {
		err = errLate
	}
	if err != nil {
		ends(encodeResult(nil, err))
		return nil
	}
	d := &route.Delivery{
		To:        []route.Place{{Kind: k.name, Key: func(at any) error { return k.readKey(call.Key, at) }}},
		Operation: op.name, Arg: func(arg any) error { return op.arg.decode(call.Arg, arg) },
		Revocable: call.Flags&layout.Revocable != 0,
		Done:      func(result any, err error) { ends(t.of.outcome(&call, op, result, err)) },
	}
	d.Values = valuesOf(&call)
	switch err := seam.Deliver(rt, d); {
	case errors.Is(err, freerun.ErrClosed):
		t.of.runs.Add(-1)
		return calls.ErrRefused
	case err != nil:
		ends(encodeResult(nil, err))
	case d.Revoke != nil:
		c.Revoke = func() { d.Revoke(errGivenUp) }
	}
	return nil
}

// valuesOf returns the values that have come with a call, and are known here.
func valuesOf(call *layout.Call) (all []route.Value) {
	for _, came := range call.Values {
		for _, v := range travel.All() {
			if v.Name != came.Name {
				continue
			}
			if value := v.Decode(came.Value); value != nil {
				all = append(all, route.Value{Key: v.Key, Value: value})
			}
		}
	}
	return all
}

// errGivenUp is the outcome of a call that nobody waits for any more: none sees it.
var errGivenUp = fmt.Errorf("%w: nobody waits for it on the machine that has sent it", freerun.ErrCanceled)

// called returns the kind and the operation of a call.
func (c *volatileCalls) called(call *layout.Call) (*volatileKind, *operation, error) {
	k := c.of.node.called[string(call.Kind)]
	if k == nil {
		return nil, nil, fmt.Errorf("%w: the machine that has its units has a program without kind %s", ErrNotSent, call.Kind)
	}
	op := k.named[string(call.Operation)]
	if op == nil {
		return nil, nil, fmt.Errorf("%w: the machine that has the unit has a program whose kind %s has no operation %s", ErrNotSent, call.Kind, call.Operation)
	}
	return k, op, nil
}

// outcome returns the outcome of a call as it is sent.
func (c *volatileCalls) outcome(call *layout.Call, op *operation, result any, err error) []byte {
	var value []byte
	if err == nil && call.Flags&layout.Told == 0 {
		if value, err = op.result.Append(nil, result); err == nil {
			err = mayHave("the result of "+shorten(op.name), len(value), c.of.room.Argument)
		}
	}
	if errors.Is(err, ErrNotRun) { // of what it has sent: it has run itself
		err = fmt.Errorf("%w: %s has returned: %s", ErrUncertain, shorten(op.name), err)
	}
	return encodeResult(value, c.of.room.cut(err))
}

// looked notes which machines there are. In the turn of the members.
func (c *volatileCalls) looked(v *partition.View) {
	before, now := c.known, c.of.node.rt.Now()
	if v == before && now.Sub(c.looks) < time.Minute {
		return
	}
	c.known, c.looks = v, now
	c.tellParts(v, before, func(moved map[int]string) {
		if c.leaving.Load() || before != nil && len(moved) == 0 {
			return
		}
		c.stopOthers(func() { // units of before the runtime has joined, too
			for p, to := range moved {
				c.parts[p].releases(to)
			}
		})
		// A message that was about to go on here may have made a unit again.
		c.of.node.after(partition.Absent, func() { c.stopOthers(func() {}) })
	})
}

// tellParts has the partitions know which machines there are, where it knew others before, and
// calls then once all do: with the partitions that are elsewhere now, and where. In the turn of the
// members.
func (c *volatileCalls) tellParts(v, before *partition.View, then func(moved map[int]string)) {
	self, owners := c.of.engine.Name(), v.Owners
	if c.leaving.Load() {
		owners = v.Without(self).Owners
	}
	earlier := v.Without(self).Owners // of a machine that has just begun
	if before != nil {
		earlier = before.Owners
	}
	left, moved := &atomic.Int64{}, &sync.Map{}
	left.Store(int64(len(c.parts)))
	for _, t := range c.parts {
		t.turn.Inline(func() {
			was := t.owner
			t.owner = owners[t.p]
			switch mine := t.owner == self; {
			case !mine:
				t.opens(false)
				if was == self || before == nil { // a machine that begins with this one may think so
					moved.Store(t.p, t.owner)
				}
			case was != self && earlier[t.p] != self && slices.Contains(v.Members, earlier[t.p]):
				t.awaits(earlier[t.p])
			case t.awaited != "" && !slices.Contains(v.Members, t.awaited), was != self:
				t.opens(true) // one that has left has stopped its units before
			}
			t.gate.Members(v.MayAnswer())
			t.line.Members(v.MayAnswer())
			t.settle()
			if left.Add(-1) == 0 {
				all := map[int]string{}
				for p, to := range moved.Range {
					all[p.(int)] = to.(string)
				}
				then(all)
			}
		})
	}
}

// opens has the partition be here, or not. In the turn.
func (t *callsPart) opens(here bool) {
	if t.awaited = ""; here {
		t.releaser = ""
	}
	t.open.Store(here)
	t.gate.Open(here)
}

// awaits has the partition be here once the machine that had it has stopped its units: it says so,
// or takes too long. In the turn.
func (t *callsPart) awaits(machine string) {
	if t.releaser == machine {
		t.opens(true)
		return
	}
	t.opens(false)
	t.awaited = machine
	lineWorld{t}.After(mostAwait, func() {
		if t.awaited == machine {
			t.opens(true)
		}
	})
}

// mostAwait is how long a partition is nobody's at most, while its units are stopped.
const mostAwait = 2 * time.Second

// releases tells the machine that has the partition now that its units are stopped here.
func (t *callsPart) releases(to string) {
	if to != "" {
		t.of.of.machine.SendBeside(to, &calls.Frame{Kind: calls.Released, P: t.p, Node: t.of.of.engine.Name()})
	}
}

// released has the partition be here, if the machine that had it says so. In the turn.
func (t *callsPart) released(by string) {
	if t.awaited == by {
		t.opens(true)
	} else if !t.open.Load() {
		t.releaser = by
	}
}

// stopOthers stops the units that are not here any more, behind what was sent to them.
func (c *volatileCalls) stopOthers(done func()) {
	kinds := c.of.node.volatile
	left := &atomic.Int64{}
	left.Store(int64(len(kinds)) + 1)
	stopped := func() {
		if left.Add(-1) == 0 {
			done()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) { // so that a seed repeats it
		k := kinds[name]
		seam.StopSome(c.of.node.rt, k.name, func(key any) bool {
			text, err := k.keyText(key)
			return err == nil && !c.parts[partition.Of(k.unit(text), len(c.parts))].open.Load()
		}, stopped)
	}
	stopped()
}

const (
	// mostStops is how long a machine that leaves waits for its units to stop, before others get
	// its partitions, and mostRuns for the operations that it has taken.
	mostStops = time.Second
	mostRuns  = 10 * time.Second
)

// leave has the units be on other machines: what was taken here runs, and then they are stopped.
// stopped is called then, or after mostStops, and ended when all outcomes have left, or after
// mostRuns.
func (c *volatileCalls) leave(stopped, ended func()) {
	stopped, ended = c.within(mostStops, stopped), c.within(mostRuns, ended)
	c.of.machine.Run(func() {
		c.leaving.Store(true)
		v := c.of.machine.View()
		if v == nil {
			stopped()
			ended()
			return
		}
		c.tellParts(v, v, func(map[int]string) {
			// Twice: a message that was about to go on here may have made a unit again.
			c.stopOthers(func() {
				c.stopOthers(func() {
					stopped()
					c.awaitRuns(ended)
				})
			})
		})
	})
}

// within returns a function that calls fn once, and calls it after a while; at once if the runtime
// drains.
func (c *volatileCalls) within(most time.Duration, fn func()) func() {
	once := sync.OnceFunc(fn)
	stop := c.of.node.limit(most, once)
	return func() {
		stop()
		once()
	}
}

// awaitRuns waits until all that was taken has its outcome.
func (c *volatileCalls) awaitRuns(done func()) {
	if c.runs.Load() == 0 || c.of.isEnding() {
		done()
		return
	}
	c.of.node.after(leastPause, func() { c.awaitRuns(done) })
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
