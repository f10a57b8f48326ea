package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tochemey/goakt/v4/actor"
	"github.com/tochemey/goakt/v4/discovery/static"
	"github.com/tochemey/goakt/v4/remote"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

var (
	goaktActors = variant{
		name: "goakt-remote", ports: 1,
		promises: "at most once; the state is in memory, and the actor is where it is",
		units:    goaktActorUnits, caller: goaktActorCaller,
	}
	goaktGrains = variant{
		name: "goakt-grains", ports: 3,
		promises: "at most once; the state is in memory, and the grain on a machine that all agree on",
		units:    goaktGrainUnits, caller: goaktGrainCaller,
	}
)

// goaktActor is an actor that counts.
type goaktActor struct{ n int64 }

func (*goaktActor) PreStart(*actor.Context) error { return nil }
func (*goaktActor) PostStop(*actor.Context) error { return nil }
func (a *goaktActor) Receive(c *actor.ReceiveContext) {
	switch c.Message().(type) {
	case *actor.PostStart:
	case *wrapperspb.BytesValue:
		a.n++
		c.Response(wrapperspb.Int64(a.n))
	default:
		c.Unhandled()
	}
}

// goaktGrain is a grain that counts.
type goaktGrain struct{ n int64 }

// goaktActive is how many grains have become active in this process.
var goaktActive atomic.Int64

func (*goaktGrain) OnActivate(context.Context, *actor.GrainProps) error {
	goaktActive.Add(1)
	return nil
}

func (*goaktGrain) OnDeactivate(context.Context, *actor.GrainProps) error { return nil }
func (g *goaktGrain) OnReceive(c *actor.GrainContext) {
	if _, ok := c.Message().(*wrapperspb.BytesValue); !ok {
		c.Unhandled()
		return
	}
	g.n++
	c.Response(wrapperspb.Int64(g.n))
}

// startGoakt starts an actor system at the first port of a place.
func startGoakt(p place, more ...actor.Option) (actor.ActorSystem, error) {
	s, err := actor.NewActorSystem("machines", append(more, actor.WithLoggingDisabled(), actor.WithRemote(remote.NewConfig("127.0.0.1", p.Ports[0])))...)
	if err != nil {
		return nil, err
	}
	return s, s.Start(context.Background())
}

func stopGoakt(s actor.ActorSystem) func() {
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Stop(ctx)
	}
}

func goaktActorUnits(p place) (stop func(), err error) {
	s, err := startGoakt(p)
	if err != nil {
		return nil, err
	}
	for unit := range units {
		if _, err := s.Spawn(context.Background(), unitName(unit), &goaktActor{}, actor.WithLongLived()); err != nil {
			return stopGoakt(s), err
		}
	}
	return stopGoakt(s), nil
}

func unitName(unit int) string { return "unit-" + strconv.Itoa(unit) }

func goaktActorCaller(p place) (*caller, error) {
	s, err := startGoakt(p)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	pids := make([]*actor.PID, units)
	for unit := range units {
		if pids[unit], err = s.NoSender().RemoteLookup(ctx, "127.0.0.1", p.Others[0], unitName(unit)); err != nil {
			return nil, err
		}
	}
	return &caller{
		call: func(unit int) (int64, error) {
			return answerOf(actor.Ask(ctx, pids[unit], wrapperspb.Bytes([]byte(pad)), mostCall))
		},
		stop: stopGoakt(s),
	}, nil
}

// answerOf returns the number of an answer of a library with messages of any type.
func answerOf(m any, err error) (int64, error) {
	n, ok := m.(*wrapperspb.Int64Value)
	if err != nil || !ok {
		return 0, errors.Join(err, fmt.Errorf("the answer is %T", m))
	}
	return n.Value, nil
}

// startGoaktNode starts an actor system of a cluster that has grains of a kind, and of which the
// machines find each other at some ports.
func startGoaktNode(p place, kind actor.Grain, ports ...int) (actor.ActorSystem, error) {
	var hosts []string
	for _, port := range ports {
		hosts = append(hosts, at(port))
	}
	c := actor.NewClusterConfig().WithDiscovery(static.NewDiscovery(&static.Config{Hosts: hosts})).
		WithGrains(kind).WithDiscoveryPort(p.Ports[1]).WithPeersPort(p.Ports[2])
	return startGoakt(p, actor.WithCluster(c))
}

// goaktPeers waits until a machine knows so many others.
func goaktPeers(s actor.ActorSystem, n int) error {
	for end := time.Now().Add(mostCall); ; time.Sleep(50 * time.Millisecond) {
		peers, err := s.Peers(context.Background(), time.Second)
		if err == nil && len(peers) == n {
			time.Sleep(2 * time.Second) // the registry is balanced
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the machines do not know each other: %d, %w", len(peers), err)
		}
	}
}

// goaktIdentity returns the identity of a grain, which becomes active.
func goaktIdentity(s actor.ActorSystem, unit int) (*actor.GrainIdentity, error) {
	fresh := func(context.Context) (actor.Grain, error) { return &goaktGrain{}, nil }
	return s.GrainIdentity(context.Background(), unitName(unit), fresh, actor.WithLongLivedGrain(), actor.WithActivationStrategy(actor.LocalActivation))
}

func goaktGrainUnits(p place) (stop func(), err error) {
	s, err := startGoaktNode(p, &goaktGrain{}, p.Ports[1], p.Others[1])
	if err != nil {
		return nil, err
	}
	for unit := range units {
		if _, err := goaktIdentity(s, unit); err != nil {
			return stopGoakt(s), err
		}
	}
	return stopGoakt(s), nil
}

// goaktGrainCaller calls grains that the other machine has: it has made them active.
func goaktGrainCaller(p place) (*caller, error) {
	s, err := startGoaktNode(p, &goaktGrain{}, p.Ports[1], p.Others[1])
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if err := goaktPeers(s, 1); err != nil {
		return nil, err
	}
	all := make([]*actor.GrainIdentity, units)
	for unit := range units {
		if all[unit], err = goaktIdentity(s, unit); err != nil {
			return nil, err
		}
	}
	if here := goaktActive.Load(); here > 0 {
		return nil, fmt.Errorf("%d grains are on the machine that calls", here)
	}
	return &caller{
		call: func(unit int) (int64, error) {
			return answerOf(s.AskGrain(ctx, all[unit], wrapperspb.Bytes([]byte(pad)), mostCall))
		},
		stop: stopGoakt(s),
	}, nil
}
