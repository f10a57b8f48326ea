package jet

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// shared is an Engine as the nodes of package cluster have it.
type shared struct {
	*Engine
	name string
	end  func()
}

// Shared returns the engine for a node of package cluster, with a name of its own. The node closes
// it; then end is called, which ends what the engine was opened with.
func (e *Engine) Shared(end func()) engine.Shared {
	var name [12]byte
	_, _ = rand.Read(name[:]) // it never fails
	return &shared{e, hex.EncodeToString(name[:]), end}
}

// Name implements [engine.Shared].
func (s *shared) Name() string { return s.name }

// Close implements [engine.Shared].
func (s *shared) Close() error {
	s.Engine.Close()
	s.end()
	return nil
}
