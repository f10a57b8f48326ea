package cluster

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// How the methods of a node, which wait, wait for the store, whose calls do not.

// put waits for a write; done is called with its outcome, also if ctx is done before.
func (n *Node) put(ctx context.Context, writes []engine.Write, done func(err error)) error {
	_, err := await(ctx, n, func(came func(struct{}, error)) {
		n.engine.Put(writes, func(err error) {
			done(err)
			came(struct{}{}, err)
		})
	})
	return err
}

// await waits for a callback of the store as for a future: so it does in virtual time, too.
func await[T any](ctx context.Context, n *Node, begin func(done func(T, error))) (T, error) {
	came := freerun.NewPromise[T](n.rt.Context())
	begin(func(v T, err error) { came.Resolve(v, err) })
	return came.Future().Wait(ctx)
}
