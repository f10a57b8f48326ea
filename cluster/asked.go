package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/internal/route"
)

// asked is a request that a unit runs, or reads for: beside the log.
type asked struct {
	part    *part
	request *partition.Request
	op      *operation
	once    string
	until   time.Time // it may begin; zero for always
	kept    *kept     // its outcome, once it has run
	own     bool      // the outcome is that of the operation
	// write is the name of the write that it was in, if it is not known whether that was made, and
	// base the revision that it expected.
	write string
	base  uint64
}

// errThroughLog is the outcome of a request whose operation has told something: that needs a number
// of the log. Nobody sees it.
var errThroughLog = errors.New("cluster: what the operation tells goes through the log")

// Request implements [partition.Cells].
func (s *shared) Request(o *partition.Owner, r *partition.Request) {
	t, body, err := s.decode(r.Unit, r.Body)
	if err == nil && (t.op == nil || len(t.Units) > 0) {
		err = errors.New("cluster: a request is an operation on one unit")
	}
	if err != nil {
		r.Reply(encodeResult(nil, err), nil)
		return
	}
	q := &asked{part: s.parts[o.P()], request: r, op: t.op, once: body.Once, until: body.Deadline}
	d := &route.Delivery{
		To:        []route.Place{t.to.place(t.Key)},
		Operation: t.op.name, Arg: func(arg any) error { return t.op.arg.decode(t.Arg, arg) },
		Mark: q, Done: q.ended,
	}
	carries(d, t.Values)
	switch err = seam.Deliver(s.node.rt, d); {
	case errors.Is(err, freerun.ErrClosed), s.failsIfNewer(o, err):
		r.Reply(nil, partition.ErrNotRun)
	case err != nil:
		r.Reply(encodeResult(nil, err), nil)
	}
}

// begins notes where the result of a request comes.
func (q *asked) begins(i *freerun.Invocation) *kept {
	q.kept = &kept{op: q.op, result: i.Result()}
	return q.kept
}

// isAsked notes that a run, or a read, is a request.
func (c *cell) isAsked(r *run, i *freerun.Invocation) {
	q := seam.Mark(i).(*asked)
	r.kept, r.logged = q.begins(i), &loggedRun{asked: q}
}

// readLogged is read of a unit that machines share.
func (c *cell) readLogged(ctx *freerun.Context, i *freerun.Invocation) error {
	q, ok := seam.Mark(i).(*asked)
	switch {
	case !ok: // the node has just been closed
		return ErrClosed
	case c.phase.Load() == idle:
		err := q.look(ctx, i)
		q.own = true
		return err
	}
	r := &run{cell: c, held: seam.Hold(i), reads: true}
	r.held.Set(r)
	c.isAsked(r, i)
	if c.isBroken() {
		c.comesBehind(r)
		return nil
	}
	err := q.look(ctx, i) // and then into a list, as in read
	c.hasRead(r)
	return err
}

// look runs a read.
func (q *asked) look(ctx *freerun.Context, i *freerun.Invocation) error {
	kept := q.begins(i)
	err := i.Next(ctx)
	if err == nil {
		kept.encoded, err = q.op.result.Append(nil, kept.result)
	}
	if err == nil {
		err = mayHave("the result of "+q.op.given, len(kept.encoded), q.part.of.room.Argument)
	}
	return err
}

// ended is called with the outcome of a request.
func (q *asked) ended(_ any, err error) {
	cut := q.part.of.room.cut
	switch {
	case q.own && err == nil:
		q.request.Reply(encodeResult(q.kept.encoded, cut(q.kept.err)), nil)
	case q.own:
		q.request.Reply(encodeResult(nil, cut(err)), nil)
	case q.write != "": // that may have been made
		q.request.Reply(nil, engine.ErrUncertain)
	case errors.Is(err, errOver), errors.Is(err, errUndone), errors.Is(err, errFull), errors.Is(err, ErrNewer):
		q.request.Reply(nil, partition.ErrNotRun)
	case errors.Is(err, errThroughLog):
		q.part.of.machine.Send(q.request.Unit, q.request.Body, func(error) {}, q.cameThroughLog)
	case errors.Is(err, engine.ErrUncertain), errors.Is(err, freerun.ErrClosed), errors.Is(err, engine.ErrClosed):
		q.request.Reply(nil, engine.ErrUncertain)
	default:
		q.request.Reply(encodeResult(nil, cut(err)), nil)
	}
}

// cameThroughLog is called with the outcome of a request that went through the log. It is certain
// that it has not run if the log takes no more.
func (q *asked) cameThroughLog(value []byte, err error) {
	if errors.Is(err, partition.ErrFull) {
		value, err = encodeResult(nil, fmt.Errorf("%w: %w", ErrNotRun, fullOf(shorten(q.op.name), err))), nil
	}
	q.request.Reply(value, err)
}
