package ddb

import (
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// question is an entry with the client that waits for the answer.
type question struct {
	entry
	from *freerun.Unit[worker]
}

// The server's three operations in the form that answers by a message, and the client's two. They
// make no future, so a request allocates nothing. replyOp leads back to the others.
var (
	putReplyOp = freerun.Op("put_reply",
		func(c *freerun.Context, t *table, q question) (struct{}, error) {
			return struct{}{}, replyOp.Tell(c, q.from, t.put(q.key, q.value))
		})
	getReplyOp = freerun.Op("get_reply",
		func(c *freerun.Context, t *table, q question) (struct{}, error) {
			return struct{}{}, replyOp.Tell(c, q.from, t.get(q.key))
		})
	incrementReplyOp = freerun.Op("increment_reply",
		func(c *freerun.Context, t *table, q question) (struct{}, error) {
			return struct{}{}, replyOp.Tell(c, q.from, t.increment(q.key, q.value))
		})
	startReplyOp = freerun.Op("start_reply",
		func(c *freerun.Context, w *worker, _ struct{}) (struct{}, error) {
			return struct{}{}, w.ask(c, 0)
		})
	replyOp = freerun.Op[worker, int64, struct{}]("reply", nil)
)

var _ = freerun.Define(replyOp, freerun.NoResult(func(c *freerun.Context, w *worker, answer int64) error {
	return w.ask(c, answer)
}))

// ask sends the next request to its server, which will answer by a message.
func (w *worker) ask(c *freerun.Context, answer int64) error {
	r, ok := w.next(answer)
	if !ok {
		w.finish.Reached()
		return nil
	}
	op := getReplyOp
	switch r.verb {
	case put:
		op = putReplyOp
	case increment:
		op = incrementReplyOp
	}
	server := w.servers[home(r.key, len(w.servers))]
	return w.failed(op.Tell(c, server, question{entry{r.key, r.value}, w.self}))
}

func runReplies(cfg programs.Config) (programs.Result, error) { return runAsUnits(cfg, startReplyOp) }
