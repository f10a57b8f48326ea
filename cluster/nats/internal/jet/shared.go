package jet

import (
	"crypto/rand"
	"encoding/hex"
	"sync/atomic"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/nats/internal/links"
)

// shared is an Engine as the nodes of package cluster have it.
type shared struct {
	*Engine
	name   string
	listen string // for links to other machines; empty for none
	mesh   atomic.Pointer[links.Mesh]
	end    func()
}

// Shared returns the engine for a node of package cluster, with a name of its own. Other machines
// connect to it at the address listen; none do if that is empty. The node closes it; then end is
// called, which ends what the engine was opened with.
func (e *Engine) Shared(listen string, end func()) engine.Shared {
	var name [12]byte
	_, _ = rand.Read(name[:]) // it never fails
	return &shared{Engine: e, name: hex.EncodeToString(name[:]), listen: listen, end: end}
}

// Name implements [engine.Shared].
func (s *shared) Name() string { return s.name }

// Send implements [engine.Shared]: by the link to the machine, if there is one.
func (s *shared) Send(to string, message []byte) {
	if m := s.mesh.Load(); m == nil || to == "" || to == s.name || !m.Send(to, message) {
		s.Engine.Send(to, message)
	}
}

// Listen implements [engine.Shared]: also to what comes by links.
func (s *shared) Listen(name string, each func(message []byte)) (stop func(), err error) {
	if s.listen == "" {
		return s.Engine.Listen(name, each)
	}
	m, err := links.New(links.Settings{Name: name, Listen: s.listen, Host: s.host(), Post: s.Engine.Send, Receive: each})
	if err != nil {
		return nil, err
	}
	ends, err := s.Engine.Listen(name, func(message []byte) {
		if links.IsNotice(message) {
			m.Hear(message)
		} else {
			each(message)
		}
	})
	if err != nil {
		m.Close()
		return nil, err
	}
	s.mesh.Store(m)
	return func() {
		s.mesh.Store(nil)
		m.Close()
		ends()
	}, nil
}

// host returns the address of this machine as the servers see it.
func (e *Engine) host() string {
	ip, err := e.nc.GetClientIP()
	if err != nil {
		return ""
	}
	return ip.String()
}

// Close implements [engine.Shared].
func (s *shared) Close() error {
	s.Engine.Close()
	s.end()
	return nil
}
