package ddb

import (
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// The three operations that a server unit exposes.
var (
	putOp = freerun.Op("put", func(_ *freerun.Context, t *table, a entry) (int64, error) {
		return t.put(a.key, a.value), nil
	})
	getOp = freerun.Op("get", func(_ *freerun.Context, t *table, key int) (int64, error) {
		return t.get(key), nil
	})
	incrementOp = freerun.Op("increment", func(_ *freerun.Context, t *table, a entry) (int64, error) {
		return t.increment(a.key, a.value), nil
	})
)

// entry is a key with the value to put or to add.
type entry struct {
	key   int
	value int64
}

// startOp makes a client send its first request, answerOp the request that follows from an answer.
// The answer is an open future when answerOp is sent, and resolved when it runs. answerOp sends
// itself.
var (
	startOp = freerun.Op("start", freerun.NoResult(func(c *freerun.Context, w *worker, _ struct{}) error {
		return w.proceed(c, 0)
	}))
	answerOp = freerun.Op[worker, freerun.Future[int64], struct{}]("answer", nil)
)

var _ = freerun.Define(answerOp, freerun.NoResult(func(c *freerun.Context, w *worker, answer freerun.Future[int64]) error {
	return w.proceed(c, answer.Value())
}))

// proceed sends the next request to its server, and to the client itself the message that waits for
// the answer.
func (w *worker) proceed(c *freerun.Context, answer int64) error {
	r, ok := w.next(answer)
	if !ok {
		w.finish.Reached()
		return nil
	}
	server := w.servers[home(r.key, len(w.servers))]
	var future freerun.Future[int64]
	switch r.verb {
	case put:
		future = putOp.Send(c, server, entry{r.key, r.value})
	case increment:
		future = incrementOp.Send(c, server, entry{r.key, r.value})
	default:
		future = getOp.Send(c, server, r.key)
	}
	return w.failed(answerOp.Tell(c, w.self, future))
}

func runUnits(cfg programs.Config) (programs.Result, error) { return runAsUnits(cfg, startOp) }
