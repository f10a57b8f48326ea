package cluster

import (
	"errors"
	"fmt"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/calls"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/internal/route"
)

// What comes from other machines: calls to units here, and outcomes of calls from here.

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
		case f.Kind.IsToGate():
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
	carries(d, call.Values)
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
