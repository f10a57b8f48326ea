// Package member makes a store of package cluster of servers of NATS: those that run somewhere
// ([github.com/freerun-go/freerun/cluster/nats]), or one in this process
// ([github.com/freerun-go/freerun/cluster/nats/embedded]).
package member

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/nats/internal/jet"
)

// Settings are how a store is opened.
type Settings struct {
	Streams    jet.Options
	Within     time.Duration // it is opened, or Join fails
	Connection []nats.Option
	Links      string // where other machines connect to this one; empty for nowhere
}

// Defaults returns the settings of a program that has none of its own.
func Defaults(program string) Settings {
	return Settings{Streams: jet.Options{Program: program, Partitions: 64, Pairs: 1}, Within: time.Minute}
}

// Place is where the servers are.
type Place struct {
	URL     string
	Options []nats.Option // of the connection
	Says    func() string // what a server says that nobody can reach; nil for none
	End     func()        // called when the connection is closed, or there is none
}

// Store returns a store. find is called when a runtime joins it.
func Store(s Settings, find func(ctx context.Context, s *Settings) (Place, error)) cluster.Store {
	return engine.SharedStore[cluster.Store](func(ctx context.Context) (engine.Shared, error) {
		s := s
		at, err := find(ctx, &s)
		if err != nil {
			return nil, err
		}
		e, err := s.open(ctx, at)
		if err != nil {
			if at.Says != nil {
				err = fmt.Errorf("%w; the last that the server says: %q", err, at.Says())
			}
			at.End()
			return nil, err
		}
		return e, nil
	})
}

// open connects, and opens the streams.
func (s *Settings) open(ctx context.Context, at Place) (engine.Shared, error) {
	nc, err := jet.Connect(at.URL, append(at.Options, s.Connection...)...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Within)
	defer cancel()
	e, err := jet.Open(ctx, nc, s.Streams)
	if err != nil {
		nc.Close()
		return nil, err
	}
	return e.Shared(s.Links, func() {
		nc.Close()
		at.End()
	}), nil
}
