package cluster

import "github.com/freerun-go/freerun/cluster/internal/engine"

// provided is a store that another package brings, as clustertest does.
type provided func() (engine.Engine, error)

func (p provided) open() (engine.Engine, error) { return p() }

func init() {
	engine.Provide(func(open func() (engine.Engine, error)) Store { return provided(open) })
}
