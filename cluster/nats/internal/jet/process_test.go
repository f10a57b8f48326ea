package jet

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/cluster/internal/turn"
)

const (
	parts = 4
	units = 17
)

func unitName(n int) string { return fmt.Sprint("unit ", n%units) }

// process is a machine: one of several in a process of a test, or one in a process of its own.
type process struct {
	*partition.Machine
	name   string
	nc     *nats.Conn
	engine *Engine
	log    engine.Log
	rt     *freerun.Runtime
	turns  []*turn.Turn
	cells  []map[string]*cell // by partition
	writes atomic.Int64       // that have requests
	over   chan struct{}      // closed when it is killed
}

var (
	_ partition.Bus   = (*Engine)(nil)
	_ partition.Cells = (*process)(nil)
)

// join starts a machine over an engine, which it ends. log is the engine, or one over it.
func join(nc *nats.Conn, e *Engine, log engine.Log, name string) (*process, error) {
	p := &process{
		name: name, nc: nc, engine: e, log: log, over: make(chan struct{}),
		rt: freerun.New(freerun.Logger(slog.New(slog.DiscardHandler))),
	}
	for range parts + 1 {
		p.turns = append(p.turns, turn.New(p.rt))
		p.cells = append(p.cells, map[string]*cell{})
	}
	p.Machine = partition.NewMachine(name, parts, log, e, p.turns[parts], func(i int) partition.World { return p.turns[i] }, p)
	if _, err := e.Listen(name, p.Receive); err != nil {
		return nil, err
	}
	p.Begin()
	return p, nil
}

// newProcess starts a machine in the process of a test.
func newProcess(t testing.TB, url, program, name string) *process {
	t.Helper()
	nc := connect(t, url)
	e := open(t, nc, Options{Program: program})
	p, err := join(nc, e, e, name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kill ends the process in the middle.
func (p *process) kill() {
	close(p.over)
	_ = p.rt.Close()
	p.nc.Close()
	p.engine.Close()
}

// leave has the process be no machine any more, in order.
func (p *process) leave() {
	left := make(chan struct{})
	p.Leave(func() { close(left) })
	<-left
	p.End()
}

func (p *process) at(o *partition.Owner, unit string) *cell {
	all := p.cells[o.P()]
	if all[unit] == nil {
		all[unit] = &cell{process: p, name: unit, part: o.P()}
	}
	return all[unit]
}

func (p *process) Deliver(o *partition.Owner, seq uint64, c *partition.Command) {
	p.at(o, c.Unit).deliver(&job{owner: o, seq: seq, command: c})
}

func (p *process) Began(*partition.Owner) {}

func (p *process) Repeat(o *partition.Owner, c *partition.Command) { p.Deliver(o, 0, c) }

func (p *process) Request(o *partition.Owner, r *partition.Request) {
	p.at(o, r.Unit).deliver(&job{owner: o, request: r})
}

func (p *process) Ended(o *partition.Owner) {
	for _, u := range p.cells[o.P()] {
		u.end()
	}
	clear(p.cells[o.P()])
}
