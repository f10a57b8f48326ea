package cluster

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// provided and providedShared are stores that another package brings, as clustertest does.
type (
	provided       func() (engine.Engine, error)
	providedShared func(context.Context) (engine.Shared, error)
)

func (p provided) open(n *Node) (err error) {
	n.engine, err = p()
	return err
}

func (p providedShared) open(n *Node) error {
	ctx, cancel := n.untilDrained()
	defer cancel()
	e, err := p(ctx)
	switch {
	case err == nil:
		n.shared = newShared(n, e)
	case ctx.Err() != nil:
		err = fmt.Errorf("cluster: Join: %w before the store was reached", freerun.ErrClosed)
	}
	return err
}

// untilDrained returns a context that ends when the runtime drains.
func (n *Node) untilDrained() (ctx context.Context, cancel func()) {
	ctx, cancel = context.WithCancel(context.Background())
	go func() {
		select {
		case <-n.rt.Draining():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func init() {
	engine.Provide(
		func(open func() (engine.Engine, error)) Store { return provided(open) },
		func(open func(context.Context) (engine.Shared, error)) Store { return providedShared(open) },
	)
}
