package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
	"github.com/freerun-go/freerun/cluster/nats/embedded"
)

// counter is the state of a unit in memory.
type counter struct{ N int64 }

// account is that of a durable one: it has some 112 bytes with what the store has beside it.
type account struct {
	N   int64
	Pad string
}

var (
	counters = freerun.NewKind("counter", func(*freerun.Context, int) (counter, error) { return counter{}, nil }, cluster.Volatile())
	count    = freerun.Op("count", func(_ *freerun.Context, s *counter, _ string) (int64, error) {
		s.N++
		return s.N, nil
	})
	accounts = freerun.NewKind("account", func(*freerun.Context, int) (account, error) { return account{Pad: pad[:80]}, nil }, cluster.Durable())
	add      = freerun.Op("add", func(_ *freerun.Context, s *account, _ string) (int64, error) {
		s.N++
		return s.N, nil
	})

	volatileUnits = variant{
		name: "freerun-volatile", server: true,
		promises: "at most once; the state is in memory, and the unit on a machine that all agree on",
		units:    unitsOf(), caller: freerunCaller(counters, count, plainly),
	}
	linkedUnits = variant{
		name: "freerun-links", server: true,
		promises: "as freerun-volatile; the machines connect to each other",
		units:    unitsOf(links), caller: freerunCaller(counters, count, plainly, links),
	}
	embeddedUnits = variant{
		name: "freerun-embedded", ports: 1,
		promises: "as freerun-volatile; the server is in the process of the units",
		units:    embeddedServer, caller: freerunCaller(counters, count, plainly),
	}
	directUnits = variant{
		name: "freerun-direct", server: true,
		promises: "at most once, and what was answered is stored",
		units:    unitsOf(), caller: freerunCaller(accounts, add, cluster.Direct),
	}
	loggedUnits = variant{
		name: "freerun-logged", server: true,
		promises: "once, whichever machine ends; stored",
		units:    unitsOf(), caller: freerunCaller(accounts, add, plainly),
	}
)

// links has the machines connect to each other.
var links = nats.Links("127.0.0.1:0")

func plainly(c *freerun.Context) *freerun.Context { return c }

// joined is a machine.
type joined struct {
	rt   *freerun.Runtime
	node *cluster.Node
}

// join joins the machines of a server: that of the other process, if there is none beside.
func join(p place, options ...nats.Option) (*joined, error) {
	url := p.URL
	if url == "" {
		url = "nats://" + at(p.Others[0])
	}
	return joinStore(nats.Servers("machines", url, append([]nats.Option{nats.Create(1)}, options...)...))
}

// embeddedServer has the units in the process of their server.
func embeddedServer(p place) (stop func(), err error) {
	dir, err := os.MkdirTemp("", "machines")
	if err != nil {
		return nil, err
	}
	j, err := joinStore(embedded.Server("machines", dir, embedded.Create(), embedded.Listen(at(p.Ports[0]))))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return func() {
		j.stop()
		_ = os.RemoveAll(dir)
	}, nil
}

func joinStore(s cluster.Store) (*joined, error) {
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	node, err := cluster.Join(rt, s)
	if err != nil {
		return nil, errors.Join(err, rt.Close())
	}
	return &joined{rt, node}, nil
}

func (j *joined) stop() {
	_ = j.node.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = j.rt.Shutdown(ctx)
}

// unitsOf has the units on a machine.
func unitsOf(options ...nats.Option) func(p place) (stop func(), err error) {
	return func(p place) (stop func(), err error) {
		j, err := join(p, options...)
		if err != nil {
			return nil, err
		}
		return j.stop, nil
	}
}

// freerunCaller calls units that are on the other machine.
func freerunCaller[S any](kind *freerun.Kind[int, S], op *freerun.Operation[S, string, int64], with func(*freerun.Context) *freerun.Context, options ...nats.Option) func(p place) (*caller, error) {
	return func(p place) (*caller, error) {
		j, err := join(p, options...)
		if err != nil {
			return nil, err
		}
		keys, err := keysElsewhere(j, kind)
		if err != nil {
			j.stop()
			return nil, err
		}
		ctx, c := context.Background(), with(j.rt.Context())
		return &caller{
			call: func(unit int) (int64, error) { return op.Call(ctx, kind.At(c, keys[unit]), pad) },
			send: func(unit int) func() (int64, error) {
				f := op.Send(c, kind.At(c, keys[unit]), pad)
				return func() (int64, error) { return f.Wait(ctx) }
			},
			stop: j.stop,
		}, nil
	}
}

// keysElsewhere returns keys of units that are on the other machine, once there are two.
func keysElsewhere[S any](j *joined, kind *freerun.Kind[int, S]) (keys []int, err error) {
	for end := time.Now().Add(20 * time.Second); len(j.node.Machines().Partitions) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return nil, errors.New("the machines do not know each other")
		}
	}
	time.Sleep(2 * time.Second) // what was here is there
	for key := 0; len(keys) < units; key++ {
		_, here, err := cluster.OwnerOf(j.node, kind, key)
		if err != nil {
			return nil, err
		}
		if !here {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
