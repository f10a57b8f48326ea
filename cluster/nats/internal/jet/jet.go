package jet

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Options are the settings of [Open].
type Options struct {
	// Program names the program.
	Program string
	// Partitions is the number of partitions, fixed for the life of the data. 0 is as many as there
	// are.
	Partitions int
	// Pairs is the number of pairs of streams, fixed as well. 0 is as many as there are, and 1
	// where they are made.
	Pairs int
	// Replicas is how many servers have what is stored, at least: 1, 3 or 5. 0 is as 1.
	Replicas int
	// Create makes the streams if there are none.
	Create bool
}

// Engine is an [engine.Log] over JetStream.
type Engine struct {
	names
	nc         *nats.Conn
	id         [16]byte
	partitions int
	replicated bool // several servers have the streams
	calls      *calls
	outlet     outlet
	followers  followers
	losses     losses
}

var _ engine.Log = (*Engine)(nil)

const mostCall = 2 * time.Second // an answer takes

// Open opens the store of a program in the servers of a connection, which [Connect] makes. It fails
// with [engine.ErrStateLost] if there is none and Create is not set, or if a part of it is missing,
// and with the errors of this package. It waits, until ctx ends, for a server, and for servers that
// have no leader yet. Several processes may make a store at the same time.
func Open(ctx context.Context, nc *nats.Conn, o Options) (*Engine, error) {
	return openWith(ctx, nc, o, (*Engine).openStreams)
}

// openWith opens a store whose streams are found, or made.
func openWith(ctx context.Context, nc *nats.Conn, o Options, streams func(e *Engine, ctx context.Context, js jetstream.JetStream, o Options) error) (*Engine, error) {
	names, err := newNames(o.Program, max(o.Pairs, 1))
	if err != nil {
		return nil, err
	}
	if o.Partitions < 0 || o.Partitions == 0 && o.Create {
		return nil, fmt.Errorf("nats: %d partitions; it needs at least 1", o.Partitions)
	}
	if o.Pairs < 0 || o.Partitions > 0 && o.Pairs > o.Partitions {
		return nil, fmt.Errorf("nats: %d pairs of streams for %d partitions; each pair needs one", o.Pairs, o.Partitions)
	}
	o.Replicas = max(o.Replicas, 1)
	e := &Engine{names: names, nc: nc, partitions: o.Partitions, outlet: outlet{names: names, nc: nc, oldest: mostCall}}
	if err := connected(ctx, nc); err != nil {
		return nil, err
	}
	if err := e.checkServer(); err != nil {
		return nil, err
	}
	ctx, refused, stop := hearRefusals(ctx, nc)
	defer stop()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	if err := streams(e, ctx, js, o); err != nil {
		return nil, err
	}
	if err := e.checkPermissions(ctx, refused); err != nil {
		return nil, err
	}
	e.losses.streams = map[string]*known{}
	for _, name := range e.streams() {
		e.losses.streams[name] = &known{}
	}
	if e.calls, err = newCalls(nc, &e.outlet, mostCall); err != nil {
		return nil, err
	}
	if e.losses.deaf, err = e.hearLosses(); err != nil {
		e.calls.close()
		return nil, err
	}
	changes := nc.StatusChanged(nats.CONNECTED, nats.RECONNECTING)
	e.losses.beside(func() { e.compares(changes) })
	return e, nil
}

// ID returns the identity of the store.
func (e *Engine) ID() [16]byte { return e.id }

// Partitions implements [engine.Shared].
func (e *Engine) Partitions() int { return e.partitions }

// Pairs returns how many pairs of streams there are.
func (e *Engine) Pairs() int { return e.pairs }

// Largest implements [engine.Shared].
func (e *Engine) Largest() int { return int(e.nc.MaxPayload()) - mostHeaders }

// mostHeaders is how many bytes the headers of a message have, at most: they count as its payload.
const mostHeaders = 1 << 10

// Close ends the engine: calls that have no answer fail with [engine.ErrClosed]. It does not close
// the connection. It waits for callbacks that are under way.
func (e *Engine) Close() {
	e.outlet.flush(mostFlush)
	e.followers.close()
	e.losses.deaf()
	e.calls.close()
	e.losses.close()
}

// mostFlush is how long Close waits for what is about to leave: that the machine has left, above
// all.
const mostFlush = time.Second
