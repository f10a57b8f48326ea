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

// mostHeaders is how many bytes the headers of a message have, at most: they count as its payload.
const mostHeaders = 1 << 10

// Partitions implements [engine.Shared].
func (s *shared) Partitions() int { return s.partitions }

// Largest implements [engine.Shared].
func (s *shared) Largest() int { return int(s.nc.MaxPayload()) - mostHeaders }

// Name implements [engine.Shared].
func (s *shared) Name() string { return s.name }

// Close implements [engine.Shared].
func (s *shared) Close() error {
	s.Engine.Close()
	s.end()
	return nil
}
