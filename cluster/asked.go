package cluster

import (
	"errors"

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
	kept    *kept  // its outcome, once it has run
	encoded []byte // the result of a read
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
	k, t, once, err := s.decode(r.Unit, r.Body)
	if err == nil && t.op == nil {
		err = errors.New("cluster: a request without an operation")
	}
	if err != nil {
		r.Reply(encodeResult(nil, err), nil)
		return
	}
	q := &asked{part: s.parts[o.P()], request: r, op: t.op, once: once}
	err = seam.Deliver(s.node.rt, route.Delivery{
		Kind: k.name, Key: func(key any) error { return k.readKey(t.Key, key) },
		Operation: t.op.name, Arg: func(arg any) error { return t.op.arg.decode(t.Arg, arg) },
		Mark: q, Done: q.ended,
	})
	switch {
	case errors.Is(err, freerun.ErrClosed):
		r.Reply(nil, partition.ErrNotRun)
	case err != nil:
		r.Reply(encodeResult(nil, err), nil)
	}
}

// encode encodes the result of a read.
func (q *asked) encode(result any) (err error) {
	q.encoded, err = q.op.result.Append(nil, result)
	return err
}

// isAsked notes that a run, or a read, is a request.
func (c *cell) isAsked(r *run, i *freerun.Invocation) {
	q := seam.Mark(i).(*asked)
	r.kept, r.logged = &kept{op: q.op, result: i.Result()}, &loggedRun{asked: q}
	q.kept = r.kept
}

// ended is called with the outcome of a request.
func (q *asked) ended(err error) {
	switch {
	case errors.Is(err, errOver), errors.Is(err, errUndone):
		q.request.Reply(nil, partition.ErrNotRun)
	case errors.Is(err, errThroughLog):
		q.part.of.machine.Send(q.request.Unit, q.request.Body, func(error) {}, q.request.Reply)
	case errors.Is(err, engine.ErrUncertain), errors.Is(err, freerun.ErrClosed):
		q.request.Reply(nil, engine.ErrUncertain)
	case err != nil:
		q.request.Reply(encodeResult(nil, err), nil)
	case q.kept != nil:
		q.request.Reply(encodeResult(q.kept.encoded, q.kept.err), nil)
	default:
		q.request.Reply(encodeResult(q.encoded, nil), nil)
	}
}
