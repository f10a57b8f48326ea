package cluster

import "github.com/freerun-go/freerun/cluster/internal/engine"

// provided and providedShared are stores that another package brings, as clustertest does.
type (
	provided       func() (engine.Engine, error)
	providedShared func() (engine.Shared, error)
)

func (p provided) open(n *Node) (err error) {
	n.engine, err = p()
	return err
}

func (p providedShared) open(n *Node) error {
	e, err := p()
	if err == nil {
		n.shared = newShared(n, e)
	}
	return err
}

func init() {
	engine.Provide(
		func(open func() (engine.Engine, error)) Store { return provided(open) },
		func(open func() (engine.Shared, error)) Store { return providedShared(open) },
	)
}
