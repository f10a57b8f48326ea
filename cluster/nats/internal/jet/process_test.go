package jet

import (
	"context"
	"log/slog"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// process is a node: one of several in a process of a test, or one in a process of its own.
type process struct {
	name string
	rt   *freerun.Runtime
	node *cluster.Node
	nc   *nats.Conn
	over chan struct{} // closed when it is killed
}

// named is an engine under a name that the test knows. unfenced: its writes expect nothing.
type named struct {
	*shared
	unfenced bool
}

// Swap implements [engine.Log].
func (n *named) Swap(p int, writes []engine.Write, revision uint64, done func(revision uint64, err error)) {
	n.SwapAll(p, writes, []uint64{revision}, done)
}

// SwapAll implements [engine.Log].
func (n *named) SwapAll(p int, writes []engine.Write, revisions []uint64, done func(first uint64, err error)) {
	if n.unfenced {
		revisions = nil
	}
	n.shared.SwapAll(p, writes, revisions, done)
}

// join joins the store of an engine. Where several servers have it, machines connect to each other.
func join(nc *nats.Conn, e *Engine, name string, unfenced bool) (p *process, err error) {
	listen := ""
	if e.replicated {
		listen = "127.0.0.1:0"
	}
	p = &process{name: name, nc: nc, over: make(chan struct{}), rt: freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))}
	p.node, err = cluster.Join(p.rt, engine.SharedStore[cluster.Store](func(context.Context) (engine.Shared, error) {
		return &named{&shared{Engine: e, name: name, listen: listen, end: func() {}}, unfenced}, nil
	}))
	return p, err
}

// newProcess starts a node in the process of a test.
func newProcess(t testing.TB, url, program, name string) *process {
	t.Helper()
	nc := connect(t, url)
	p, err := join(nc, open(t, nc, Options{Program: program}), name, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kill ends the node in the middle.
func (p *process) kill() {
	close(p.over)
	p.nc.Close()
	_ = p.rt.Close()
	_ = p.node.Close()
}

// leave ends the node in order: the others need not wait for it.
func (p *process) leave() {
	if err := p.node.Close(); err != nil {
		panic(err)
	}
	if err := p.rt.Shutdown(context.Background()); err != nil {
		panic(err)
	}
	p.nc.Close()
}
